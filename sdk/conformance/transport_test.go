package conformance_test

import (
	"context"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/sdk/conformance"
)

// TestTransportInProcess and TestTransportBinary: a transport that keeps the
// contract passes, as a value and as a binary.
func TestTransportInProcess(t *testing.T) {
	t.Parallel()
	suite(t, conformance.Target{Info: info, Transport: newShell})
}

func TestTransportBinary(t *testing.T) {
	t.Parallel()
	suite(t, self(""))
}

// self is this binary as the plugin with a fault.
func self(fault string) conformance.Target { return conformance.Self(faultVariable + "=" + fault) }

func suite(t *testing.T, target conformance.Target) {
	t.Helper()
	for _, c := range conformance.Transport() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, target)
		})
	}
}

// TestFaults: every fault fails the cases that ask for it.
func TestFaults(t *testing.T) {
	t.Parallel()
	for fault, cases := range map[string][]string{
		"prints early":        {"describe", "no-host", "describe-flag"},
		"prints late":         {"quiet"},
		"takes anyone":        {"other-host"},
		"takes every setting": {"unknown-setting"},
		"talks":               {"secrets"},
		"has no group":        {"cancel"},
		"inherits":            {"environment"},
		"hides the status":    {"exit-status"},
		"keeps lines":         {"output-live"},
	} {
		for _, name := range cases {
			t.Run(fault+"/"+name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				outcome := find(t, conformance.Transport(), name).Try(ctx, self(fault))
				if !outcome.Failed || len(outcome.Log) < 2 {
					t.Errorf("the case did not fail: %q", outcome.Log)
				}
				t.Logf("%q", outcome.Log)
			})
		}
	}
}

// TestNothingIsLeft: what a faulty plugin leaves behind is ended once it was
// reported.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	outcome := find(t, conformance.Transport(), "cancel").Try(t.Context(), self("has no group"))
	reported := regexp.MustCompile(`process ([0-9]+) \(`).FindAllStringSubmatch(strings.Join(outcome.Log, "\n"), -1)
	if len(reported) == 0 {
		t.Fatalf("no process is reported: %q", outcome.Log)
	}
	for _, match := range reported {
		for end := time.Now().Add(5 * time.Second); runs(match[1]); runtime.Gosched() {
			if time.Now().After(end) {
				t.Fatalf("process %s still runs", match[1])
			}
		}
	}
}

// runs reports whether a process runs; a zombie does not.
func runs(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ") && !strings.Contains(string(stat), ") X ")
}

func find(t *testing.T, all []conformance.Case, name string) conformance.Case {
	t.Helper()
	at := slices.IndexFunc(all, func(c conformance.Case) bool { return c.Name == name })
	if at < 0 {
		t.Fatalf("there is no case %q", name)
	}
	return all[at]
}

// TestTry: without a test a case comes to the same end.
func TestTry(t *testing.T) {
	t.Parallel()
	if outcome := find(t, conformance.Transport(), "exit-status").Try(t.Context(), self("")); outcome.Failed || outcome.Skipped {
		t.Errorf("got %+v", outcome)
	}
	if outcome := find(t, conformance.Transport(), "sigterm").Try(t.Context(), conformance.Target{Info: info, Transport: newShell}); !outcome.Skipped {
		t.Errorf("got %+v", outcome)
	}
	outcome := find(t, conformance.Transport(), "describe").Try(t.Context(), conformance.Target{Command: []string{"/bin/false"}})
	if !outcome.Failed || !strings.Contains(strings.Join(outcome.Log, "\n"), "handshake") {
		t.Errorf("got %+v", outcome)
	}
}

// TestCasesAreNamed: names are unique within a suite and every case says what it
// demands.
func TestCasesAreNamed(t *testing.T) {
	t.Parallel()
	for kind, cases := range map[string][]conformance.Case{"transport": conformance.Transport(), "world": conformance.World()} {
		seen := map[string]bool{}
		for _, c := range cases {
			if seen[c.Name] || c.Name == "" || strings.Trim(c.Name, "abcdefghijklmnopqrstuvwxyz-") != "" {
				t.Errorf("%s: the name %q is taken or odd", kind, c.Name)
			}
			if !strings.HasSuffix(c.Demand, ".") {
				t.Errorf("%s %s: %q is no sentence", kind, c.Name, c.Demand)
			}
			seen[c.Name] = true
		}
	}
}
