package manifest_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/crucible-engine/crucible/core/manifest"
)

// fileKeys are the keys that name a file of the pack, each in a manifest that has
// no other fault.
func fileKeys() map[string]string {
	return map[string]string{
		"agent.method_prompt":      "[agent]\nbackend = \"local\"\nmethod_prompt = %q\n",
		"agent.goal_file":          "[agent]\nbackend = \"local\"\ngoal_file = %q\n",
		"agent.toolbox_dir":        "[agent]\nbackend = \"local\"\ntoolbox_dir = %q\n",
		"agent.relay[0].from_file": "[[agent.relay]]\ndest = \"/run/a\"\nfrom_file = %q\n",
		"workflow.file":            "[workflow]\nfile = %q\n",
		"workspace.inject[0]":      "[workspace]\ninject = [{ src = %q, dst = \"x\" }]\n",
	}
}

// Whatever a path of the pack leads to, there is an answer, and it is not waited
// for.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	check(t, os.Symlink("fifo", filepath.Join(dir, "tofifo")))
	check(t, os.Symlink("/dev/zero", filepath.Join(dir, "tozero")))
	check(t, os.Symlink("../inner", filepath.Join(dir, "inner/round")))
	socket := filepath.Join(dir, "s")
	if len(socket) < 100 { // the kernel's limit
		listener, err := net.Listen("unix", socket)
		check(t, err)
		t.Cleanup(func() { check(t, listener.Close()) })
	} else {
		check(t, os.Symlink("fifo", socket))
	}
	obstacles := []string{
		"fifo", "tofifo", "tozero", "/dev/zero", "/dev/tty", "s", "loop", "loop/x", "dangling", "GOAL.md/x", "nope/../nope", "inner/round/round/nope",
		"../../../../../../../../../../dev/null", strings.Repeat("x", 256), strings.Repeat("x/", 2100),
	}
	for key, text := range fileKeys() {
		for _, name := range obstacles {
			m, list := manifest.Parse(filepath.Join(dir, "crucible.toml"), []byte(complete(fmt.Sprintf(text, name))))
			if absent := key == "agent.relay[0].from_file" && isAbsent(dir, name); absent {
				if m == nil {
					t.Errorf("%s = %.40q: %v", key, name, list)
				}
				continue
			}
			if m != nil || len(list) != 1 || !strings.HasPrefix(list[0].Path, key) {
				t.Errorf("%s = %.40q: %v", key, name, list)
			}
		}
	}
}

// isAbsent: a relay's file may be there on the machine of the run alone.
func isAbsent(dir, name string) bool {
	if !filepath.IsAbs(name) {
		name = dir + "/" + name
	}
	_, err := os.Stat(name)
	return os.IsNotExist(err)
}

// Through links and upwards a path may go where it likes: the pack is the
// author's. What is found is what the path means to the kernel.
func TestFilesAnywhere(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	check(t, os.Symlink("../inner", filepath.Join(dir, "inner/round")))
	for name, want := range map[string]string{
		"GOAL.md": "GOAL.md", "./checks/..//GOAL.md": "GOAL.md", "inner/dirlink/../a.sh": "checks/a.sh", "inner/round/round/link.sh": "inner/round/round/link.sh",
		dir + "/GOAL.md": "GOAL.md", "out": "out",
	} {
		for key, text := range fileKeys() {
			if key == "agent.toolbox_dir" {
				continue
			}
			m, list := manifest.Parse(filepath.Join(dir, "crucible.toml"), []byte(complete(fmt.Sprintf(text, name))))
			if m == nil {
				t.Errorf("%s = %q: %v", key, name, list)
				continue
			}
			got := m.Agent.MethodPrompt + m.Agent.GoalFile + m.Workflow.File
			for _, r := range m.Agent.Relays {
				got += r.FromFile
			}
			for _, e := range m.Workspace.Inject {
				got += e.Src
			}
			if got != filepath.Join(dir, want) {
				t.Errorf("%s = %q: got %q", key, name, got)
			}
		}
	}
}

// Paths of the workspace never lead out of it, nor into git's own files.
func TestWorkspacePaths(t *testing.T) {
	t.Parallel()
	path := filepath.Join(newPack(t), "crucible.toml")
	const image = "[build.a]\nmode = \"image\"\ntarget = \"quay.io/x/y\"\ncommand = \"c\"\ncontainerfile = %q\n"
	const layer = "[build.a]\nmode = \"derive-layer\"\nbase = \"quay.io/x/b\"\ntarget = \"quay.io/x/y\"\nsources = [%q]\n"
	for key, text := range map[string]string{"build.a.containerfile": image, "build.a.sources[0]": layer} {
		for name, want := range map[string]string{
			"../x": "", "a/../../x": "", "a/..": "", "..": "", "/x": "", "//x": "", ".": "", "./": "", "": "", " ": "", ".git": "", "a/.GIT/x": "",
			strings.Repeat("x", 256): "", strings.Repeat("x/", 2100): "",
			"x": "x", "./x//y": "x/y", "a/./x": "a/x", "..x": "..x", ".gitignore": ".gitignore",
		} {
			m, list := manifest.Parse(path, []byte(complete(fmt.Sprintf(text, name))))
			got := ""
			if m != nil {
				got = m.Builds[0].Containerfile + strings.Join(m.Builds[0].Sources, "")
			} else if len(list) != 1 || list[0].Path != key {
				t.Errorf("%s = %.40q: %v", key, name, list)
			}
			if got != want {
				t.Errorf("%s = %.40q: got %q", key, name, got)
			}
		}
	}
}

// A file that turns into something else between two looks at it is never waited
// for, and never read beyond the limit.
func TestFilesThatChange(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	moving := filepath.Join(dir, "moving")
	check(t, os.Symlink("GOAL.md", moving))
	stop := make(chan struct{})
	var changer sync.WaitGroup
	changer.Go(func() {
		variants := []string{"GOAL.md", "fifo", "/dev/zero", "large", "checks", "nope"}
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := moving + ".next"
			if os.Symlink(variants[i%len(variants)], next) != nil || os.Rename(next, moving) != nil {
				t.Error("the file cannot be changed")
				return
			}
		}
	})
	for range 200 {
		for _, text := range fileKeys() {
			m, list := manifest.Parse(filepath.Join(dir, "crucible.toml"), []byte(complete(fmt.Sprintf(text, "moving"))))
			if (m == nil) != list.HasErrors() {
				t.Errorf("manifest %v with %v", m, list)
			}
		}
		if got, err := manifest.ReadText(moving); err == nil && got != "make it smaller\n" {
			t.Errorf("got %d bytes", len(got))
		}
	}
	close(stop)
	changer.Wait()
}

func TestCompiled(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a.go": true, "src/a.RS": true, "lib.so": true, "a.exe": true, "A.java": true, "a.py": false, "a.js": false, "a.sh": false, "go": false, "a.go/": false,
		"a.go.txt": false, "": false, ".": false, "a.": false, "x.pyc": true, "x.so.1": false,
	} {
		if got := manifest.Compiled(name); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}
