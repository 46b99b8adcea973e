package manifest_test

import (
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/manifest"
)

// A secret need not stand in the manifest; the text that is hashed and shown
// keeps the placeholder.
func TestEnvFromEnvironment(t *testing.T) {
	t.Setenv("CRUCIBLE_TEST_TOKEN", "sesame")
	dir := newPack(t)
	text := complete("[agent]\nbackend = \"command\"\nagent_cmd = \"true\"\n[agent.env]\n" +
		"A = \"<${env:CRUCIBLE_TEST_TOKEN}>\"\nB = \"$${env:X}\"\nC = \"${env:CRUCIBLE_TEST_UNSET}${env:CRUCIBLE_TEST_UNSET2}\"\n")
	m, list := manifest.Parse(dir+"/crucible.toml", []byte(text))
	if list.HasErrors() {
		t.Fatal(list)
	}
	for i, want := range []string{"<sesame>", "${env:X}", ""} {
		if got := m.Agent.Env[i].Value; got != want {
			t.Errorf("%s: got %q, want %q", m.Agent.Env[i].Name, got, want)
		}
	}
	if strings.Contains(string(m.Text), "sesame") {
		t.Error("the text holds the value")
	}
	err := m.CheckEnv()
	if err == nil || !strings.Contains(err.Error(), "7:5: agent.env.C: the variable CRUCIBLE_TEST_UNSET is not set") ||
		!strings.Contains(err.Error(), "CRUCIBLE_TEST_UNSET2") {
		t.Errorf("got %v", err)
	}
}
