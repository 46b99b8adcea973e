package outputs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/outputs"
)

func TestCheckTarget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind outputs.Kind
		good string
		bad  string
	}{
		{outputs.DraftPR, "o/r o/* o/r-* O/R.js o_x/r", "o /r o/ */r * ** o/r/s o*/r *.* *a* o/.. o/. ../r o/r?x o/r#1 o/%2e o/r\\ o/é"},
		{outputs.WorkflowDispatch, "o/r", "o */* o/.."},
		{outputs.TrackerComment, "PROJ-1 PROJ-* PROJ-1* 4711 o/my-repo#12 a.b", "* *-* P*-1 -1 PROJ- PROJ-1? ../x o/../x o//x /x x/ PROJ-*/x o/my-* a%b a:b"},
		{outputs.ChatMessage, "operator-channel #perf #性能 @user", "#* * a\u202eb a\u200bb a\xffb"},
		{outputs.ImagePush, "quay.io/x quay.io/x/y quay.io/x/* quay.io:8443/x/y:tag quay.io/x/y-* localhost:5000/x [::1]:5000/x [::1]/x quay.io/x/y:v-*",
			"quay.io quay.io/ /x *.io/x quay.io/* quay.io/*/y quay.io/x@sha256:0 quay.io/x/ quay.io//x quay.io/x//y quay.io/x/.. quay.io/x/./y " +
				"quay.io/X quay.io/x:a/y quay.io/x:a:b quay.io/x: quay.io/x:-a quay.io/x:.a quay.io/x/%2e quay.io/x?y u@quay.io/x quay.io:/x quay.io:x/y " +
				"quay.io:123456/x [::1/x [::1]x/y [g]/x q_/x quay.io/x:" + strings.Repeat("a", 129)},
		{outputs.Deploy, "ns/name ns/* name", "*/name n*/x ns/ /x ns/a/b * ns/.. ../x .. ns/a?b a;b"},
		{outputs.GPUCapture, "", "x"},
	} {
		for _, s := range strings.Fields(c.good) {
			if err := outputs.CheckTarget(c.kind, s); err != nil {
				t.Errorf("%s %q: %v", c.kind, s, err)
			}
		}
		for _, s := range append(strings.Fields(c.bad), "", " ", "a b", "a\nb", "a\u0085b", "a\u00a0b", strings.Repeat("x", 600)) {
			if outputs.CheckTarget(c.kind, s) == nil {
				t.Errorf("%s %q is let through", c.kind, s)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"AUTORESEARCH_PR_REPO": "o/env", "CRUCIBLE_ITEM": " AB-1\n", "FORGE_REGISTRY": "quay.io/team/", "FORGE_DEPLOY_NAMESPACE": "ns",
		"FORGE_DEPLOY_NAME": "app",
	}
	lines := func(bounds []outputs.Bound) []string {
		var out []string
		for _, b := range bounds {
			out = append(out, strings.Join(strings.Fields(b.String()), " "))
		}
		return out
	}
	d := outputs.Declaration{outputs.TrackerComment: {
		Kind: outputs.TrackerComment, Count: 1, Target: outputs.Target{Scope: "AB-*", Param: "item"}, Source: outputs.FromManifest,
	}}
	for name, c := range map[string]struct {
		d    outputs.Declaration
		s    outputs.Surroundings
		want []string
	}{
		"nothing": {want: []string{
			"draft-pr 2 NO TARGET (every write refused) (engine-default)",
			"tracker-comment 2 NO TARGET (every write refused) (engine-default)",
			"chat-message 8 target operator-channel (engine-default)",
			"image-push 100 NO TARGET (every write refused) (engine-default)",
			"deploy 100 NO TARGET (every write refused) (engine-default)",
			"workflow-dispatch 20 NO TARGET (every write refused) (engine-default)",
			"gpu-capture 100 addresses nothing (engine-default)",
		}},
		"surroundings": {d, outputs.Surroundings{Getenv: func(n string) string { return env[n] }, DispatchRepos: []string{"o/b", "", "o/b"}}, []string{
			"draft-pr 2 target o/env (engine-default)",
			"tracker-comment 1 open target within AB-*, bound to param item (manifest)",
			"chat-message 8 target operator-channel (engine-default)",
			"image-push 100 target quay.io/team (engine-default)",
			"deploy 100 target ns/app (engine-default)",
			"workflow-dispatch 20 target o/b (engine-default)",
			"gpu-capture 100 addresses nothing (engine-default)",
		}},
		"precedence": {nil, outputs.Surroundings{
			Getenv: func(n string) string {
				return map[string]string{"AUTORESEARCH_PR_REPO": "o/env", "FORGE_REGISTRY": "quay.io/x/*", "FORGE_DEPLOY_NAMESPACE": "ns"}[n]
			},
			PublishRepo: "o/manifest", DispatchRepos: []string{"o/a", "o/b"},
		}, []string{
			"draft-pr 2 target o/manifest (engine-default)",
			"tracker-comment 2 NO TARGET (every write refused) (engine-default)",
			"chat-message 8 target operator-channel (engine-default)",
			"image-push 100 NO TARGET (every write refused) (engine-default)",
			"deploy 100 NO TARGET (every write refused) (engine-default)",
			"workflow-dispatch 20 NO TARGET (every write refused) (engine-default)",
			"gpu-capture 100 addresses nothing (engine-default)",
		}},
		"one place or none": {nil, outputs.Surroundings{
			Getenv: func(n string) string {
				return map[string]string{"AUTORESEARCH_PR_REPO": "https://github.com/o/r", "CRUCIBLE_ITEM": "AB-1\x1b[2J", "FORGE_REGISTRY": "quay.io", "FORGE_DEPLOY_NAME": "app"}[n]
			},
			DispatchRepos: []string{"o/a", "O/A"},
		}, []string{
			"draft-pr 2 NO TARGET (every write refused) (engine-default)",
			"tracker-comment 2 NO TARGET (every write refused) (engine-default)",
			"chat-message 8 target operator-channel (engine-default)",
			"image-push 100 NO TARGET (every write refused) (engine-default)",
			"deploy 100 target app (engine-default)",
			"workflow-dispatch 20 target o/a (engine-default)",
			"gpu-capture 100 addresses nothing (engine-default)",
		}},
	} {
		if diff := cmp.Diff(c.want, lines(outputs.Resolve(c.d, c.s))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAim(t *testing.T) {
	t.Parallel()
	digest := strings.Repeat("0f", 32)
	params := map[string]string{"item": "AB-1", "outside": "XY-1", "image": "quay.io/x/y"}
	for _, c := range []struct {
		kind              outputs.Kind
		fixed, scope      string
		param, wish, want string // want begins with "!" for the bound that is violated
	}{
		{outputs.GPUCapture, "", "", "", "anything", ""},
		{outputs.DraftPR, "", "", "", "o/r", "![outputs.draft-pr].target"},
		{outputs.DraftPR, "o/r", "", "", "", "o/r"},
		{outputs.DraftPR, "o/r", "", "", "O/R", "o/r"},
		{outputs.DraftPR, "o/r", "", "", "o/r2", "![outputs.draft-pr].target = o/r"},
		{outputs.DraftPR, "o/r", "", "", "o/r/x", "![outputs.draft-pr].target = o/r"},
		{outputs.DraftPR, "o/r-*", "", "", "", "![outputs.draft-pr].target = o/r-*"},
		{outputs.DraftPR, "o/r-*", "", "", "o/r-1", "o/r-1"},
		{outputs.DraftPR, "o/r-*", "", "", "o/r-1/x", "![outputs.draft-pr].target = o/r-*"},
		{outputs.DraftPR, "o/r-*", "", "", "o/r-*", "![outputs.draft-pr].target = o/r-*"},
		{outputs.TrackerComment, "", "AB-*", "", "", "![outputs.tracker-comment].target = AB-*"},
		{outputs.TrackerComment, "", "AB-*", "", "ab-7", "AB-7"},
		{outputs.TrackerComment, "", "AB-1", "", "AB-12", "![outputs.tracker-comment].target = AB-1"},
		{outputs.TrackerComment, "", "AB-*", "item", "", "AB-1"},
		{outputs.TrackerComment, "", "AB-*", "item", "ab-1", "AB-1"},
		{outputs.TrackerComment, "", "AB-*", "item", "AB-2", "![outputs.tracker-comment].target = AB-1"},
		{outputs.TrackerComment, "", "AB-*", "none", "AB-2", "![outputs.tracker-comment].target.open.param = none"},
		{outputs.TrackerComment, "", "AB-*", "outside", "", "![outputs.tracker-comment].target = AB-*"},
		{outputs.ImagePush, "quay.io/x", "", "", "quay.io/x/y:1", "quay.io/x/y:1"},
		{outputs.ImagePush, "quay.io/x", "", "", "QUAY.io:443/x:1", "quay.io/x:1"},
		{outputs.ImagePush, "quay.io/x", "", "", "quay.io/xy", "![outputs.image-push].target = quay.io/x"},
		{outputs.ImagePush, "quay.io/x", "", "", "quay.io/x/../y", "![outputs.image-push].target = quay.io/x"},
		{outputs.ImagePush, "quay.io/x/*", "", "", "quay.io/x/a/b:1", "quay.io/x/a/b:1"},
		{outputs.ImagePush, "", "quay.io/x", "image", "quay.io/x/y:2", "quay.io/x/y:2"},
		{outputs.ImagePush, "", "quay.io/x", "image", "quay.io/x/z", "![outputs.image-push].target = quay.io/x/y"},
		{outputs.ImagePush, "", "quay.io/x", "image", "quay.io/x/y/z", "![outputs.image-push].target = quay.io/x/y"},
		{outputs.ImagePush, "", "quay.io/x", "image", "quay.io/x/y/../../z", "![outputs.image-push].target = quay.io/x/y"},
		{outputs.ImagePush, "", "quay.io/x", "image", "quay.io/x/y:../z", "![outputs.image-push].target = quay.io/x/y"},
		{outputs.ImagePush, "", "quay.io/x", "image", "", "quay.io/x/y"},
		{outputs.ImagePush, "quay.io/x", "", "", "quay.io/x/%2e%2e/y", "![outputs.image-push].target = quay.io/x"},
		{outputs.ImagePush, "quay.io/x", "", "", "quay.io/x:1?y", "![outputs.image-push].target = quay.io/x"},
		{outputs.ImagePush, "quay.io/x", "", "", "quay.io/x@z@q", "![outputs.image-push].target = quay.io/x"},
		{outputs.ImagePush, "quay.io/x", "", "", "quay.io/x@sha256:" + digest, "quay.io/x@sha256:" + digest},
		{outputs.ImagePush, "quay.io/x", "", "", "quay.io/x@sha256:" + digest[1:], "![outputs.image-push].target = quay.io/x"},
		{outputs.ImagePush, "quay.io/x:1", "", "", "quay.io/x:12", "![outputs.image-push].target = quay.io/x:1"},
		{outputs.ImagePush, "quay.io/x", "", "", "quay.io:8443/x", "![outputs.image-push].target = quay.io/x"},
		{outputs.DraftPR, "", "o/*", "", "o/..", "![outputs.draft-pr].target = o/*"},
		{outputs.DraftPR, "", "o/*", "", "o/r?x=1", "![outputs.draft-pr].target = o/*"},
		{outputs.DraftPR, "", "o/*", "", "O/R", "o/r"},
		{outputs.DraftPR, "", "o/r", "", "", "![outputs.draft-pr].target = o/r"},
		{outputs.TrackerComment, "", "AB-*", "", "AB-1/../X-1", "![outputs.tracker-comment].target = AB-*"},
		{outputs.TrackerComment, "", "AB-*", "", "AB-1#x", "![outputs.tracker-comment].target = AB-*"},
		{outputs.Deploy, "", "ns/*", "", "ns/..", "![outputs.deploy].target = ns/*"},
		{outputs.Kind("email"), "", "", "", "a@b", "![outputs.email].target"},
		{outputs.ChatMessage, "operator-channel", "", "", "#other", "![outputs.chat-message].target = operator-channel"},
		{outputs.Deploy, "ns/*", "", "", "ns/a", "ns/a"},
		{outputs.Deploy, "ns/*", "", "", "other/a", "![outputs.deploy].target = ns/*"},
	} {
		b := outputs.Bound{Kind: c.kind, Count: 1, Target: outputs.Target{Fixed: c.fixed, Scope: c.scope, Param: c.param}}
		got, v := b.Aim(c.wish, params)
		if v != nil {
			got = "!" + v.Bound
			if !strings.Contains(v.Error(), v.Bound) || !strings.Contains(v.Error(), string(c.kind)) {
				t.Errorf("%+v: the refusal %q does not name its bound", c, v.Error())
			}
		}
		if got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

func TestCheckParams(t *testing.T) {
	t.Parallel()
	bounds := []outputs.Bound{
		{Kind: outputs.TrackerComment, Count: 1, Target: outputs.Target{Scope: "AB-*", Param: "item"}},
		{Kind: outputs.DraftPR, Count: 1, Target: outputs.Target{Scope: "o/*", Param: "repo"}},
		{Kind: outputs.Deploy, Count: 0, Target: outputs.Target{Scope: "ns/*", Param: "off"}},
		{Kind: outputs.ImagePush, Count: 1, Target: outputs.Target{Fixed: "quay.io/x"}},
	}
	if found := outputs.CheckParams(bounds, map[string]string{"item": "AB-3", "repo": "o/r"}); len(found) != 0 {
		t.Errorf("got %v", found)
	}
	found := outputs.CheckParams(bounds, map[string]string{"item": "XY-3"})
	if len(found) != 2 || !strings.Contains(found[0].Detail, "outside the scope") || !strings.Contains(found[1].Detail, "no value") {
		t.Errorf("got %v", found)
	}
}
