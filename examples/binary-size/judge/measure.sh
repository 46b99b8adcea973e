# The judge: builds the program in the workspace, checks that it still prints the
# same report, and scores the size of the binary in bytes.

out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

invalid() {
	# What the workspace says must not break out of the JSON string.
	printf '{"valid":false,"note":"%s"}\n' "$(printf %s "$1" | tr -d '"\\' | tr '[:cntrl:]' ' ')"
	exit 0
}

# Only flags that cannot run anything are let through.
set --
while IFS= read -r flag; do
	case $flag in
	'' | '#'*) ;;
	'-ldflags=-s -w' | -trimpath | -gcflags=-l | '-gcflags=-N -l') set -- "$@" "$flag" ;;
	*) invalid "build.flags: $flag is not allowed" ;;
	esac
done <build.flags || invalid "build.flags is missing"

# The settings of the one who runs this must not change the size.
export GOENV=off GOFLAGS= GOWORK=off GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0
go build -buildvcs=false "$@" -o "$out/pkgreport" . 2>"$out/errors" ||
	invalid "does not build: $(sed -n '/^[^#]/{p;q;}' "$out/errors")"

"$out/pkgreport" judge/packages.txt >"$out/report" 2>"$out/errors" ||
	invalid "the program fails: $(sed 1q "$out/errors")"
cmp -s judge/report.golden "$out/report" ||
	invalid "the report changed: $(diff judge/report.golden "$out/report" | sed -n '/^>/{p;q;}')"

size=$(wc -c <"$out/pkgreport")
echo "{\"valid\":true,\"score\":$((size)),\"detail\":{\"kib\":$((size / 1024)),\"source_lines\":$(($(cat ./*.go | wc -l)))}}"
