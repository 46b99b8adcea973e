# loop.sh ITERATIONS: the counter example by hand, in its directory.

set -e
mkdir workspace
cp -R seed/. measure.sh workspace/
cd workspace
git init -q
printf '%s\n' /RESULTS.md >.git/info/exclude
git add -A
git commit -q -m base
: >RESULTS.md

best=0
iteration=0
while [ "$iteration" -lt "$1" ]; do
	iteration=$((iteration + 1))
	sh ../propose.sh
	git add -A
	git commit -q -m "iteration $iteration"
	reading=$(sh measure.sh)
	decision=discard
	case $reading in
	*'"valid":true'*)
		score=${reading#*'"score":'}
		score=${score%%,*}
		[ "$score" -le "$best" ] || decision=keep
		;;
	esac
	if [ "$decision" = keep ]; then
		best=$score
	else
		git reset -q --hard HEAD~1
	fi
	echo "| $iteration | $decision | $reading |" >>RESULTS.md
done
