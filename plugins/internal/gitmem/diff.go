package gitmem

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Diff writes the change from a recorded state of a world to the present one, see
// world.World. It leaves the recorded states and the files alone.
func (s *Store) Diff(ctx context.Context, id, fromToken string, limit int64, w io.Writer) (world.Diffed, error) {
	const op = "show the change"
	m, done, err := s.wait(ctx, id, op)
	if err != nil {
		return world.Diffed{}, err
	}
	defer done()
	from, err := m.find(ctx, op, fromToken)
	if err != nil {
		return world.Diffed{}, err
	}
	d, err := m.diff(ctx, from, &patch{to: w, left: limit, bounded: limit > 0})
	return d, classify(contract.KindInternal, op, "", err)
}

// diffOptions make a patch complete and keep what the repository or the agent
// configured out of it.
var diffOptions = []string{
	"--patch", "--shortstat", "--binary", "--find-renames", "-l200", "--no-color", "--no-ext-diff", "--no-textconv",
	"--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
}

// diff compares by way of the work index. When there are no new names, git can
// look at the files themselves, which is one process less.
func (m *memory) diff(ctx context.Context, from point, out *patch) (world.Diffed, error) {
	if err := m.checkWorkspace(); err != nil {
		return world.Diffed{}, err
	}
	now, err := m.sweep.walk(ctx)
	if err != nil {
		return world.Diffed{}, err
	}
	if now.same(m.calm) && m.indexTree != "" && len(m.rec.Submodules) == 0 {
		args := append(append([]string{"--no-optional-locks", "diff"}, diffOptions...), from.commit)
		_, err := m.shadow.run(ctx, request{args: args, stdout: out})
		if err == nil || out.begun || ctx.Err() != nil {
			return out.result(ctx, err)
		}
		out.head.Reset() // a file that cannot be read, most likely: staging sees to that
	}
	if err := m.stageFrom(ctx, now); err != nil {
		return world.Diffed{}, err
	}
	args := append(append([]string{"diff", "--cached"}, diffOptions...), from.commit)
	_, err = m.shadow.run(ctx, request{args: args, index: workIndex, stdout: out})
	return out.result(ctx, err)
}

// errFull stops a git process whose output is not wanted any more.
var errFull = errors.New("limit reached")

// patch takes the output of git diff: the summary line, an empty line and the
// patch, of which it passes on what the limit allows.
type patch struct {
	to      io.Writer
	left    int64
	bounded bool

	head   bytes.Buffer // until the empty line
	begun  bool         // the patch has begun
	full   bool
	failed error // of the writer
}

// maxSummary bounds the summary line.
const maxSummary = 1 << 10

func (p *patch) stat() string { return strings.TrimSpace(p.head.String()) }

// result is what came out, given how git ended.
func (p *patch) result(ctx context.Context, err error) (world.Diffed, error) {
	if p.full && ctx.Err() == nil {
		err = nil // git was stopped, or would have been, because nobody wants the rest
	}
	if p.failed != nil {
		err = p.failed
	}
	if err != nil {
		return world.Diffed{}, err
	}
	return world.Diffed{Shortstat: p.stat(), Truncated: p.full}, nil
}

func (p *patch) Write(data []byte) (int, error) {
	n := len(data)
	if !p.begun {
		data = p.summary(data)
	}
	if len(data) == 0 {
		return n, nil
	}
	if p.bounded && int64(len(data)) > p.left {
		data, p.full = data[:p.left], true
	}
	p.left -= int64(len(data))
	if _, err := p.to.Write(data); err != nil {
		p.failed = err
		return 0, err
	}
	if p.full {
		return 0, errFull
	}
	return n, nil
}

// summary takes the summary line and gives what is left for the patch.
func (p *patch) summary(data []byte) []byte {
	p.head.Write(data)
	all := p.head.Bytes()
	end := bytes.Index(all, []byte("\n\n"))
	if end < 0 && len(all) <= maxSummary {
		return nil
	}
	if end < 0 {
		end = -2 // no summary: all of it is the patch
	}
	rest := bytes.Clone(all[end+2:])
	p.head.Truncate(max(end, 0))
	p.begun = true
	return rest
}
