package marker_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/crucible-engine/crucible/core/marker"
	"github.com/google/go-cmp/cmp"
)

func TestTakeEscalation(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       *marker.Escalation
		malformed  bool
	}{
		{"whole", `{"category":"infeasible","reason":"no way","evidence":"log","ts":5}`,
			&marker.Escalation{Category: "infeasible", Reason: "no way", Evidence: "log"}, false},
		{"reason only", `{"reason":"r"}`, &marker.Escalation{Reason: "r"}, false},
		{"blank reason", `{"reason":"  "}`, nil, true},
		{"no object", `[]`, nil, true},
		{"empty", ``, nil, true},
		{"too large", `{"reason":"` + strings.Repeat("x", marker.MaxSize) + `"}`, nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, marker.EscalationFile)
			if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := marker.TakeEscalation(dir)
			if errors.Is(err, marker.ErrMalformed) != tc.malformed {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("the marker is still there: %v", err)
			}
		})
	}
}

func TestTakeRefusesWhatIsNoFile(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(`{"reason":"leak"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"link":      func(p string) error { return os.Symlink(secret, p) },
		"pipe":      func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"directory": func(p string) error { return os.MkdirAll(filepath.Join(p, "sub"), 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, marker.EscalationFile)
			if err := plant(path); err != nil {
				t.Fatal(err)
			}
			if got, err := marker.TakeEscalation(dir); got != nil || !errors.Is(err, marker.ErrMalformed) {
				t.Errorf("got %v, %v", got, err)
			}
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("still there: %v", err)
			}
			if _, err := os.Stat(secret); err != nil {
				t.Errorf("the link's target is gone: %v", err)
			}
		})
	}
}

func TestNothingThere(t *testing.T) {
	if got, err := marker.TakeEscalation(t.TempDir()); got != nil || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := marker.TakeCandidate(t.TempDir()); got != "" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestHeadline(t *testing.T) {
	for _, tc := range []struct {
		in   string
		max  int
		want string
	}{
		{"one", 3, "one"},
		{"  a\n\n b\tc ", 9, "a b c"},
		{"ééééé", 3, "ééé"},
		{"ab\xffcd", 3, "ab\uFFFD"},
		{"# Title\nand text", 9, "# Title a"},
		{"", 3, ""},
	} {
		if got := marker.Headline(tc.in, tc.max); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.in, got, tc.want)
		}
	}
}
