package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// The kinds of plugin.
const (
	KindTransport = "transport"
	KindWorld     = "world"
)

// Info is what a plugin says about itself. The tags are those of the object
// that `--describe` prints.
type Info struct {
	// Kind is one of the kinds. The SDK sets it.
	Kind string `json:"kind"`
	// Name is the NAME of the binary crucible-KIND-NAME: lower-case letters,
	// digits and dashes, at most 40 of them, a letter first.
	Name string `json:"name"`
	// Version is the plugin's own, semver without a leading v. A pre-release is fine.
	Version string `json:"version"`
	// Contract is the contract version the plugin was built against. The SDK sets it.
	Contract string `json:"contract"`
	// Features are the optional abilities, in the vocabulary of the kind.
	Features []string `json:"features"`
	// NeedsEnv names environment variables that the plugin would like to find in
	// its own environment; the operator decides.
	NeedsEnv []string `json:"needs_env"`
}

// Has reports whether the plugin has a feature.
func (i Info) Has(feature string) bool { return slices.Contains(i.Features, feature) }

// maxInfo bounds the object that `--describe` prints, and maxList its lists.
const (
	maxInfo = 64 << 10
	maxList = 64
)

// ReadInfo reads the object that `--describe` prints, at most 64 KiB of it.
// Keys that are not known are ignored: the plugin may be newer than its reader.
func ReadInfo(r io.Reader) (Info, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInfo+1))
	switch {
	case err != nil:
		return Info{}, fmt.Errorf("read the plugin's description: %w", err)
	case len(text) > maxInfo:
		return Info{}, fmt.Errorf("read the plugin's description: longer than %d bytes", maxInfo)
	}
	var i Info
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&i); err != nil {
		return Info{}, fmt.Errorf("read the plugin's description: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Info{}, errors.New("read the plugin's description: more than one JSON object")
	}
	return i, i.Validate()
}

// Write prints what ReadInfo reads: one line.
func (i Info) Write(w io.Writer) error {
	i.Features = append([]string{}, i.Features...)
	i.NeedsEnv = append([]string{}, i.NeedsEnv...)
	return json.NewEncoder(w).Encode(i)
}

// rule is the form of a field. The length is apart from the pattern: counted
// repetitions cost every plugin's start.
type rule struct {
	pattern *regexp.Regexp
	max     int // bytes
}

func (r rule) MatchString(s string) bool { return len(s) <= r.max && r.pattern.MatchString(s) }

var (
	nameRule    = rule{regexp.MustCompile(`^[a-z][a-z0-9-]*$`), 40}
	versionRule = rule{regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)([-+][0-9A-Za-z.+-]+)?$`), 110}
	featureRule = rule{regexp.MustCompile(`^[a-z][a-z0-9._-]*$`), 64}
	envRule     = rule{regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`), 128}
)

// Validate checks the form of every field. Kinds and features that are not
// known pass: they may be newer.
func (i Info) Validate() error {
	bad := func(field, value, want string) error {
		return &contract.Error{
			Kind: contract.KindInvalid, Op: "describe plugin", Subject: field,
			Message: fmt.Sprintf("%.100q: want %s", value, want),
		}
	}
	if !nameRule.MatchString(i.Kind) {
		return bad("kind", i.Kind, "transport or world")
	}
	if !nameRule.MatchString(i.Name) {
		return bad("name", i.Name, "lower-case letters, digits and dashes, a letter first, at most 40")
	}
	if !versionRule.MatchString(i.Version) {
		return bad("version", i.Version, "MAJOR.MINOR.PATCH")
	}
	if _, err := contract.ParseSemver(i.Contract); err != nil {
		return bad("contract", i.Contract, "MAJOR.MINOR.PATCH")
	}
	if len(i.Features) > maxList || len(i.NeedsEnv) > maxList {
		return bad("features or needs_env", fmt.Sprint(max(len(i.Features), len(i.NeedsEnv))), fmt.Sprintf("at most %d entries", maxList))
	}
	for _, f := range i.Features {
		if !featureRule.MatchString(f) {
			return bad("features", f, "lower-case letters, digits, dots and dashes")
		}
	}
	for _, n := range i.NeedsEnv {
		if !envRule.MatchString(n) {
			return bad("needs_env", n, "a name of an environment variable")
		}
	}
	return nil
}
