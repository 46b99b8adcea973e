#!/bin/sh
# Scores the bytes of the files under version control. Put in its place what you
# want less of: a run time, a count of failures, a size. Anything that does not
# work any more is {"valid": false, "note": "why"}.
set -u
bytes=$(git ls-files -z -- . ':!measure.sh' | xargs -0 cat -- 2>/dev/null | wc -c | tr -d ' ')
echo "{\"valid\": true, \"score\": $bytes, \"note\": \"$bytes bytes\"}"
