package gitmem

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// The oldest git that has what is used here.
const (
	minMajor = 2
	minMinor = 32
)

var versionRule = regexp.MustCompile(`^git version (\d{1,4})\.(\d{1,4})`)

// Version is what git calls itself. One that is too old is
// contract.ErrUnsupported.
func (s *Store) Version(ctx context.Context) (string, error) {
	r, err := runGit(ctx, s.git, call{args: []string{"version"}, dir: s.dir, env: append([]string{"LC_ALL=C"}, isolation...)})
	if err != nil {
		return "", classify(contract.KindUnavailable, "run git", s.git, err)
	}
	m := versionRule.FindStringSubmatch(r.text())
	if m == nil {
		return "", contract.NewError(contract.KindUnavailable, "run git", s.git, fmt.Errorf("answered %q", printable(r.text(), 100)))
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < minMajor || major == minMajor && minor < minMinor {
		return r.text(), contract.NewError(contract.KindUnsupported, "run git", s.git,
			fmt.Errorf("%s is too old; want %d.%d or newer", r.text(), minMajor, minMinor))
	}
	return r.text(), nil
}

// checkGit begins to ask git for its version, unless that was done, and gives
// what waits for the answer.
func (s *Store) checkGit(ctx context.Context) (wait func() error) {
	if s.checked.Load() {
		return func() error { return nil }
	}
	answer := make(chan error, 1)
	go func() {
		var err error
		if s.ahead.wait(ctx); !s.checked.Load() {
			_, err = s.Version(ctx)
			s.checked.Store(err == nil)
		}
		answer <- err
	}()
	return sync.OnceValue(func() error { return <-answer })
}

// ahead is a question for git's version that was asked before the first Open.
// Nothing comes of it but that git is new enough: of anything else, Open makes
// sure itself. The zero pointer was never asked.
type ahead struct {
	cancel context.CancelFunc
	done   chan struct{} // closed by the goroutine that asks
}

// CheckAhead begins to ask git for its version, so that the first Open need not
// wait for the answer. It comes before any other call, at most once; CloseAll
// ends it.
func (s *Store) CheckAhead() {
	ctx, cancel := context.WithCancel(context.Background())
	s.ahead = &ahead{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(s.ahead.done)
		if _, err := s.Version(ctx); err == nil {
			s.checked.Store(true)
		}
	}()
}

func (a *ahead) wait(ctx context.Context) {
	if a == nil {
		return
	}
	select {
	case <-a.done:
	case <-ctx.Done():
	}
}

func (a *ahead) stop() {
	if a != nil {
		a.cancel()
		<-a.done
	}
}
