package host

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/crucible-engine/crucible/sdk/plugin"
)

const (
	// maxRestarts is how often a plugin is started again in one run.
	maxRestarts = 3
	// restartPause is the pause before the first restart; it doubles each time.
	restartPause = 100 * time.Millisecond
)

// supervisor keeps one plugin running: it starts it on first use, once for all
// who ask at the same time, and again when it has died.
type supervisor struct {
	host *Host
	ref  Ref

	mu      sync.Mutex
	closed  bool
	image   *image // of the first start; restarts execute the same file
	session *session
	attempt *attempt
	starts  int
	last    error // how the last start or process ended
	info    plugin.Info
}

// attempt is a start under way. Its results are set before done is closed.
type attempt struct {
	cancel  context.CancelFunc
	done    chan struct{}
	session *session
	err     error
}

// ensure gives a session whose process runs. When ctx ends first, the start
// goes on for the others who wait and for later calls.
func (s *supervisor) ensure(ctx context.Context) (*session, error) {
	s.mu.Lock()
	if s.session != nil && s.session.alive() {
		defer s.mu.Unlock()
		return s.session, nil
	}
	a, err := s.begin()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-a.done:
		return a.session, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// running reports whether there is a process, or one is being started.
func (s *supervisor) running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attempt != nil || s.session != nil && s.session.alive()
}

// holding is the session with this number if its process runs, else nil and the
// end of the last one, as far as it is known.
func (s *supervisor) holding(number int) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.session == nil:
		return nil, s.last
	case !s.session.alive():
		return nil, s.session.exitError()
	case s.session.number != number:
		return nil, s.last
	default:
		return s.session, nil
	}
}

// call makes one call to the plugin, in a context that ends with the host.
func (s *supervisor) call(ctx context.Context, session *session, do func(context.Context, *session) error) error {
	bound, release, err := s.host.calls.bind(ctx)
	if err != nil {
		return err
	}
	defer release()
	err = do(bound, session)
	if err != nil && ctx.Err() == nil && bound.Err() != nil {
		return ErrClosed
	}
	return err
}

// begin joins the start under way or begins one. s.mu is held.
func (s *supervisor) begin() (*attempt, error) {
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.attempt != nil:
		return s.attempt, nil
	}
	if s.session != nil {
		s.last = s.session.exitError()
	}
	if s.starts > maxRestarts {
		return nil, &RestartError{Plugin: s.ref, Starts: s.starts, Last: s.last}
	}
	// The start serves whoever asks, so it ends with the host and not with ctx.
	ctx, cancel := context.WithCancel(context.Background())
	s.attempt = &attempt{cancel: cancel, done: make(chan struct{})}
	go s.run(ctx, s.attempt, s.session, s.starts)
	s.starts++
	s.session = nil
	return s.attempt, nil
}

// run makes one start. stop waits for it.
func (s *supervisor) run(ctx context.Context, a *attempt, old *session, starts int) {
	defer close(a.done)
	defer a.cancel()
	if old != nil {
		<-old.gone
	}
	a.err = pause(ctx, starts)
	if a.err == nil {
		a.session, a.err = s.start(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempt, s.session = nil, a.session
	if a.err != nil {
		s.last = a.err
		if s.closed {
			a.err = ErrClosed
		}
	}
}

// pause waits a little before a restart, so that a plugin that dies at once does
// not die three times within a moment.
func pause(ctx context.Context, starts int) error {
	if starts == 0 {
		return nil
	}
	timer := time.NewTimer(restartPause << (starts - 1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// start starts the plugin's process and keeps what is known of it.
func (s *supervisor) start(ctx context.Context) (*session, error) {
	lock, err := readLockFile(lockFilePath(s.host.options.Getenv))
	if err != nil {
		return nil, err
	}
	im, err := s.open()
	if err != nil {
		return nil, err
	}
	session, err := s.host.start(ctx, im, lock)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if s.info.Kind == "" { // the file never ran: the next start looks for it anew
			im.Close()
			s.image = nil
		}
		return nil, err
	}
	s.info, session.number = session.info, s.starts
	s.note(session)
	return session, nil
}

// open finds and opens the plugin's binary, the first time.
func (s *supervisor) open() (*image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.image != nil {
		return s.image, nil
	}
	found, err := s.host.finder.find(s.ref)
	if err != nil {
		return nil, err
	}
	s.image, err = s.host.finder.openImage(found)
	return s.image, err
}

// note logs what is started, and what the operator should know about it.
func (s *supervisor) note(session *session) {
	logger, im := session.logger, session.image
	logger.Info("plugin started", "version", session.info.Version, "pid", session.process.ID(), "path", im.path)
	if im.origin == FromFlag {
		logger.Warn("plugin named by --plugin is in use", "path", im.path)
	}
	if names := s.withheld(session); len(names) > 0 {
		logger.Info("plugin asks for environment variables that are set and not granted", "names", strings.Join(names, " "), "grant", "crucible plugin trust "+im.path)
	}
}

// withheld lists the variables that the plugin would like to have, that are set
// here, and that it does not get.
func (s *supervisor) withheld(session *session) []string {
	return slices.DeleteFunc(ungranted(session.info.NeedsEnv, session.granted), func(name string) bool {
		return s.host.options.Getenv(name) == ""
	})
}

// used describes the plugin once it has been started. It waits for the hash.
func (s *supervisor) used() (Used, bool) {
	s.mu.Lock()
	info, im := s.info, s.image
	s.mu.Unlock()
	if info.Kind == "" {
		return Used{}, false
	}
	sum, err := im.digest(context.Background()) // Close gives it up
	if err != nil {
		s.host.logger.Error("plugin has no hash for the record", "plugin", s.ref.String(), "error", err.Error())
	}
	return Used{Info: info, Path: im.path, SHA256: sum, Origin: im.origin}, true
}

// stop ends the plugin and keeps it from being started again.
func (s *supervisor) stop() {
	s.mu.Lock()
	s.closed = true
	a := s.attempt
	s.mu.Unlock()
	if a != nil {
		a.cancel()
		<-a.done
	}
	s.mu.Lock()
	session, im := s.session, s.image
	s.mu.Unlock()
	if session != nil {
		session.stop(s.host.options.ShutdownGrace)
	}
	if im != nil {
		im.Close()
	}
}
