package rundir_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/crucible-engine/crucible/core/host/internal/rundir"
)

// baseVariable makes this test binary an engine that makes a run directory below
// the base it names, prints its path and waits.
const baseVariable = "RUNDIR_TEST_BASE"

func TestMain(m *testing.M) {
	base := os.Getenv(baseVariable)
	if base == "" {
		os.Exit(m.Run())
	}
	dir, err := rundir.Create(base)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(dir.Path())
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

func TestCreate(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	dir, err := rundir.Create(base)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir.Path())
	if err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("got %v, %v, want a directory with mode 0700", info.Mode(), err)
	}
	if got := filepath.Dir(dir.Path()); got != base {
		t.Errorf("got a directory in %s, want %s", got, base)
	}
	if err := rundir.Sweep(base); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir.Path()); err != nil {
		t.Errorf("a sweep removed a directory in use: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir.Path(), "socket"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	wantEmpty(t, base)
}

// The longest socket path of go-plugin below the longest base must fit.
func TestMaxBaseLeavesRoomForSocket(t *testing.T) {
	t.Parallel()
	const sunPath, library = 107, len("/plugin-dir4294967295/plugin4294967295")
	if got := rundir.MaxBase + len("/abcdefgh") + library; got > sunPath {
		t.Errorf("a socket path can have %d bytes, the limit is %d", got, sunPath)
	}
}

func TestSweepAfterKill(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	path, kill := engine(t, base)
	if err := rundir.Sweep(base); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("a sweep removed the directory of a living process: %v", err)
	}
	kill()
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the directory did not outlive its process: %v", err)
	}
	if err := rundir.Sweep(base); err != nil {
		t.Fatal(err)
	}
	wantEmpty(t, base)
}

// Engines that start, sweep and end at the same time never take each other's
// directory.
func TestSweepRaces(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if err := rundir.Sweep(base); err != nil {
					t.Error(err)
				}
				dir, err := rundir.Create(base)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(dir.Path(), "mine"), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := rundir.Sweep(base); err != nil {
					t.Error(err)
				}
				if _, err := os.Stat(filepath.Join(dir.Path(), "mine")); err != nil {
					t.Error(err)
				}
				if err := dir.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	wantEmpty(t, base)
}

func TestBase(t *testing.T) {
	t.Parallel()
	private := newBase(t)
	open := t.TempDir()
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	fallback := fmt.Sprintf("/tmp/cr-%d", os.Geteuid())
	for _, test := range []struct{ name, runtimeDir, want string }{
		{"private", private, filepath.Join(private, "crucible")},
		{"unset", "", fallback},
		{"relative", "run", fallback},
		{"missing", filepath.Join(private, "none"), fallback},
		{"open to others", open, fallback},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := rundir.Base(func(name string) string {
				if name == "XDG_RUNTIME_DIR" {
					return test.runtimeDir
				}
				return ""
			})
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestPrepareRefuses(t *testing.T) {
	t.Parallel()
	dir := newBase(t)
	long := filepath.Join(dir, strings.Repeat("x", rundir.MaxBase-len(dir)))
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, base, want string }{
		{"too long", long, fmt.Sprintf("%s has %d bytes, at most %d", long, len(long), rundir.MaxBase)},
		{"a link", link, "is not a directory"},
		{"open to others", open, "chmod 700"},
		{"no parent", filepath.Join(dir, "a", "b"), "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := rundir.Prepare(test.base); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// engine starts another process that has a run directory.
func engine(t *testing.T, base string) (path string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), baseVariable+"="+base)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), kill
}

func newBase(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("/tmp", "rd-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	return base
}

func wantEmpty(t *testing.T, base string) {
	t.Helper()
	entries, err := os.ReadDir(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s was left behind", e.Name())
	}
}
