package conformance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// commands are the cases of a world that runs a domain's commands. The domain
// here is a file outside the workspace.
func commands() []Case {
	return []Case{
		{Name: "commands-state", Demand: "The last line of the snapshot command comes back in CRUCIBLE_TOKEN with its bytes, and the files with it.", run: domainState},
		{Name: "commands-base", Demand: "A token with a domain's half names a state for Diff, Read and Fork as well.", run: domainToken},
		{Name: "commands-changed", Demand: "A state with the same files and another token of the domain has changed.", run: domainChanged},
		{Name: "snapshot-command-fails", Demand: "A snapshot command that fails, prints no token or one that is none makes the call fail.", run: snapshotFails},
		{Name: "restore-command-fails", Demand: "A restore command that fails makes the call fail, and the restore can be repeated.", run: restoreFails},
		{Name: "apply-command", Demand: "The apply command runs in the workspace with its variables, its lines arrive, and its status is an answer.", run: applyCommand},
		{Name: "command-timeout", Demand: "A command is stopped at its limit with all its processes.", run: commandTimeout},
		{Name: "command-cancelled", Demand: "A cancelled call stops its command with all its processes.", run: commandCancelled},
		{Name: "commands-fork", Demand: "No command runs for a fork.", run: forkCommands},
	}
}

// domainOf opens a world whose domain is the file "state" beside the manifest,
// which holds "one", and records the base.
func domainOf(t T, target Target, change func(*world.Commands)) (l *land, base string, state string) {
	t.Helper()
	_, p := configured(t, target)
	p.need(t, world.FeatureCommands)
	req := request(t)
	state = filepath.Join(req.ManifestDir, "state")
	req.Commands = world.Commands{
		Snapshot: `echo noise; echo complaint >&2; cat "$STATE"; echo; echo "  "`,
		Restore:  `printf %s "$CRUCIBLE_TOKEN" >"$STATE"`,
	}
	req.Env = []world.EnvVar{{Name: "STATE", Value: state}}
	if change != nil {
		change(&req.Commands)
	}
	put(t, state, "one")
	l = open(t, p, req)
	l.first()
	return l, l.snapshot("base", true).Token, state
}

func put(t T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatalf("%v", err)
	}
}

func (l *land) wantsText(name, want string) {
	l.t.Helper()
	if text, err := os.ReadFile(name); err != nil || string(text) != want {
		l.t.Errorf("%s has %q, %v; want %q", filepath.Base(name), text, err, want)
	}
}

func domainState(t T, target Target) {
	l, base, state := domainOf(t, target, nil)
	before := treeOf(t, l.dir)
	odd := "a\ttab  \"quotes\" $HOME `x` ü \\n" // no line end: a token is a line
	put(t, state, odd)
	l.write("top.txt", "changed\n")
	later := l.snapshot("later", false).Token
	l.restore(base)
	l.wantsText(state, "one")
	l.wants(before, "after the restore")
	l.restore(later)
	l.wantsText(state, odd)
	l.wantsText(l.path("top.txt"), "changed\n")
}

func domainToken(t T, target Target) {
	l, base, _ := domainOf(t, target, nil)
	l.write("top.txt", "changed\n")
	var patch, file strings.Builder
	if _, err := l.peer.world.Diff(t.Context(), l.id, base, 0, &patch); err != nil || !strings.Contains(patch.String(), "+changed") {
		t.Errorf("diff: %q, %v", patch.String(), err)
	}
	if _, err := l.peer.world.Read(t.Context(), l.id, base, "top.txt", &file); err != nil || file.String() != "one\ntwo\nthree\n" {
		t.Errorf("read: %q, %v", file.String(), err)
	}
}

func domainChanged(t T, target Target) {
	l, base, state := domainOf(t, target, nil)
	if same := l.snapshot("same", false); same.Changed || same.Token != base {
		t.Errorf("an unchanged state: %+v", same)
	}
	put(t, state, "two")
	if other := l.snapshot("other", false); !other.Changed || other.Token == base {
		t.Errorf("another state of the domain: %+v", other)
	}
}

