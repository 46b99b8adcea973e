package outputs_test

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/core/outputs"
)

// Whatever an agent wishes for, what it gets stays where the bound says and means
// nothing to a URL or a shell.
func TestHostileWishes(t *testing.T) {
	t.Parallel()
	safe := regexp.MustCompile(`^[A-Za-z0-9._:/@-]+$`)
	pieces := []string{"o", "h", "AB", "ns", "x", "/", "/", ":", "@", "-", ".", "..", "%2e", "?", "#", "*", "\\", " ", "1", ";", "é"}
	for _, c := range []struct {
		kind          outputs.Kind
		scope, prefix string
	}{
		{outputs.DraftPR, "o/*", "o/"}, {outputs.TrackerComment, "AB-*", "AB-"}, {outputs.Deploy, "ns/*", "ns/"},
		{outputs.ImagePush, "h/x", "h/x"}, {outputs.ImagePush, "h/x/*", "h/x/"},
	} {
		rapid.Check(t, func(t *rapid.T) {
			wish := c.prefix + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(t, "wish"), "")
			b := outputs.Bound{Kind: c.kind, Count: 1, Target: outputs.Target{Scope: c.scope}}
			target, v := b.Aim(wish, nil)
			if v != nil {
				return
			}
			if !safe.MatchString(target) || path.Clean("/"+target) != "/"+target || !strings.HasPrefix(target, c.prefix) {
				t.Fatalf("%s lets %q through as %q", c.scope, wish, target)
			}
		})
	}
}

// A scope with wildcards lets through what the regular expression of the same
// meaning does.
func TestScopeModel(t *testing.T) {
	t.Parallel()
	for kind, star := range map[outputs.Kind]string{outputs.DraftPR: "[^/]*", outputs.ImagePush: ".*"} {
		rapid.Check(t, func(t *rapid.T) {
			tail := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*", "-"}), 1, 6).Draw(t, "scope"), "")
			wish := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "-", "/"}), 1, 8).Draw(t, "wish"), "")
			anchor := "o/"
			if kind == outputs.ImagePush {
				anchor = "h/o/"
			}
			scope, wish := anchor+tail, anchor+wish
			if outputs.CheckTarget(kind, scope) != nil || outputs.CheckWish(kind, wish) != nil {
				return
			}
			want := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(scope), `\*`, star) + "$").MatchString(wish)
			if !strings.Contains(scope, "*") && kind == outputs.ImagePush {
				want = want || strings.HasPrefix(wish, scope+"/")
			}
			b := outputs.Bound{Kind: kind, Count: 1, Target: outputs.Target{Scope: scope}}
			if _, v := b.Aim(wish, nil); (v == nil) != want {
				t.Fatalf("%s lets %s through: %v", scope, wish, v == nil)
			}
		})
	}
}
