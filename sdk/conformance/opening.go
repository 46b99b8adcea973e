package conformance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// openings are the cases of how a workspace comes and goes.
func openings() []Case {
	return []Case{
		{Name: "open-missing", Demand: "A missing workspace is made, empty when nothing else is asked for, and is a git repository.", run: openMissing},
		{Name: "open-existing", Demand: "An existing workspace is used as it is.", run: openExisting},
		{Name: "open-setup", Demand: "The setup command makes the workspace, in the manifest directory, and what it prints arrives.", run: openSetup},
		{Name: "open-setup-fails", Demand: "A setup command that fails is an error, and leaves no workspace behind.", run: openSetupFails},
		{Name: "open-clone", Demand: "A source is cloned into a missing workspace; the two share nothing afterwards.", run: openClone},
		{Name: "open-attach", Demand: "Attaching to a missing workspace is an error and makes nothing.", run: openAttach},
		{Name: "open-no-directory", Demand: "A file in the place of the workspace is an error, and stays.", run: openNoDirectory},
		{Name: "close", Demand: "Closing leaves the files of a main workspace alone, and it can be opened again with its tokens.", run: closes},
		{Name: "cancelled", Demand: "A call that is cancelled before it starts changes nothing.", run: cancelled},
		{Name: "resume", Demand: "A plugin that was killed, started again and attached restores the tokens of before.", process: true, run: resumes},
		{Name: "apply", Demand: "Apply of a world without an apply command is good.", run: applies},
	}
}

func openMissing(t T, target Target) {
	ctx, p := configured(t, target)
	req := request(t)
	opened, err := p.world.Open(ctx, req, noLog)
	if err != nil || opened.WorldID == "" || !opened.Fresh {
		t.Fatalf("open: %+v, %v", opened, err)
	}
	if found := treeOf(t, req.Workspace); len(found) != 0 {
		t.Errorf("the workspace has %v", found)
	}
	if _, err := os.Stat(filepath.Join(req.Workspace, ".git")); err != nil {
		t.Errorf("the workspace is no repository: %v", err)
	}
}

func openExisting(t T, target Target) {
	ctx, p := configured(t, target)
	req := request(t)
	// It must be there before there is a world.
	l := &land{t: t, dir: req.Workspace}
	l.must(os.MkdirAll(req.Workspace, 0o755))
	l.first()
	before := treeOf(t, req.Workspace)
	opened, err := p.world.Open(ctx, req, noLog)
	if err != nil || opened.Fresh {
		t.Errorf("open: %+v, %v", opened, err)
	}
	l.wants(before, "after Open")
}

func openSetup(t T, target Target) {
	ctx, p := configured(t, target)
	req := request(t)
	req.ManifestDir = filepath.Dir(req.Workspace)
	req.Commands.Setup = `echo "$NAME"; echo note >&2; mkdir workspace; echo made >workspace/made; pwd >workspace/where`
	req.Env = []world.EnvVar{{Name: "NAME", Value: "first"}, {Name: "NAME", Value: "a value"}}
	var lines []string
	opened, err := p.world.Open(ctx, req, func(l world.LogLine) { lines = append(lines, string(l.Line)) })
	if err != nil || !opened.Fresh {
		t.Fatalf("open: %+v, %v", opened, err)
	}
	text, err := os.ReadFile(filepath.Join(req.Workspace, "made"))
	if err != nil || string(text) != "made\n" {
		t.Errorf("the command made %q, %v", text, err)
	}
	all := strings.Join(lines, "\n")
	for _, want := range []string{"a value", "note"} {
		if !strings.Contains(all, want) {
			t.Errorf("the log %q has no line %q", all, want)
		}
	}
	// A second Open finds the workspace.
	if opened, err := p.world.Open(ctx, req, noLog); err == nil && opened.Fresh {
		t.Errorf("the second Open: %+v", opened)
	}
}

