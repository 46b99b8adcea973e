package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"status": status, "rows": rows, "outcome": outcome, "await": await, "gone": gone, "wellformed": wellformed,
	}
}

// status runs a program and wants this very exit status:
//
//	status 3 crucible --manifest none.toml
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

type event struct {
	Kind string `json:"kind"`
	Row  struct {
		Iter     int      `json:"iter"`
		Decision string   `json:"decision"`
		Note     string   `json:"note"`
		Score    *float64 `json:"score"`
		Phase    string   `json:"phase"`
	} `json:"row"`
	Outcome string `json:"outcome"`
}

func readLog(ts *testscript.TestScript, path string) []event {
	var events []event
	for line := range strings.Lines(ts.ReadFile(path)) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			ts.Fatalf("%s: %v in %q", path, err, line)
		}
		events = append(events, e)
	}
	return events
}

// rows compares the rows of a session log, one word each, with what is wanted:
//
//	rows state/session.jsonl baseline:10 keep:9 discard:11 discarded
func rows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: rows LOG DECISION[:SCORE]...")
	}
	var got []string
	for _, e := range readLog(ts, args[0]) {
		if e.Kind != "row" {
			continue
		}
		word := e.Row.Decision
		if e.Row.Score != nil {
			word += ":" + strconv.FormatFloat(*e.Row.Score, 'g', -1, 64)
		}
		got = append(got, word)
	}
	if want := strings.Join(args[1:], " "); strings.Join(got, " ") != want {
		ts.Fatalf("rows are %q, want %q", strings.Join(got, " "), want)
	}
}

// outcome wants the last line of a session log to be a shutdown with it, and no
// other line to be one.
func outcome(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: outcome LOG OUTCOME")
	}
	events := readLog(ts, args[0])
	for i, e := range events {
		if last := i == len(events)-1; (e.Kind == "shutdown") != last {
			ts.Fatalf("line %d of %d is %s", i+1, len(events), e.Kind)
		}
	}
	if len(events) == 0 || events[len(events)-1].Outcome != args[1] {
		ts.Fatalf("the log does not end with %s", args[1])
	}
}

// await waits until a file holds a text.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	path := ts.MkAbs(args[0])
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), args[1]) {
			return
		}
	}
	ts.Fatalf("%s never held %q", args[0], args[1])
}

// gone wants no process within two seconds whose environment names this
// script's home: nothing that the script's engines started is left.
func gone(ts *testscript.TestScript, neg bool, _ []string) {
	if neg {
		ts.Fatalf("usage: gone")
	}
	var left []string
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left = processesOf(ts.Getenv("HOME")); len(left) == 0 {
			return
		}
	}
	ts.Fatalf("still there: %s", strings.Join(left, ", "))
}

func processesOf(home string) []string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		environ, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil || !bytes.Contains(environ, []byte("HOME="+home+"\x00")) {
			continue
		}
		cmdline, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		found = append(found, fmt.Sprintf("%s (%s)", e.Name(), strings.ReplaceAll(string(cmdline), "\x00", " ")))
	}
	return found
}

// wellformed wants every line of a file to be JSON and the last one to be whole.
func wellformed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wellformed LOG")
	}
	if text := ts.ReadFile(args[0]); !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%s ends in the middle of a line", args[0])
	}
	readLog(ts, args[0])
}
