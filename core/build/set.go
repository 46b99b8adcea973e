package build

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/crucible-engine/crucible/core/manifest"
)

// Set is what a pack builds before every measurement.
type Set struct {
	Builds []manifest.Build
	// Workspace is where the sources are.
	Workspace string
	// Env is the environment of build commands, as NAME=VALUE.
	Env []string
	// Keychain knows the credentials of registries; nil is the operator's own.
	Keychain authn.Keychain
}

// Outcome is how a build went.
type Outcome struct {
	// OK: everything was built.
	OK bool
	// Component is the one that was not, Output what there is to say about it: the
	// end of what the compiler printed.
	Component, Output string
	// Retries is how often such a candidate goes back to the agent for free.
	Retries uint32
	// Images are the references of what was built, by component, with a digest
	// where the registry tells it.
	Images map[string]string
}

// Needed reports whether there is anything to build.
func (s Set) Needed() bool {
	for _, b := range s.Builds {
		if b.Mode == manifest.BuildLayer || b.Mode == manifest.BuildImage {
			return true
		}
	}
	return false
}

// Build builds the components in the order of the manifest and stops at the first
// that fails. An error means that nothing could be built at all: a registry that
// is not there, or the end of ctx.
func (s Set) Build(ctx context.Context) (Outcome, error) {
	out := Outcome{OK: true, Images: map[string]string{}}
	for _, b := range s.Builds {
		var image, fault string
		var err error
		switch b.Mode {
		case manifest.BuildConfig:
			image = b.Base
		case manifest.BuildLayer:
			image, fault, err = s.layer(ctx, b)
		case manifest.BuildImage:
			image, fault, err = s.image(ctx, b)
		default:
			continue
		}
		if err != nil {
			return Outcome{}, fmt.Errorf("build %s: %w", b.Name, err)
		}
		if fault != "" {
			return Outcome{Component: b.Name, Output: fault, Retries: b.Retries}, nil
		}
		if image != "" {
			out.Images[b.Name] = image
		}
	}
	return out, nil
}

// Variables tell the measure command what was built: CRUCIBLE_IMAGE_NAME, the
// component's name in upper case, with "_" for "-".
func (o Outcome) Variables() []string {
	var env []string
	for name, image := range o.Images {
		env = append(env, "CRUCIBLE_IMAGE_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+image)
	}
	return env
}

func (s Set) keychain() authn.Keychain {
	if s.Keychain == nil {
		return authn.DefaultKeychain
	}
	return s.Keychain
}
