package manifest

import (
	"regexp"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/core/diag"
)

// BuildMode is what lies between the agent's edit and the measurement
// (C-BUILD-MODE).
type BuildMode string

// The modes.
const (
	BuildNone   BuildMode = "none"         // compiled and run in place, or not compiled at all
	BuildConfig BuildMode = "config"       // an artifact that is there already is configured
	BuildLayer  BuildMode = "derive-layer" // sources are appended to an image as a layer
	BuildImage  BuildMode = "image"        // an image is built
)

// Build is how one component is built ([build.NAME]).
type Build struct {
	Name string
	Mode BuildMode
	// Base is the image that sources are appended to, or that is configured.
	Base string
	// Target is where the image goes.
	Target string
	// Sources are paths of the workspace, with forward slashes: what becomes the
	// layer. Prefix is the directory in the image that they are put under.
	Sources []string
	Prefix  string
	// Containerfile is the recipe: a path of the workspace. It is part of the
	// judge, so it has to be a frozen inject.
	Containerfile string
	// Command builds the image; it runs in the workspace.
	Command string
	// Timeout bounds the build, 30 minutes when the manifest does not say.
	Timeout time.Duration
	// Retries is how often a build that does not compile goes back to the agent
	// without costing an iteration.
	Retries uint32
	// Dispatch is the repository whose workflow builds, empty for none. Its
	// Workflow is the name of a file, empty when the manifest does not say; Ref is
	// the branch, "main" when it does not.
	Dispatch, Workflow, Ref string
}

const (
	defaultBuildTimeout = 30 * time.Minute
	defaultRetries      = 3
	defaultRef          = "main"
	maxRetries          = 100
)

// needs are the keys that a mode has to have, and those that it may have.
func (m BuildMode) needs() (must, may []string) {
	switch m {
	case BuildConfig:
		return nil, []string{"base"}
	case BuildLayer:
		return []string{"base", "target", "sources"}, []string{"prefix", "timeout"}
	case BuildImage:
		return []string{"target", "containerfile", "command"}, []string{"timeout", "retries"}
	default:
		return nil, nil
	}
}

// build reads one table of [build].
func (p *pack) build(component string, t value) {
	b := Build{Name: component, Timeout: defaultBuildTimeout, Retries: defaultRetries, Prefix: "/"}
	var mode string
	if !shortName(component) {
		t.doc.fault(t.key, t.path, shortNameHint, "%s cannot name a component", diag.Quote(component, shown))
	}
	fields := []field{
		choice("mode", &mode, string(BuildNone), string(BuildConfig), string(BuildLayer), string(BuildImage)),
		word("base", &b.Base), word("target", &b.Target), word("prefix", &b.Prefix), text("command", &b.Command),
		workspacePaths("sources", &b.Sources), workspacePath("containerfile", &b.Containerfile),
		buildTimeout(&b.Timeout), number("retries", &b.Retries, 0, maxRetries),
		table("github", func(v value) { b.dispatch(v) }),
	}
	t.read(append(fields, refused("backend", "cluster", "image", "needs", "watch")...)...)
	b.Mode = BuildMode(mode)
	switch {
	case t.has("mode"):
		b.check(t)
	case !t.has("github"):
		t.missing("mode", `write mode = "none", "config", "derive-layer" or "image"`)
	}
	p.m.Builds = append(p.m.Builds, b)
}

// buildTimeout is a time limit that has a default.
func buildTimeout(to *time.Duration) field {
	return limit("timeout", to, "leave it out for 30 minutes")
}

// dispatch reads [build.NAME.github]. Its repository is the default target of
// workflow-dispatch.
func (b *Build) dispatch(t value) {
	b.Ref = defaultRef
	t.read(append([]field{word("repo", &b.Dispatch), word("workflow", &b.Workflow), word("ref", &b.Ref)}, refused("inputs", "outputs", "correlation")...)...)
	if !workflowFile(b.Workflow) {
		t.at("workflow").fault(`write "build.yml"`, "%s is not the name of a workflow's file", diag.Quote(b.Workflow, shown))
	}
	if b.Dispatch == "" {
		if blank(t, "repo") {
			t.missing("repo", "it is the repository whose workflow builds")
		}
		return
	}
	checkRepository(t.at("repo"), b.Dispatch)
}

// workflowFile reports whether a name is that of a YAML file without a directory.
func workflowFile(s string) bool {
	ok, err := regexp.MatchString(`^([A-Za-z0-9._-]+\.ya?ml)?$`, s)
	return err == nil && ok
}

// workspacePath is a key that holds a path of the workspace.
func workspacePath(key string, to *string) field {
	return field{name: key, read: func(v value) {
		var s string
		word(key, &s).read(v)
		if s != "" {
			*to = cleanDestination(v, s)
		}
	}}
}

func workspacePaths(key string, to *[]string) field {
	return list(key, func(v value, s string) {
		if clean := cleanDestination(v, s); clean != "" {
			*to = append(*to, clean)
		}
	})
}

// cleanDestination is a path of the workspace in its one form, empty when it
// leads out.
func cleanDestination(v value, s string) string {
	clean, problem := destination(strings.TrimRight(s, "/"))
	if problem != "" {
		v.fault("", "%s: %s", diag.Quote(s, shown), problem)
		return ""
	}
	return clean
}
