package plugin_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/plugin"
)

func TestInfoRoundTrip(t *testing.T) {
	t.Parallel()
	want := plugin.Info{
		Kind: "world", Name: "git", Version: "1.2.3-rc.1", Contract: "0.2.0",
		Features: []string{"fork", "turns.parallel"}, NeedsEnv: []string{"SSH_AUTH_SOCK"},
	}
	var b strings.Builder
	if err := want.Write(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "\n") != 1 {
		t.Errorf("not one line: %q", b.String())
	}
	got, err := plugin.ReadInfo(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.Reset()
	if err := (plugin.Info{}).Write(&b); err != nil || strings.Contains(b.String(), "null") {
		t.Errorf("lists are always lists: %s, %v", b.String(), err)
	}
	if !want.Has("fork") || want.Has("for") {
		t.Error("Has compares whole features")
	}
}

func TestReadInfoRefuses(t *testing.T) {
	t.Parallel()
	good := `{"kind":"world","name":"git","version":"1.0.0","contract":"0.2.0","later":1}`
	if _, err := plugin.ReadInfo(strings.NewReader(good + "\n")); err != nil {
		t.Errorf("good: %v", err)
	}
	for name, text := range map[string]string{
		"nothing":     "",
		"no JSON":     "Usage: tool",
		"two":         good + good,
		"tail":        good + "x",
		"huge":        `{"kind":"` + strings.Repeat("x", 1<<20) + `"}`,
		"no name":     `{"kind":"world","version":"1.0.0","contract":"0.2.0"}`,
		"path":        `{"kind":"world","name":"../git","version":"1.0.0","contract":"0.2.0"}`,
		"upper":       `{"kind":"World","name":"git","version":"1.0.0","contract":"0.2.0"}`,
		"v":           `{"kind":"world","name":"git","version":"v1.0.0","contract":"0.2.0"}`,
		"no contract": `{"kind":"world","name":"git","version":"1.0.0"}`,
		"feature":     `{"kind":"world","name":"git","version":"1.0.0","contract":"0.2.0","features":["\u001b[2J"]}`,
		"env":         `{"kind":"world","name":"git","version":"1.0.0","contract":"0.2.0","needs_env":["A=B"]}`,
		"many":        `{"kind":"world","name":"git","version":"1.0.0","contract":"0.2.0","features":["a"` + strings.Repeat(`,"a"`, 64) + `]}`,
	} {
		if i, err := plugin.ReadInfo(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read as %+v", name, i)
		}
	}
}
