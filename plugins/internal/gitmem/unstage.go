package gitmem

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
)

// unstage takes excluded paths out of the work index again, or puts them back to
// what the tip has. The agent's directory is the repository's affair when the
// tip has files in it.
func (m *memory) unstage(ctx context.Context, paths []string) error {
	inTip := map[string]string{}
	if m.states.tip.tree != "" {
		each := &records{each: func(s string) error {
			entry, p, _ := strings.Cut(s, "\t")
			if f := strings.Fields(entry); len(f) == 3 {
				inTip[p] = f[0] + " " + f[2]
			}
			return nil
		}}
		args := append([]string{"ls-tree", "-r", "-z", "--full-tree", m.states.tip.tree, "--"}, engineFiles...)
		args = append(append(args, m.rec.Exclude...), agentDir)
		if _, err := m.shadow.run(ctx, request{args: args, stdout: each, alternates: m.lent()}); err != nil {
			return err
		}
	}
	var changes, kept bytes.Buffer
	for _, p := range paths {
		entry, known := inTip[p]
		switch {
		case known && covers([]string{agentDir}, p):
		case known:
			fmt.Fprintf(&changes, "%s\t%s\x00", entry, p)
			kept.WriteString(p + "\x00")
		default:
			fmt.Fprintf(&changes, "0 %s\t%s\x00", m.shadow.format.none(), p)
		}
	}
	if err := m.updateIndex(ctx, &changes, "--index-info"); err != nil {
		return err
	}
	if err := m.takeBlobs(ctx, inTip, paths); err != nil {
		return err
	}
	// From now on neither git add nor a restore touches these.
	return m.updateIndex(ctx, &kept, "--skip-worktree", "--stdin")
}

// takeBlobs copies the tip's version of files that are not recorded anew. It is
// the visible repository's until the shadow is whole.
func (m *memory) takeBlobs(ctx context.Context, inTip map[string]string, paths []string) error {
	for _, p := range paths {
		entry, known := inTip[p]
		if !known || m.rec.Whole || covers([]string{agentDir}, p) {
			continue
		}
		_, id, _ := strings.Cut(entry, " ")
		r, err := m.shadow.run(ctx, request{args: []string{"cat-file", "blob", id}, alternates: m.lent()})
		if err != nil {
			return err
		}
		if _, err := m.shadow.writeObject("blob", r.out); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) updateIndex(ctx context.Context, in *bytes.Buffer, args ...string) error {
	if in.Len() == 0 {
		return nil
	}
	_, err := m.shadow.run(ctx, request{args: append([]string{"update-index", "-z"}, args...), index: workIndex, stdin: io.Reader(in)})
	return err
}

// lent are the visible repository's objects, for reading the original commit
// before the shadow has its files.
func (m *memory) lent() []string {
	if m.rec.Whole {
		return nil
	}
	return []string{m.visible.objects()}
}
