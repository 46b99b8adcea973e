package exposure

import "github.com/crucible-engine/crucible/core/outputs"

// Version is that of the document's format.
const Version = 1

// Document is the exposure of a pack. Its JSON is docs/exposure.schema.json.
type Document struct {
	Version      int          `json:"version"`
	Outputs      []Output     `json:"outputs"`
	Capabilities []Capability `json:"capabilities"`
}

// Output is the bound on one kind of write.
type Output struct {
	Kind  outputs.Kind `json:"kind"`
	Count uint32       `json:"count"`
	// Target is nil for a kind without one, and for one whose every write is
	// refused.
	Target *Target        `json:"target"`
	Source outputs.Source `json:"source"`
}

// Target has exactly one of the two.
type Target struct {
	Fixed string `json:"fixed,omitempty"`
	Open  *Open  `json:"open,omitempty"`
}

// Open is a target that the agent chooses.
type Open struct {
	Scope string  `json:"scope"`
	Param *string `json:"param"`
}

// Capability is a reach that is disclosed. Which fields there are depends on the
// kind; readers keep kinds that they do not know as they are.
type Capability map[string]any

// Kind is the capability's kind.
func (c Capability) Kind() string { return c.text("kind") }

func (c Capability) text(key string) string {
	s, _ := c[key].(string)
	return s
}

// The kinds of capabilities, in the order in which they are listed.
const (
	KindEgress     = "egress"
	KindCredential = "credential"
	KindRelay      = "relay"
	KindBrokerBin  = "broker-bin"
	KindCommands   = "external-commands"
	KindTransport  = "transport"
	KindBinary     = "binary"
	KindReadOnly   = "read-only-path"
	KindDeny       = "egress-deny"
	KindVariable   = "workflow-env"
)

// Undeclared is the reach of a credential that the manifest says nothing about.
const Undeclared = "undeclared"
