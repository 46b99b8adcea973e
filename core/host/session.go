package host

import (
	"context"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	"github.com/crucible-engine/crucible/sdk/proc"
)

// How long a plugin is given to end after it was asked to, before its stdin is
// closed, and before its group is killed.
const (
	cutAfter  = time.Second
	killAfter = 3 * time.Second
	// shutdownSlack is what Shutdown may take beyond its grace.
	shutdownSlack = time.Second
)

// session is one process of a plugin, connected.
type session struct {
	ref     Ref
	number  int // counts the starts of the plugin, from 1
	image   *image
	logger  hclog.Logger
	process *process
	tail    *proc.Capture
	outputs []*lineLogger

	client *goplugin.Client
	conn   *grpc.ClientConn
	rpc    *pluginrpc.Client
	info   plugin.Info
	// granted are the variables of the environment beyond those that all get.
	granted []string

	end  func()        // lets go of the process; see newSession
	gone chan struct{} // closed when nothing of the session is left
}

// protocols are the numbers that this engine offers at the handshake.
func protocols() []int { return []int{contract.Protocol()} }

// newSession prepares a process that lives in dir; admit is that of the process.
func newSession(im *image, dir string, logger hclog.Logger, admit func(context.Context) ([]string, error)) *session {
	s := &session{ref: im.ref, image: im, logger: logger.Named(im.ref.String()), gone: make(chan struct{})}
	s.tail = proc.NewCapture(0, contract.StderrTail)
	output := func(stream string) *lineLogger {
		l := &lineLogger{logger: s.logger, stream: stream}
		s.outputs = append(s.outputs, l)
		return l
	}
	s.process = &process{
		image: im, dir: dir, admit: admit, tail: s.tail, ended: make(chan struct{}),
		handshake: newHandshake(protocols(), output("stdout")),
	}
	versions := map[int]goplugin.PluginSet{}
	for _, number := range protocols() {
		versions[number] = goplugin.PluginSet{}
	}
	s.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: contract.CookieKey, MagicCookieValue: contract.CookieValue},
		VersionedPlugins: versions,
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, _ string) (runner.Runner, error) {
			s.process.spec = spec
			return s.process, nil
		},
		AutoMTLS:            true,
		SkipHostEnv:         true,
		StartTimeout:        time.Hour, // the context of the start ends it earlier
		Logger:              libraryLogger{Logger: logger.Named("host"), plugin: s.logger},
		PluginLogBufferSize: logBuffer,
		SyncStdout:          output("stdout"),
		SyncStderr:          output("stderr"),
		UnixSocketConfig:    &goplugin.UnixSocketConfig{TempDir: dir},
		GRPCDialOptions:     pluginrpc.DialOptions(),
	})
	s.end = sync.OnceFunc(s.letGo)
	return s
}

// connect starts the process and asks it who it is. When it fails the session
// has ended.
func (s *session) connect(ctx context.Context) error {
	// Only its death ends what go-plugin waits for.
	release := context.AfterFunc(ctx, s.process.kill)
	defer release()
	protocol, err := s.client.Client()
	if err == nil {
		s.conn = protocol.(*goplugin.GRPCClient).Conn // no other protocol is allowed
		s.rpc = pluginrpc.NewClient(s.conn, s.peer())
		s.info, err = s.rpc.Describe(ctx)
	}
	if err == nil {
		err = s.checkContract()
	}
	if err != nil {
		s.end()
		close(s.gone)
		return s.explain(ctx, err)
	}
	go s.watch()
	return nil
}

// checkIdentity wants the plugin to be what it was started as.
func (s *session) checkIdentity() error {
	if got := (Ref{s.info.Kind, s.info.Name}); got != s.ref {
		return fmt.Errorf("it says that it is %s", got)
	}
	return nil
}

// watch lets go of the process as soon as it has ended.
func (s *session) watch() {
	defer close(s.gone)
	<-s.process.ended
	if exit, byItself, _ := s.process.status(); byItself && !exit.Success() {
		s.logger.Error("plugin ended", "status", exit.String())
	}
	s.end()
}

// alive reports whether the process runs.
func (s *session) alive() bool {
	select {
	case <-s.process.ended:
		return false
	default:
		return true
	}
}

// peer tells the clients of the plugin's services about its process.
func (s *session) peer() pluginrpc.Peer {
	return pluginrpc.Peer{
		Exited: s.process.ended,
		Err:    func() error { return s.exitError() },
		Stuck: func() {
			s.logger.Error("plugin does not end a cancelled call and is killed")
			s.process.kill()
			<-s.process.ended
		},
	}
}

func (s *session) exitError() *ExitError {
	exit, _, _ := s.process.status()
	return &ExitError{Plugin: s.ref, Status: exit, Tail: s.tail.String()}
}

// stop ends the plugin in order: calls in flight may take grace to end.
func (s *session) stop(grace time.Duration) {
	s.process.expect()
	// A plugin that does not answer loses its process, and with it the call ends.
	timer := time.AfterFunc(grace+shutdownSlack, s.process.kill)
	if err := s.rpc.Shutdown(context.Background(), grace); err != nil && s.alive() {
		s.logger.Debug("shutdown", "error", err.Error())
	}
	timer.Stop()
	s.end()
	<-s.gone
}

// letGo asks the process to end, kills what is left of its group and closes the
// connection.
func (s *session) letGo() {
	s.process.expect()
	cut := time.AfterFunc(cutAfter, s.process.cut)
	kill := time.AfterFunc(killAfter, s.process.kill)
	s.client.Kill()
	cut.Stop()
	kill.Stop()
	if s.process.ID() != "" {
		s.process.kill()
		<-s.process.ended
	}
	for _, output := range s.outputs {
		output.close()
	}
}
