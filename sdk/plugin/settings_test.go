package plugin_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
)

type settings struct {
	Image   string `json:"image"`
	CPUs    int    `json:"cpus"`
	Private int    `json:"-"`
	Mounts  []struct {
		From string `json:"from"`
	} `json:"mounts"`
	Labels map[string]struct {
		Value string `json:"value"`
	} `json:"labels"`
}

func TestSettingsDecode(t *testing.T) {
	t.Parallel()
	const known = "known keys: cpus, image, labels, mounts"
	wrong := func(path, message, hint string) plugin.Diagnostic {
		return plugin.Diagnostic{Severity: plugin.SeverityError, Path: path, Message: message, Hint: hint}
	}
	for name, test := range map[string]struct {
		text string
		want []plugin.Diagnostic
	}{
		"empty":        {"", nil},
		"blank":        {" \n", nil},
		"empty object": {"{}", nil},
		"good":         {`{"image":"a","cpus":2,"mounts":[{"from":"x"}],"labels":{"any":{"value":"v"}}}`, nil},
		"no object":    {`[1]`, []plugin.Diagnostic{wrong("", "settings are not a JSON object", "")}},
		"several":      {`{"imge":"a","Image":"b","-":1}`, []plugin.Diagnostic{wrong("-", "unknown key", known), wrong("Image", "unknown key", known), wrong("imge", "unknown key", known)}},
		"deep": {`{"mounts":[{},{"form":"x"}],"labels":{"any":{"val":1}}}`, []plugin.Diagnostic{
			wrong("labels.any.val", "unknown key", "known keys: value"), wrong("mounts[1].form", "unknown key", "known keys: from"),
		}},
		"type": {`{"cpus":"two"}`, []plugin.Diagnostic{wrong("cpus", "is a string, want int", "")}},
	} {
		var s settings
		if diff := cmp.Diff(test.want, plugin.Settings(test.text).Decode(&s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, text := range []string{"{", `{"image":"a"} x`, strings.Repeat("x", contract.MaxSettings+1)} {
		if found := plugin.Settings(text).Decode(&settings{}); len(found) == 0 {
			t.Errorf("%.20q: nothing found", text)
		}
	}
	var nothing struct{}
	if found := plugin.Settings(`{"a":1}`).Decode(&nothing); len(found) != 1 || found[0].Hint != "there are no keys here" {
		t.Errorf("no keys: got %v", found)
	}
}

func TestErr(t *testing.T) {
	t.Parallel()
	if err := plugin.Err([]plugin.Diagnostic{{Severity: plugin.SeverityWarning}, {Severity: plugin.SeverityInfo}}); err != nil {
		t.Errorf("warnings became %v", err)
	}
	err := plugin.Err([]plugin.Diagnostic{{Severity: plugin.SeverityWarning}, {Path: "a.b", Message: "unknown key", Hint: "try c"}})
	var e *contract.Error
	if !errors.As(err, &e) || e.Kind != contract.KindInvalid || e.Subject != "a.b" {
		t.Fatalf("got %#v", err)
	}
	if want := "read settings a.b: unknown key; try c"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
