# The agent. A real one would read the prompt in $CRUCIBLE_PROMPT; this one only
# looks into RESULTS.md for the iterations that are over, counts one up, and has
# a worse idea each third time and a broken one each seventh.

last=$(sed -n 's/^| *\([0-9][0-9]*\) .*/\1/p' RESULTS.md | tail -n 1)
iteration=$((${last:-0} + 1))
count=$(cat counter.txt)

if [ $((iteration % 7)) -eq 0 ]; then
	echo "iteration $iteration: $count becomes a word"
	echo many >counter.txt
elif [ $((iteration % 3)) -eq 0 ]; then
	echo "iteration $iteration: $count becomes $((count - 1))"
	echo $((count - 1)) >counter.txt
else
	echo "iteration $iteration: $count becomes $((count + 1))"
	echo $((count + 1)) >counter.txt
fi
