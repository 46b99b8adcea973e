# The agent: it has a list of ideas and tries the next one in each iteration. A
# real agent would read the prompt in $CRUCIBLE_PROMPT and find ideas of its own.
# It runs in the workspace and knows from RESULTS.md what was tried before.

ideas=../_ideas
last=$(sed -n 's/^| *\([0-9][0-9]*\) .*/\1/p' RESULTS.md | tail -n 1)

idea() {
	echo "$1"
	echo "$1" >CANDIDATE.md
}

flag() { echo "$1" >>build.flags; }

# edit FILE SCRIPT: sed -i is not in every sed.
edit() { sed "$2" "$1" >"$1.new" && mv "$1.new" "$1"; }

case $((${last:-0} + 1)) in
1)
	idea "leave out the symbol table and the debug information"
	flag "-ldflags=-s -w"
	;;
2)
	idea "drop the web view, it alone needs net/http"
	edit extras.go /-http/d
	rm serve.go
	;;
3)
	idea "no inlining and no optimisation: fewer copies of the same code"
	flag "-gcflags=-N -l"
	;;
4)
	idea "whole percentages: no code for decimals"
	edit render.go s/%5.1f/%5.0f/
	;;
5)
	idea "print with fmt: text/template keeps every method that reflection could call"
	cp $ideas/no-template/render.go .
	;;
6)
	idea "find the names in a list of dependencies without a regular expression"
	cp $ideas/no-regexp/depends.go .
	;;
7)
	idea "take the manual out of the binary"
	edit extras.go /-manual/d
	rm manual.go manual.txt
	;;
8)
	idea "print without fmt"
	cp $ideas/no-fmt/*.go .
	rm extras.go
	;;
9)
	idea "leave out the paths of the source files"
	flag -trimpath
	;;
*)
	echo "no idea left"
	;;
esac