func openSetupFails(t T, target Target) {
	ctx, p := configured(t, target)
	req := request(t)
	req.ManifestDir = filepath.Dir(req.Workspace)
	req.Commands.Setup = "mkdir workspace; echo half >workspace/half; exit 3"
	if opened, err := p.world.Open(ctx, req, noLog); err == nil {
		t.Errorf("open: %+v", opened)
	}
	if _, err := os.Stat(req.Workspace); err == nil {
		t.Errorf("a half-made workspace is left")
	}
}

func openClone(t T, target Target) {
	l, _ := settled(t, target)
	before := treeOf(t, l.dir)
	req := request(t)
	req.Source = &world.Source{Path: l.dir}
	clone := open(t, l.peer, req)
	clone.wants(before, "after the clone")
	clone.write("top.txt", "changed in the clone\n")
	clone.snapshot("in the clone", true)
	l.wants(before, "after a change of the clone")
}

func openAttach(t T, target Target) {
	ctx, p := configured(t, target)
	req := request(t)
	req.Attach = true
	if opened, err := p.world.Open(ctx, req, noLog); err == nil {
		t.Errorf("open: %+v", opened)
	}
	if _, err := os.Lstat(req.Workspace); err == nil {
		t.Errorf("the workspace was made")
	}
}

func openNoDirectory(t T, target Target) {
	ctx, p := configured(t, target)
	req := request(t)
	if err := os.WriteFile(req.Workspace, []byte("a file\n"), 0o644); err != nil {
		t.Fatalf("%v", err)
	}
	if opened, err := p.world.Open(ctx, req, noLog); err == nil {
		t.Errorf("open: %+v", opened)
	}
	if text, err := os.ReadFile(req.Workspace); err != nil || string(text) != "a file\n" {
		t.Errorf("the file is now %q, %v", text, err)
	}
}

func closes(t T, target Target) {
	l, base := settled(t, target)
	first := treeOf(t, l.dir)
	l.write("top.txt", "not recorded\n")
	before := treeOf(t, l.dir)
	if err := l.peer.world.Close(l.t.Context(), l.id); err != nil {
		t.Fatalf("close: %v", err)
	}
	l.wants(before, "after Close")
	again := open(t, l.peer, world.OpenRequest{RunID: "conformance", Workspace: l.dir, ManifestDir: t.TempDir(), Attach: true})
	again.restore(base)
	again.wants(first, "after a restore")
}

func cancelled(t T, target Target) {
	l, base := settled(t, target)
	l.write("top.txt", "not recorded\n")
	before := treeOf(t, l.dir)
	ctx, cancel := context.WithCancel(l.t.Context())
	cancel()
	if _, err := l.peer.world.Restore(ctx, l.id, base); !errors.Is(err, context.Canceled) {
		t.Errorf("restore: got %v", err)
	}
	l.wants(before, "after a cancelled restore")
	l.restore(base) // and the world still works
}

func resumes(t T, target Target) {
	scratch := t.TempDir()
	p := connect(t, target)
	p.configure(t, target, scratch)
	l := open(t, p, request(t))
	l.first()
	base := l.snapshot("base", true).Token
	first := treeOf(t, l.dir)
	l.write("top.txt", "second\n")
	second, after := l.snapshot("second", false).Token, treeOf(t, l.dir)
	l.write("top.txt", "not recorded\n")
	p.process.signal(t, syscall.SIGKILL)
	if _, err := p.process.ended(contract.ShutdownGrace); err != nil {
		t.Fatalf("%v", err)
	}
	p = connect(t, target)
	p.configure(t, target, scratch)
	again := open(t, p, world.OpenRequest{RunID: "conformance", Workspace: l.dir, ManifestDir: t.TempDir(), Attach: true})
	again.restore(second)
	again.wants(after, "after a restore of the last state")
	again.restore(base)
	again.wants(first, "after a restore of the base")
}

func applies(t T, target Target) {
	l, _ := settled(t, target)
	applied, err := l.peer.world.Apply(l.t.Context(), l.id, nil, noLog)
	if err != nil || !applied.OK {
		t.Errorf("apply: %+v, %v", applied, err)
	}
}
