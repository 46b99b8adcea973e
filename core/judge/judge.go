package judge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/sdk/proc"
)

// The variables that tell the measure command what is known.
const (
	baselineScore = "CRUCIBLE_BASELINE_SCORE"
	baselineTotal = "CRUCIBLE_BASELINE_TOTAL"
	bestScore     = "CRUCIBLE_BEST_SCORE"
	imagePrefix   = "CRUCIBLE_IMAGE_"
)

// Judge is a measure command and where it runs.
type Judge struct {
	// Command is the script for `sh -c`.
	Command string
	// Dir is the workspace.
	Dir string
	// Timeout bounds one measurement, zero for no bound.
	Timeout time.Duration
	// Env is the environment of the command, nil for the engine's own. What it
	// says about scores is replaced by what is known.
	Env []string
	// Objective names the score in a reading's default note.
	Objective string
}

// Known is what earlier readings of the run gave. A nil value is not known and
// its variable is absent.
type Known struct {
	BaselineScore *float64
	BaselineTotal *uint64
	BestScore     *float64
	// Images are variables that say what was built, as NAME=VALUE.
	Images []string
}

// Measure runs the command and reads its last line that begins with "{". What
// the command does wrong gives an invalid reading whose note says what: another
// exit status than 0, no time left, no reading, a malformed one. An error means
// that no measurement took place, because the shell could not be started or ctx
// ended; the latter wraps the error of ctx.
func (j Judge) Measure(ctx context.Context, known Known) (decide.Reading, error) {
	var last proc.Line
	stderr := proc.NewCapture(0, tailSize)
	command := proc.Shell(j.Command)
	command.Dir, command.Env, command.Timeout = j.Dir, j.environment(known), j.Timeout
	command.MaxLine, command.StderrTo = MaxLine, stderr
	command.Stdout = func(line proc.Line) {
		if beginsReading(line.Text) {
			last = line
		}
	}
	exit, err := proc.Run(ctx, command)
	if err := ctx.Err(); err != nil {
		return decide.Reading{}, fmt.Errorf("measure: %w", err)
	}
	if err != nil {
		return decide.Reading{}, fmt.Errorf("measure: %w", err)
	}
	if exit.TimedOut {
		return refuse(tell(fmt.Sprintf("measure took longer than measure_timeout, %v", j.Timeout), stderr)), nil
	}
	reading, err := j.read(last)
	switch {
	case !exit.Success():
		return j.failed(exit, reading, stderr), nil
	case err != nil:
		return refuse(tell(err.Error(), stderr)), nil
	}
	return reading, nil
}

func (j Judge) read(line proc.Line) (decide.Reading, error) {
	switch {
	case line.Text == "":
		return decide.Reading{}, errors.New("measure printed no line that begins with {")
	case line.Truncated:
		return decide.Reading{}, fmt.Errorf("reading: longer than the limit of %d bytes", MaxLine)
	}
	reading, err := ParseReading([]byte(line.Text), j.Objective)
	if err != nil {
		err = fmt.Errorf("%w; the line is %s", err, diag.Quote(line.Text, maxQuoted))
	}
	return reading, err
}

// maxQuoted bounds what a note shows of a line that is no reading, in bytes.
const maxQuoted = 120

// failed is the reading of a command with another exit status than 0: what it
// said stays, but it is not valid. The reason comes from the reading's own note,
// else from stderr.
func (j Judge) failed(exit proc.Exit, reading decide.Reading, stderr *proc.Capture) decide.Reading {
	why := fmt.Sprintf("measure: %v", exit)
	if own := reading.Note; own != "" && own != defaultNote(reading, j.Objective) {
		reading.Note = oneLine(why+": "+own, MaxNote)
	} else {
		reading.Note = tell(why, stderr)
	}
	reading.Valid, reading.Solved = false, false
	return reading
}

// refuse is the reading of a candidate that could not be measured.
func refuse(note string) decide.Reading {
	return decide.Reading{Note: oneLine(note, MaxNote)}
}

func (j Judge) environment(known Known) []string {
	env := j.Env
	if env == nil {
		env = os.Environ()
	}
	// The engine may itself run under a measure command of another engine.
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == baselineScore || name == baselineTotal || name == bestScore || strings.HasPrefix(name, imagePrefix)
	})
	if known.BaselineScore != nil {
		env = append(env, baselineScore+"="+formatScore(*known.BaselineScore))
	}
	if known.BaselineTotal != nil {
		env = append(env, baselineTotal+"="+strconv.FormatUint(*known.BaselineTotal, 10))
	}
	if known.BestScore != nil {
		env = append(env, bestScore+"="+formatScore(*known.BestScore))
	}
	return append(env, known.Images...)
}

// formatScore is the shortest decimal that reads back as the same number, never
// with an exponent.
func formatScore(score float64) string { return strconv.FormatFloat(score, 'f', -1, 64) }
