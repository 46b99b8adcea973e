package conformance

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// endings are the cases of how a turn is cut short.
func endings() []Case {
	return []Case{
		{Name: "cancel", Demand: "When a turn is cancelled it ends, and no process of it is left.",
			run: func(t T, target Target) { cutShort(t, target, "", 0) }},
		{Name: "deadline", Demand: "When the deadline of a turn passes it ends, and no process of it is left.",
			run: func(t T, target Target) { cutShort(t, target, "", time.Second) }},
		{Name: "cancel-stubborn", Demand: "An agent that ignores SIGTERM is killed with all its processes, within ten seconds.",
			run: func(t T, target Target) { cutShort(t, target, "trap '' TERM", 0) }},
		{Name: "cancel-early", Demand: "A turn that is cancelled before it starts does not run.", run: cancelEarly},
		{Name: "leftovers", Demand: "A process that the agent leaves behind ends with the turn, and does not keep it from ending.", run: leftovers},
		{Name: "reader-gone", Demand: "A turn whose events nobody takes any more is stopped.", run: readerGone},
		{Name: "orphan", Demand: "When the engine is gone, turns and their processes are gone within two seconds.", process: true, run: orphan},
		{Name: "killed", Demand: "When the plugin is killed its turns' processes are gone within two seconds, and it can be started again.", process: true, run: killed},
		{Name: "shutdown-in-turn", Demand: "Shutdown with a turn in flight ends it, and leaves no process of it.", run: shutdownInTurn},
		{Name: "secrets", Demand: "The prompt, values of variables, the cursor and the broker's bearer are never logged.", run: secrets},
	}
}

// background plays a turn until its agent is ready, and gives back how to wait
// for the end.
func background(ctx context.Context, t T, p *peer, turn transport.Turn) (wait func() error) {
	t.Helper()
	isUp, ended := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var err error
	go func() {
		defer close(ended)
		_, err = p.transport.RunTurn(ctx, turn, func(e transport.Event) error {
			if isReady(e) {
				once.Do(func() { close(isUp) })
			}
			return nil
		})
	}()
	select {
	case <-isUp:
	case <-ended:
		t.Fatalf("the turn ended before its agent was ready: %v", err)
	}
	return func() error {
		<-ended
		return err
	}
}

func cutShort(t T, target Target, trap string, deadline time.Duration) {
	ctx, p := configured(t, target)
	want := context.Canceled
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if deadline > 0 {
		want = context.DeadlineExceeded
		ctx, cancel = context.WithTimeout(ctx, deadline)
		defer cancel()
	}
	turn := newTurn(t, target, lingering(trap))
	wait := background(ctx, t, p, turn)
	begin := time.Now()
	if deadline == 0 {
		cancel()
	}
	if err := wait(); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	if took := time.Since(begin); took > contract.SettleTimeout {
		t.Errorf("the turn ended after %v", took)
	}
	leavesNone(t, turn.Workspace, 0)
}

func cancelEarly(t T, target Target) {
	ctx, p := configured(t, target)
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	turn := newTurn(t, target, "echo x >ran")
	if _, err := p.transport.RunTurn(ctx, turn, func(transport.Event) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func leftovers(t T, target Target) {
	ctx, p := configured(t, target)
	turn := newTurn(t, target, "(sleep 300 & echo $! >"+processFiles+"left); echo done")
	begin := time.Now()
	h, result := play(ctx, t, p, turn)
	if !h.has("done") || result.Outcome != transport.OutcomeCompleted {
		t.Errorf("the result is %v", result)
	}
	if took := time.Since(begin); took > contract.SettleTimeout {
		t.Errorf("the turn ended after %v", took)
	}
	leavesNone(t, turn.Workspace, 0)
}

func readerGone(t T, target Target) {
	ctx, p := configured(t, target)
	turn := newTurn(t, target, lingering(""))
	gone := errors.New("nobody listens")
	_, err := p.transport.RunTurn(ctx, turn, func(e transport.Event) error {
		if isReady(e) {
			return gone
		}
		return nil
	})
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	leavesNone(t, turn.Workspace, 0)
}

func orphan(t T, target Target) {
	ctx, p := configured(t, target)
	turn := newTurn(t, target, lingering("trap '' TERM"))
	wait := background(ctx, t, p, turn)
	p.process.lifeline.Close()
	begin := time.Now()
	if _, err := p.process.ended(orphanTime); err != nil {
		t.Errorf("the plugin: %v", err)
	}
	leavesNone(t, turn.Workspace, orphanTime-time.Since(begin))
	if err := wait(); !errors.Is(err, contract.ErrUnavailable) {
		t.Errorf("the turn ended with %v", err)
	}
}

func killed(t T, target Target) {
	ctx, p := configured(t, target)
	scratch := t.TempDir()
	turn := newTurn(t, target, lingering("trap '' TERM"))
	wait := background(ctx, t, p, turn)
	p.process.signal(t, syscall.SIGKILL)
	if err := wait(); !errors.Is(err, contract.ErrUnavailable) {
		t.Errorf("the turn ended with %v", err)
	}
	leavesNone(t, turn.Workspace, orphanTime)
	again := connect(t, target)
	again.configure(t, target, scratch)
	if h, _ := play(ctx, t, again, newTurn(t, target, "echo back")); !h.has("back") {
		t.Errorf("the plugin does not work after it was killed")
	}
}

func shutdownInTurn(t T, target Target) {
	ctx, p := configured(t, target)
	turn := newTurn(t, target, lingering(""))
	wait := background(ctx, t, p, turn)
	if err := p.plugin.Shutdown(ctx, 2*time.Second); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	leavesNone(t, turn.Workspace, 0)
	if err := wait(); err == nil {
		t.Errorf("the turn ended with a result")
	}
}

func secrets(t T, target Target) {
	const secret = "S3CR3T-cOnf0rmance"
	ctx, p := configured(t, target)
	turn := newTurn(t, target, "exit 1")
	turn.Prompt = secret + " prompt"
	turn.Env = append(turn.Env, transport.EnvVar{Name: "TOKEN", Value: secret + "-value", Secret: true})
	turn.Broker = &transport.Broker{URL: "http://127.0.0.1:1", Bearer: secret + "-bearer"}
	play(ctx, t, p, turn)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := newTurn(t, target, lingering(""))
	stopped.Prompt, stopped.Env = turn.Prompt, turn.Env
	wait := background(ctx, t, p, stopped)
	cancel()
	_ = wait() // how it ends is another case
	if log := p.log.String(); strings.Contains(log, secret) {
		t.Errorf("the log has a secret: %.2000s", log)
	}
}
