package outputs_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/core/outputs"
)

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
