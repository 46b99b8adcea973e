#!/bin/sh
# Scores {{.What}}, in milliseconds. What fails is no candidate.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT

now() {
	t=$(date +%s%N)
	case $t in
	*N) echo "$(date +%s)000" ;; # a date without nanoseconds
	*) echo $((t / 1000000)) ;;
	esac
}

if ! { {{.Prepare}}; } >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo '{"valid": false, "note": "does not build"}'
	exit
fi
begin=$(now)
if ! { {{.Measure}}; } >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo '{"valid": false, "note": "the tests fail"}'
	exit
fi
ms=$(($(now) - begin))
echo "{\"valid\": true, \"score\": $ms, \"note\": \"$ms ms\"}"
