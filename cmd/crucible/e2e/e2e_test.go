// Package e2e runs the real program with the real plugins against scripts in
// testdata: one archive a case, the first word of its name is the subcommand.
package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// programs are built once for all scripts, from this tree.
var programs = map[string]string{
	"crucible":                    "./cmd/crucible",
	"crucible-transport-command":  "./plugins/transport-command",
	"crucible-world-git":          "./plugins/world-git",
	"crucible-world-command":      "./plugins/world-command",
	"crucible-transport-stranger": "./cmd/crucible/e2e/stranger",
}

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

// binDir holds the programs; socketBase is short enough for sockets.
var binDir, socketBase string

func buildAndRun(m *testing.M) int {
	// Not the usual temporary directory: a plugin must not lie where others can
	// write, and a socket's path has little room.
	base, err := os.MkdirTemp("/tmp", "cr-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(base)
	binDir, socketBase = filepath.Join(base, "bin"), filepath.Join(base, "run")
	for name, pkg := range programs {
		cmd := exec.Command("go", "build", "-o", filepath.Join(binDir, name), pkg)
		cmd.Dir = "../../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", name, err, out)
			return 1
		}
	}
	// The stranger is for the scripts that ask for it by name.
	extra := filepath.Join(base, "extra")
	err = os.Mkdir(extra, 0o700)
	if err == nil {
		err = os.Rename(filepath.Join(binDir, "crucible-transport-stranger"), filepath.Join(extra, "crucible-transport-stranger"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", RequireExplicitExec: true, RequireUniqueNames: true,
		UpdateScripts: os.Getenv("CRUCIBLE_UPDATE") != "",
		Setup:         setup, Cmds: commands(),
	})
}

// goCache lets a script's go find what is compiled already.
var goCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// setup gives every script a home of its own and no one else's configuration.
func setup(env *testscript.Env) error {
	run, err := os.MkdirTemp(filepath.Dir(socketBase), "r")
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(run) })
	// Not in the script's directory: some scripts make that the workspace.
	home, tmp := filepath.Join(run, "home"), filepath.Join(run, "tmp")
	for _, dir := range []string{home, tmp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_DATA_HOME": filepath.Join(home, "data"),
		"XDG_RUNTIME_DIR": run, "CRUCIBLE_PLUGIN_PATH": binDir, "EXTRA": filepath.Join(filepath.Dir(binDir), "extra"),
		"TMPDIR": tmp, "PATH": binDir + ":" + os.Getenv("PATH"), "TERM": "dumb",
		"GOCACHE": goCache(), "GOFLAGS": os.Getenv("GOFLAGS"),
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
	} {
		env.Setenv(name, value)
	}
	return nil
}
