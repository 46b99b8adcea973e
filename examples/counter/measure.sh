# The judge. It runs in the workspace; the last line it prints that begins with
# "{" is the reading.

count=$(cat counter.txt) || count=

case $count in
'' | *[!0-9]*)
	echo '{"valid":false,"note":"counter.txt holds no number"}'
	exit 0
	;;
esac

solved=false
if [ "$count" -ge 10 ]; then
	solved=true
fi
echo "{\"valid\":true,\"score\":$count,\"solved\":$solved}"
