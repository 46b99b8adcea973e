package host

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/crucible-engine/crucible/sdk/plugin"
)

// maxProbes is how many binaries List asks at the same time.
const maxProbes = 4

// Status says whether a plugin that was found can be used.
type Status string

// The statuses.
const (
	StatusOK Status = "ok"
	// StatusUntrusted and StatusChanged are binaries that the operator does not
	// trust, never or not any more. They are not executed, so that all that is
	// known of them is their name and their hash.
	StatusUntrusted Status = "untrusted"
	StatusChanged   Status = "changed"
	// StatusTooNew and StatusTooOld are plugins that speak another contract.
	StatusTooNew Status = "too-new"
	StatusTooOld Status = "too-old"
	// StatusWrongKind is a plugin that is not what its file name says.
	StatusWrongKind Status = "wrong-kind"
	// StatusBroken is a binary that breaks a rule or does not answer.
	StatusBroken Status = "broken"
)

// Listed is one plugin of a list.
type Listed struct {
	Ref Ref
	// Info is what the plugin says about itself, the zero value when it was not
	// asked or did not answer.
	Info   plugin.Info
	Status Status
	// Reason says more about a status other than StatusOK.
	Reason string
	// SHA256 is empty when the file could not be read.
	SHA256 string
	Path   string
	Origin Origin
}

// List looks at every plugin that can be found, sorted by kind and name. Where
// several files have one name it shows the one that a run would use.
func (h *Host) List(ctx context.Context) ([]Listed, error) {
	lock, err := readLockFile(lockFilePath(h.options.Getenv))
	if err != nil {
		return nil, err
	}
	found := h.finder.all()
	listed := make([]Listed, len(found))
	free := make(chan struct{}, maxProbes)
	var group sync.WaitGroup
	for i, c := range found {
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			listed[i] = h.look(ctx, c, lock)
		})
	}
	group.Wait()
	slices.SortFunc(listed, func(a, b Listed) int { return strings.Compare(a.Ref.String(), b.Ref.String()) })
	return listed, ctx.Err()
}

// look finds out what can be said about one binary.
func (h *Host) look(ctx context.Context, c candidate, lock *lockFile) Listed {
	l := Listed{Ref: c.ref, Path: c.path, Origin: c.origin, Status: StatusOK}
	im, err := h.finder.openImage(c)
	if err == nil {
		defer im.Close()
		l.SHA256, err = im.digest(ctx)
	}
	if err == nil {
		_, err = lock.judge(c.ref, im.resolved, l.SHA256, c.origin)
	}
	if err == nil {
		l.Info, err = h.identify(ctx, im, lock)
	}
	if err == nil {
		err = checkContract(im, l.Info)
	}
	if err != nil {
		l.Status, l.Reason = statusOf(err), reasonOf(err)
		return l
	}
	if got := (Ref{l.Info.Kind, l.Info.Name}); got != c.ref {
		l.Status, l.Reason = StatusWrongKind, "it says that it is "+got.String()
	}
	return l
}

func statusOf(err error) Status {
	var trust *TrustError
	var version *VersionError
	switch {
	case errors.As(err, &trust) && trust.Changed():
		return StatusChanged
	case errors.As(err, &trust):
		return StatusUntrusted
	case errors.As(err, &version) && version.Newer:
		return StatusTooNew
	case errors.As(err, &version):
		return StatusTooOld
	default:
		return StatusBroken
	}
}

// reasonOf is the text of an error without the plugin and its path, which the
// list shows anyway.
func reasonOf(err error) string {
	var short interface{ why() string }
	if errors.As(err, &short) {
		return short.why()
	}
	return err.Error()
}

// identify learns who a plugin is: by --describe, and where that is not
// supported by starting it. The error is that of the start.
func (h *Host) identify(ctx context.Context, im *image, lock *lockFile) (plugin.Info, error) {
	if info, err := h.describe(ctx, im, lock); err == nil {
		return info, nil
	}
	ctx, cancel := h.withStartTimeout(ctx)
	defer cancel()
	s, err := h.launch(ctx, im, lock)
	if err != nil {
		return plugin.Info{}, err
	}
	s.stop(0)
	return s.info, nil
}
