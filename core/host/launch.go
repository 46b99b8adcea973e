package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	"github.com/crucible-engine/crucible/sdk/proc"
)

const (
	describeTimeout = 5 * time.Second
	maxDescription  = 64 << 10 // bytes that --describe may print
)

// start launches a binary and configures it. It takes at most the start time-out.
func (h *Host) start(ctx context.Context, im *image, lock *lockFile) (*session, error) {
	return h.startWith(ctx, im, lock, h.configure)
}

// startWith launches a binary, which must be what it was started as, and lets
// prepare do the rest.
func (h *Host) startWith(ctx context.Context, im *image, lock *lockFile, prepare func(context.Context, *session) error) (*session, error) {
	ctx, cancel := h.withStartTimeout(ctx)
	defer cancel()
	s, err := h.launch(ctx, im, lock)
	if err != nil {
		return nil, err
	}
	// A plugin that does not answer in time loses its process, and so the call.
	release := context.AfterFunc(ctx, s.process.kill)
	defer release()
	if err = s.checkIdentity(); err == nil {
		err = prepare(ctx, s)
	}
	if err != nil {
		s.end()
		<-s.gone
		return nil, s.explain(ctx, err)
	}
	im.beginHash()
	return s, nil
}

func (h *Host) withStartTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := h.options.StartTimeout
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("it was not ready within %s", limit))
}

// launch starts a process of a binary and learns who it is. Configuring it is
// the caller's, and so is ending the session.
func (h *Host) launch(ctx context.Context, im *image, lock *lockFile) (*session, error) {
	dir, err := h.workDir()
	if err != nil {
		return nil, err
	}
	var granted []string
	s := newSession(im, dir, h.logger, func(ctx context.Context) (env []string, err error) {
		granted, err = h.admit(ctx, im, lock)
		return pluginEnv(h.options.Getenv, granted), err
	})
	err = s.connect(ctx)
	s.granted = granted
	if err == nil {
		return s, nil
	}
	// The handshake tells only a number; the plugin itself may say more.
	var version *VersionError
	if errors.As(err, &version) && version.Plugin == "" {
		if info, describeErr := h.describe(ctx, im, lock); describeErr == nil {
			version.Plugin, version.Contract = info.Version, info.Contract
		}
	}
	return nil, err
}

// admit decides whether a binary may be executed, and which variables of the
// environment it is granted. It waits for the hash only where the answer depends
// on it: one that is trusted as named is hashed for the record, while it runs.
func (h *Host) admit(ctx context.Context, im *image, lock *lockFile) ([]string, error) {
	if im.origin != FromStandard && !lock.mentions(im.ref) {
		return nil, nil
	}
	sum, err := im.digest(ctx)
	if err != nil {
		return nil, err
	}
	entry, err := lock.judge(im.ref, im.resolved, sum, im.origin)
	if err != nil || entry == nil {
		return nil, err
	}
	return entry.Env, nil
}

func (h *Host) configure(ctx context.Context, s *session) error {
	scratch, err := h.scratch(s.ref)
	if err != nil {
		return err
	}
	return s.rpc.Configure(ctx, pluginrpc.Setup{
		RunID: h.options.RunID, ScratchDir: scratch, LogLevel: logLevel(h.logger),
	})
}

// scratch is the directory that a plugin may keep files in.
func (h *Host) scratch(ref Ref) (string, error) {
	name := ref.Kind + "-" + ref.Name
	if h.options.Scratch != nil {
		return h.options.Scratch(name)
	}
	dir, err := h.workDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "scratch-"+name)
	return path, os.MkdirAll(path, 0o700)
}

// logLevel is the level that a plugin need not log below.
func logLevel(logger hclog.Logger) string {
	switch level := logger.GetLevel(); level {
	case hclog.NoLevel:
		return hclog.Info.String()
	case hclog.Off:
		return hclog.Error.String()
	default:
		return level.String()
	}
}

// describe asks a binary who it is without starting it as a plugin. A plugin
// need not support that.
func (h *Host) describe(ctx context.Context, im *image, lock *lockFile) (plugin.Info, error) {
	dir, err := h.workDir()
	if err != nil {
		return plugin.Info{}, err
	}
	granted, err := h.admit(ctx, im, lock)
	if err != nil {
		return plugin.Info{}, err
	}
	command, err := im.command(dir)
	if err != nil {
		return plugin.Info{}, err
	}
	out, tail := proc.NewCapture(maxDescription+1, 0), proc.NewCapture(0, contract.StderrTail)
	command.Args = append(command.Args, contract.DescribeFlag)
	command.Dir, command.Env = dir, pluginEnv(h.options.Getenv, granted)
	command.Timeout, command.Grace = describeTimeout, -1
	command.StdoutTo, command.StderrTo = out, tail
	exit, err := proc.Run(ctx, command)
	if err == nil && !exit.Success() {
		err = errors.New(exit.String())
	}
	var info plugin.Info
	if err == nil {
		info, err = plugin.ReadInfo(bytes.NewReader(out.Bytes()))
	}
	if err != nil {
		return plugin.Info{}, &StartError{Ref: im.ref, Path: im.path, Err: fmt.Errorf("%s: %w", contract.DescribeFlag, err), Tail: tail.String()}
	}
	return info, nil
}
