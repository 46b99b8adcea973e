package build

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/sdk/proc"
)

// Bounds on what is kept of a compiler's output, in bytes: how it began, which is
// where the first error is, and how it ended.
const (
	outputHead = 8 << 10
	outputTail = 24 << 10
)

// image runs the build command, whose failure is the candidate's.
func (s Set) image(ctx context.Context, b manifest.Build) (image, fault string, err error) {
	output := proc.NewCapture(outputHead, outputTail)
	c := proc.Shell(b.Command)
	c.Dir, c.Timeout = s.Workspace, b.Timeout
	c.Env = append(slices.Clone(s.Env), "CRUCIBLE_BUILD_TARGET="+b.Target, "CRUCIBLE_BUILD_CONTAINERFILE="+b.Containerfile)
	c.StdoutTo, c.StderrTo = output, output
	exit, err := proc.Run(ctx, c)
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case err != nil:
		return "", "", err
	case exit.TimedOut:
		return "", fmt.Sprintf("the build was not done after %v\n%s", b.Timeout, output.String()), nil
	case !exit.Success():
		return "", fmt.Sprintf("%s\n%s", exit, output.String()), nil
	}
	return s.pinned(ctx, b.Target), "", nil
}

// pinned is a reference with the digest that its registry has for it, or as it
// is: not every build command pushes.
func (s Set) pinned(ctx context.Context, image string) string {
	ref, err := name.ParseReference(image)
	if err != nil {
		return image
	}
	found, err := remote.Head(ref, remote.WithContext(ctx), remote.WithAuthFromKeychain(s.keychain()))
	if err != nil {
		return image
	}
	return ref.Context().Digest(found.Digest.String()).String()
}
