package outputs

import "fmt"

// Target is where writes go. At most one of Fixed and Scope is set; none means
// that every write is refused, or for a kind that addresses nothing, nothing.
type Target struct {
	// Fixed is the one target, or with "*" in it all that it stands for.
	Fixed string
	// Scope admits the targets that an agent may choose from.
	Scope string
	// Param, with a Scope, names the workflow parameter whose value is the one
	// target that a run may choose.
	Param string
}

// Open reports whether the agent has a choice.
func (t Target) Open() bool { return t.Scope != "" }

// None reports whether there is no target at all.
func (t Target) None() bool { return t.Fixed == "" && t.Scope == "" }

// Source says where a bound comes from.
type Source string

// The sources, as the exposure spells them.
const (
	FromManifest Source = "manifest"
	FromEngine   Source = "engine-default"
)

// Bound limits the writes of one kind in one run.
type Bound struct {
	Kind Kind
	// Count is the most writes; 0 switches the kind off.
	Count  uint32
	Target Target
	Source Source
}

// String is the bound as people read it.
func (b Bound) String() string {
	return fmt.Sprintf("%-17s %4d  %s (%s)", b.Kind, b.Count, b.where(), b.Source)
}

func (b Bound) where() string {
	switch t := b.Target; {
	case !b.Kind.Addresses():
		return "addresses nothing"
	case t.Param != "":
		return fmt.Sprintf("open target within %s, bound to param %s", t.Scope, t.Param)
	case t.Open():
		return "open target within " + t.Scope
	case t.None():
		return "NO TARGET (every write refused)"
	default:
		return "target " + t.Fixed
	}
}

// Declaration is what a manifest says about the kinds that it names.
type Declaration map[Kind]Bound
