package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/crucible-engine/crucible/sdk/plugin"
)

// checkTimeout bounds the look that a plugin takes at the machine.
const checkTimeout = time.Minute

// Checked is what a plugin found when it looked at itself and at the machine.
type Checked struct {
	// Info is what the plugin said about itself.
	Info plugin.Info
	// Path is where it was found.
	Path        string
	Diagnostics []plugin.Diagnostic
	// Facts are for people: "cli version" to "2.1.0".
	Facts map[string]string
}

// Failed reports whether there is an error among the diagnostics.
func (c Checked) Failed() bool { return plugin.Err(c.Diagnostics) != nil }

// Check starts a plugin of its own, lets it validate empty settings and look at
// the machine, and ends it.
func (h *Host) Check(ctx context.Context, ref Ref) (Checked, error) {
	lock, err := readLockFile(lockFilePath(h.options.Getenv))
	if err != nil {
		return Checked{}, err
	}
	found, err := h.finder.find(ref)
	if err != nil {
		return Checked{}, err
	}
	im, err := h.finder.openImage(found)
	if err != nil {
		return Checked{}, err
	}
	defer im.Close()
	checked := Checked{Path: im.path}
	s, err := h.startWith(ctx, im, lock, func(ctx context.Context, s *session) (err error) {
		checked.Info = s.info
		checked.Diagnostics, err = s.rpc.Validate(ctx, nil)
		if err != nil || checked.Failed() {
			return err
		}
		return h.configure(ctx, s)
	})
	if err != nil {
		return checked, err
	}
	defer s.stop(h.options.ShutdownGrace)
	if checked.Failed() {
		return checked, nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	report, err := s.rpc.Check(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("check plugin %s: it did not answer within %s", ref, checkTimeout)
	}
	checked.Diagnostics = append(checked.Diagnostics, report.Diagnostics...)
	checked.Facts = report.Facts
	return checked, err
}