func snapshotFails(t T, target Target) {
	l, base, state := domainOf(t, target, func(c *world.Commands) { c.Snapshot = `cat "$STATE"; ! grep -q fail "$STATE"` })
	for _, text := range []string{"fail", "", " \n\t\n", "\xff\xfe", strings.Repeat("x", contract.MaxToken+1), strings.Repeat("x", contract.MaxLine+1)} {
		put(t, state, text)
		if s, err := l.peer.world.Snapshot(t.Context(), l.id, world.SnapshotRequest{Label: "bad"}); err == nil {
			t.Errorf("state %.20q: %d bytes of token", text, len(s.Token))
		}
	}
	l.restore(base)
	l.wantsText(state, "one")
}

func restoreFails(t T, target Target) {
	l, base, state := domainOf(t, target, func(c *world.Commands) {
		c.Restore = `test ! -e "$STATE.broken" && printf %s "$CRUCIBLE_TOKEN" >"$STATE"`
	})
	put(t, state, "two")
	put(t, state+".broken", "")
	if commit, err := l.peer.world.Restore(t.Context(), l.id, base); err == nil {
		t.Errorf("restore: %s", commit)
	}
	if err := os.Remove(state + ".broken"); err != nil {
		t.Fatalf("%v", err)
	}
	l.restore(base)
	l.wantsText(state, "one")
}

func applyCommand(t T, target Target) {
	l, _, state := domainOf(t, target, func(c *world.Commands) { c.Apply = `pwd; echo oops >&2; cp top.txt "$STATE"; exit $CODE` })
	for code, ok := range map[string]bool{"0": true, "7": false} {
		var lines []string
		applied, err := l.peer.world.Apply(t.Context(), l.id, []world.EnvVar{{Name: "CODE", Value: code}}, func(line world.LogLine) {
			lines = append(lines, string(line.Line))
		})
		if err != nil || applied.OK != ok || ok != (applied.ExitCode == 0) || ok != (applied.Note == "") {
			t.Errorf("exit %s: %+v, %v", code, applied, err)
		}
		if all := strings.Join(lines, "\n"); !strings.Contains(all, filepath.Base(l.dir)) || !strings.Contains(all, "oops") {
			t.Errorf("the log is %q", all)
		}
	}
	l.wantsText(state, "one\ntwo\nthree\n")
}

// sleepers is a script that writes its process ids to files, says so and ends no
// more.
const sleepers = `sleep 600 & echo $! >pid-child; echo $$ >pid-shell; echo begun; wait`

func commandTimeout(t T, target Target) {
	l, _, _ := domainOf(t, target, func(c *world.Commands) { c.Apply, c.ApplyTimeout = sleepers, 300*time.Millisecond })
	applied, err := l.peer.world.Apply(t.Context(), l.id, nil, noLog)
	if err != nil || applied.OK || applied.Note == "" {
		t.Errorf("apply: %+v, %v", applied, err)
	}
	leavesNone(t, l.dir, 10*time.Second)
}

func commandCancelled(t T, target Target) {
	l, _, _ := domainOf(t, target, func(c *world.Commands) { c.Apply = sleepers })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if applied, err := l.peer.world.Apply(ctx, l.id, nil, func(world.LogLine) { cancel() }); err == nil {
		t.Errorf("apply: %+v", applied)
	}
	leavesNone(t, l.dir, 10*time.Second)
}

func forkCommands(t T, target Target) {
	l, base, state := domainOf(t, target, func(c *world.Commands) { c.Apply = `echo applied >"$STATE"` })
	l.peer.need(t, world.FeatureFork)
	forked, err := l.peer.world.Fork(t.Context(), l.id, world.ForkRequest{Token: base, Dir: filepath.Join(t.TempDir(), "fork")})
	if err != nil {
		t.Fatalf("fork: %v", err)
	}
	f := &land{t: t, peer: l.peer, id: forked.WorldID, dir: forked.Workspace}
	put(t, state, "two")
	f.write("top.txt", "changed\n")
	token := f.snapshot("in the fork", false).Token
	if applied, err := l.peer.world.Apply(t.Context(), f.id, nil, noLog); err != nil || !applied.OK {
		t.Errorf("apply: %+v, %v", applied, err)
	}
	f.restore(token)
	l.wantsText(state, "two")
}
