package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/go-plugin/runner"

	"github.com/crucible-engine/crucible/sdk/proc"
)

var _ runner.Runner = (*process)(nil)

// process runs a plugin for go-plugin: in a group of its own, by the descriptor
// of the checked file, with a pipe for stdin that ends when this program does.
// Unlike go-plugin's own runner it knows at once that a plugin has ended, even
// while a grandchild holds its output open.
type process struct {
	image *image
	// admit is asked before anything is executed. It gives the plugin's
	// environment, apart from what go-plugin adds.
	admit func(context.Context) ([]string, error)
	// dir is private to the run.
	dir       string
	handshake *handshake
	// tail takes all of stderr, before go-plugin does.
	tail io.Writer

	spec   *exec.Cmd // what go-plugin wants: only its environment counts
	stderr *io.PipeReader

	ended chan struct{} // closed by watch

	mu       sync.Mutex
	child    *proc.Process
	lifeline *os.File // our end of the plugin's stdin
	asked    bool     // to end, by us, before it had ended
	over     bool     // it has ended
	exit     proc.Exit
}

// Start executes the plugin.
func (p *process) Start(ctx context.Context) error {
	env, err := p.admit(ctx)
	if err != nil {
		return err
	}
	command, err := p.image.command(p.dir)
	if err != nil {
		return err
	}
	stdin, lifeline, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	stderr, stderrFeed := io.Pipe()
	command.Dir, command.Env = p.dir, append(env, p.spec.Env...)
	command.Lasting = true
	command.Stdin, command.StdoutTo, command.StderrTo = stdin, p.handshake, io.MultiWriter(p.tail, stderrFeed)

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked {
		err = context.Canceled
	} else if err = ctx.Err(); err == nil {
		// The plugin outlives its start: ctx is not its own.
		p.child, err = proc.Start(context.WithoutCancel(ctx), command)
	}
	if err != nil {
		lifeline.Close()
		return executing(command.Path, err)
	}
	p.lifeline, p.stderr = lifeline, stderr
	go p.watch(stderrFeed)
	if err := p.image.unchanged(); err != nil {
		p.abandon()
		return err
	}
	return nil
}

// executing says what could not be executed: a script's interpreter, or the
// plugin itself, whose descriptor tells a person nothing.
func executing(path string, err error) error {
	var refused *proc.StartError
	if !errors.As(err, &refused) {
		return err
	}
	if strings.HasPrefix(path, descriptors) {
		path = "it"
	}
	return fmt.Errorf("execute %s: %w", path, refused.Err)
}

// abandon kills a child that nobody will read from. p.mu is held.
func (p *process) abandon() {
	p.asked = true
	p.child.Kill()
	p.stderr.Close()
	p.handshake.line.Close()
}

// watch waits for the end of the process and ends what go-plugin reads.
func (p *process) watch(stderrFeed *io.PipeWriter) {
	exit, _ := p.child.Wait() // its errors are those of writers that never fail
	p.mu.Lock()
	p.over, p.exit = true, exit
	p.mu.Unlock()
	p.handshake.close()
	stderrFeed.Close()
	p.cut()
	close(p.ended)
}

// cut closes the plugin's stdin, which tells it to end.
func (p *process) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lifeline != nil {
		p.lifeline.Close()
		p.lifeline = nil
	}
}

// kill kills the plugin's group, or keeps it from being started. It may come
// early, late or twice.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.asked = true
	if p.child != nil {
		p.child.Kill()
	}
}

// expect says that from now on the end is our wish.
func (p *process) expect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = p.asked || !p.over
}

// status says how the process ended, and whether it did so by itself; over is
// false for one that runs or was never started.
func (p *process) status() (exit proc.Exit, byItself, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit, p.over && !p.asked, p.over
}

// Wait blocks until the process has ended.
func (p *process) Wait(context.Context) error {
	<-p.ended
	if exit, _, _ := p.status(); !exit.Success() {
		return fmt.Errorf("%s", exit)
	}
	return nil
}

// Kill kills the group.
func (p *process) Kill(context.Context) error {
	p.kill()
	return nil
}

// Stdout is the handshake line.
func (p *process) Stdout() io.ReadCloser { return p.handshake.line }

// Stderr is the plugin's log.
func (p *process) Stderr() io.ReadCloser { return p.stderr }

// Name is the plugin's file name.
func (p *process) Name() string { return p.image.ref.Binary() }

// ID is the process id, empty before the start.
func (p *process) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child == nil {
		return ""
	}
	return strconv.Itoa(p.child.Pid())
}

// Diagnose has nothing to add: the host says what it knows itself.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost keeps a plugin from sending us elsewhere: it serves on a socket in
// the run directory or on the loopback interface.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	switch network {
	case "unix":
		if within(p.dir, filepath.Clean(address)) {
			return network, address, nil
		}
		return "", "", fmt.Errorf("serves on the socket %.200q, which is not in the directory that PLUGIN_UNIX_SOCKET_DIR names", address)
	case "tcp":
		if host, _, err := net.SplitHostPort(address); err == nil {
			if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
				return network, address, nil
			}
		}
	}
	return "", "", fmt.Errorf("serves on %.20q %.200q, want a unix socket or a loopback address", network, address)
}

// HostToPlugin gives the address as it is: both run on one machine.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
