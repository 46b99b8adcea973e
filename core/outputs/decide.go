package outputs

import "fmt"

// Violation is a write that a bound does not let through (C-OUTPUTS).
type Violation struct {
	Kind Kind
	// Bound names the key of the manifest that the write goes against, as the
	// session log has it: "[outputs.draft-pr].target = o/r".
	Bound string
	// Detail is a sentence for whoever asked.
	Detail string
}

func (v *Violation) Error() string { return v.Detail }

func violation(k Kind, key, detail string, args ...any) *Violation {
	bound := fmt.Sprintf("[outputs.%s].%s", k, key)
	return &Violation{Kind: k, Bound: bound, Detail: fmt.Sprintf("%s: ", k) + fmt.Sprintf(detail, args...) + " (" + bound + ")"}
}

// Aim decides where a write goes. The agent's wish, empty when it has none, is
// followed only within the bound. params are the parameters of the run. A kind
// that addresses nothing has the empty target.
func (b Bound) Aim(wish string, params map[string]string) (string, *Violation) {
	t := b.Target
	within := t.Fixed + t.Scope // one of them is empty
	switch {
	case !b.Kind.Addresses():
		return "", nil
	case t.None():
		return "", violation(b.Kind, "target", "no target is declared, so every write is refused")
	case t.Param != "":
		return b.aimAtParam(wish, params)
	case wish == "" && t.Open():
		return "", violation(b.Kind, "target = "+within, "the target is open: name one within %s", within)
	case wish == "" && wild(within):
		return "", violation(b.Kind, "target = "+within, "the target stands for several: name one within %s", within)
	case wish == "":
		return within, nil
	}
	if target, ok := admit(b.Kind, within, wish); ok {
		return target, nil
	}
	if t.Open() {
		return "", violation(b.Kind, "target = "+within, "%.80q is outside the scope %s", wish, within)
	}
	return "", violation(b.Kind, "target = "+within, "%.80q is not the target %s", wish, within)
}

// aimAtParam allows the value of the parameter alone, and of an image a tag or a
// digest in the very repository.
func (b Bound) aimAtParam(wish string, params map[string]string) (string, *Violation) {
	t, value := b.Target, params[b.Target.Param]
	if value == "" {
		return "", violation(b.Kind, "target.open.param = "+t.Param, "the run has no value for the parameter %s", t.Param)
	}
	target, ok := admit(b.Kind, t.Scope, value)
	switch {
	case !ok:
		return "", violation(b.Kind, "target = "+t.Scope, "the parameter %s is %.80q, which is outside the scope %s", t.Param, value, t.Scope)
	case wish == "" || equal(b.Kind, wish, target):
		return target, nil
	case CheckWish(b.Kind, wish) == nil && extends(b.Kind, target, wish, ":@"):
		return normal(b.Kind, wish), nil
	default:
		return "", violation(b.Kind, "target = "+target, "%.80q is not the target %s that the parameter %s gives", wish, target, t.Param)
	}
}

// CheckParams finds the bounds that the parameters of a run go against, before
// anything is written: a bound parameter that has no value, or one outside the
// scope.
func CheckParams(bounds []Bound, params map[string]string) []*Violation {
	var out []*Violation
	for _, b := range bounds {
		if b.Target.Param == "" || b.Count == 0 {
			continue
		}
		if _, v := b.aimAtParam("", params); v != nil {
			out = append(out, v)
		}
	}
	return out
}
