package judge_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/judge"
	"github.com/crucible-engine/crucible/sdk/proc"
)

func TestMeasure(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, command string
		want          decide.Reading
	}{
		{
			"last line that begins with a bracket",
			`echo '{"valid":false}'; echo building; echo '  {"valid":true,"score":3}'; echo done; printf '} {'`,
			decide.Reading{Valid: true, Score: new(3.0), Note: "size = 3"},
		},
		{"no line end", `printf '{"valid":true,"score":3}'`, decide.Reading{Valid: true, Score: new(3.0), Note: "size = 3"}},
		{"stderr is not read", `echo '{"valid":true,"score":3}' >&2`, decide.Reading{
			Note: `measure printed no line that begins with {; stderr: {"valid":true,"score":3}`,
		}},
		{"nothing", "true", decide.Reading{Note: "measure printed no line that begins with {"}},
		{"malformed", `echo '{"valid":true,"score":3}'; echo '{valid}'`, decide.Reading{
			Note: "reading: not JSON: invalid character 'v' looking for beginning of object key string; the line is \"{valid}\"",
		}},
		{
			"exit status", `echo '{"valid":true,"score":3,"solved":true}'; exit 4`,
			decide.Reading{Score: new(3.0), Note: "measure: exit status 4"},
		},
		{
			"exit status with a note", `echo '{"valid":true,"score":3,"note":"half done"}'; echo bad >&2; exit 4`,
			decide.Reading{Score: new(3.0), Note: "measure: exit status 4: half done"},
		},
		{
			"exit status with stderr", `printf 'a.go:1: syntax\n\tb\n' >&2; exit 1`,
			decide.Reading{Note: "measure: exit status 1; stderr: a.go:1: syntax b"},
		},
		{"no such command", `exec 2>/dev/null; nowhere`, decide.Reading{Note: "measure: exit status 127"}},
		{"signal", `kill -9 $$`, decide.Reading{Note: "measure: killed by signal 9 (killed)"}},
		{
			"line over the limit", `printf '{"valid":true,"x":"'; head -c 2000000 /dev/zero | tr '\0' x; echo '"}'`,
			decide.Reading{Note: "reading: longer than the limit of 1048576 bytes"},
		},
		{
			"grandchild holds the output", `echo '{"valid":true,"score":3}'; sleep 600 &`,
			decide.Reading{Valid: true, Score: new(3.0), Note: "size = 3"},
		},
		{"no input", `cat; echo '{"valid":true,"score":3}'`, decide.Reading{Valid: true, Score: new(3.0), Note: "size = 3"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			j := judge.Judge{Command: test.command, Dir: t.TempDir(), Objective: "size"}
			got, err := j.Measure(t.Context(), judge.Known{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("reading (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEndOfStderr(t *testing.T) {
	t.Parallel()
	j := judge.Judge{Command: `seq 100000 >&2; exit 1`, Dir: t.TempDir()}
	got, err := j.Measure(t.Context(), judge.Known{})
	if err != nil {
		t.Fatal(err)
	}
	checkNote(t, got.Note)
	if len(got.Note) > 450 || !strings.HasPrefix(got.Note, "measure: exit status 1; stderr: …") || !strings.HasSuffix(got.Note, " 99999 100000") {
		t.Errorf("note: %q", got.Note)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	j := judge.Judge{Command: `echo '{"valid":true,"score":1}'; echo working >&2; sleep 600`, Dir: t.TempDir(), Timeout: 100 * time.Millisecond}
	got, err := j.Measure(t.Context(), judge.Known{})
	if err != nil {
		t.Fatal(err)
	}
	want := decide.Reading{Note: "measure took longer than measure_timeout, 100ms; stderr: working"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reading (-want +got):\n%s", diff)
	}
}

func TestNoMeasurement(t *testing.T) {
	t.Parallel()
	t.Run("no workspace", func(t *testing.T) {
		t.Parallel()
		j := judge.Judge{Command: "true", Dir: filepath.Join(t.TempDir(), "missing")}
		_, err := j.Measure(t.Context(), judge.Known{})
		var start *proc.StartError
		if !errors.As(err, &start) || start.Dir != j.Dir {
			t.Errorf("got %v, want a StartError that names %s", err, j.Dir)
		}
	})
	t.Run("canceled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		timer := time.AfterFunc(50*time.Millisecond, cancel)
		defer timer.Stop()
		j := judge.Judge{Command: "exec sleep 600", Dir: t.TempDir()}
		if _, err := j.Measure(ctx, judge.Known{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want it to wrap context.Canceled", err)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		j := judge.Judge{Command: "exec sleep 600", Dir: t.TempDir(), Timeout: time.Hour}
		if _, err := j.Measure(ctx, judge.Known{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want it to wrap context.DeadlineExceeded", err)
		}
	})
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	const script = `printf '{"valid":false,"note":"%s|%s|%s|%s"}' \
		"${CRUCIBLE_BASELINE_SCORE-none}" "${CRUCIBLE_BASELINE_TOTAL-none}" "${CRUCIBLE_BEST_SCORE-none}" "${OWN-none}"`
	outer := []string{
		"PATH=" + os.Getenv("PATH"), "OWN=x",
		"CRUCIBLE_BASELINE_SCORE=1", "CRUCIBLE_BASELINE_TOTAL=1", "CRUCIBLE_BEST_SCORE=1",
	}
	tests := []struct {
		name  string
		env   []string
		known judge.Known
		want  string
	}{
		{"nothing known", outer, judge.Known{}, "none|none|none|x"},
		{"all known", outer, judge.Known{BaselineScore: new(1e21), BaselineTotal: new(uint64(7)), BestScore: new(0.1)}, "1000000000000000000000|7|0.1|x"},
		{"one known", outer, judge.Known{BestScore: new(-2.0)}, "none|none|-2|x"},
		{"inherited", nil, judge.Known{BaselineTotal: new(uint64(0))}, "none|0|none|none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			j := judge.Judge{Command: script, Dir: t.TempDir(), Env: test.env}
			got, err := j.Measure(t.Context(), test.known)
			if err != nil {
				t.Fatal(err)
			}
			if got.Note != test.want {
				t.Errorf("got %s, want %s", got.Note, test.want)
			}
		})
	}
}
