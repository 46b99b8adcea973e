package manifest_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/manifest"
)

// environment is one that a test gives in place of the process's.
func environment(vars map[string]string) manifest.Option {
	return manifest.WithEnv(func(name string) (string, bool) {
		value, set := vars[name]
		return value, set
	})
}

func withEnv(text string) string {
	return complete("[agent]\nbackend = \"command\"\nagent_cmd = \"true\"\n[agent.env]\nA = '" + text + "'\n")
}

// A secret need not stand in the manifest.
func TestEnvExpansion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(newPack(t), "crucible.toml")
	option := environment(map[string]string{"TOKEN": "sesame", "EMPTY": "", "DOLLAR": "x$", "NESTED": "${env:TOKEN}", "BRACE": "}"})
	for _, tc := range []struct{ name, text, want string }{
		{"no expansion", "plain $HOME {x} $ {y}", "plain $HOME {x} $ {y}"},
		{"whole", "${env:TOKEN}", "sesame"},
		{"within", "<${env:TOKEN}>", "<sesame>"},
		{"twice", "${env:TOKEN}${env:TOKEN}", "sesamesesame"},
		{"empty is set", "a${env:EMPTY}b", "ab"},
		{"escape", "$${env:TOKEN}", "${env:TOKEN}"},
		{"escape behind a dollar", "$$${env:TOKEN}", "$${env:TOKEN}"},
		{"escape of an open one", "$${", "${"},
		{"expansion behind an escape", "$${${env:TOKEN}", "${sesame"},
		{"a value with a dollar escapes nothing", "${env:DOLLAR}${env:TOKEN}", "x$sesame"},
		{"values are not looked at again", "${env:NESTED}", "${env:TOKEN}"},
		{"a brace in a value ends nothing", "${env:BRACE}${env:TOKEN}", "}sesame"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m, list := manifest.Parse(path, []byte(withEnv(tc.text)), option)
			if list.HasErrors() {
				t.Fatal(list)
			}
			if got := m.Agent.Env[0].Value; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if err := m.CheckEnv(); err != nil {
				t.Error(err)
			}
			if strings.Contains(string(m.Text), "sesame") {
				t.Error("the text that is hashed holds the value")
			}
			if text, err := m.Format(); err != nil || strings.Contains(string(text), "sesame") {
				t.Errorf("formatted: %v\n%s", err, text)
			}
		})
	}
}

// All variables that are not set are named at once, and nothing else is.
func TestEnvUnset(t *testing.T) {
	t.Parallel()
	path := filepath.Join(newPack(t), "crucible.toml")
	m, list := manifest.Parse(path, []byte(withEnv("${env:GONE}${env:TOKEN}${env:GONE2}${env:GONE}")), environment(map[string]string{"TOKEN": "sesame"}))
	if list.HasErrors() {
		t.Fatal(list)
	}
	var unset diag.List
	if err := m.CheckEnv(); !errors.As(err, &unset) || len(unset) != 2 {
		t.Fatalf("got %v", err)
	}
	for i, want := range []string{
		"crucible.toml:5:5: agent.env.A: the variable GONE is not set; export it, or change ${env:GONE}",
		"crucible.toml:5:5: agent.env.A: the variable GONE2 is not set; export it, or change ${env:GONE2}",
	} {
		if got := strings.ReplaceAll(unset[i].String(), filepath.Dir(path)+"/", ""); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A short text cannot stand for a value of any size.
func TestEnvIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(newPack(t), "crucible.toml")
	big := environment(map[string]string{"B": strings.Repeat("secret", 10_000)})
	if _, list := manifest.Parse(path, []byte(withEnv("${env:B}")), big); list.HasErrors() {
		t.Error(list)
	}
	_, list := manifest.Parse(path, []byte(withEnv(strings.Repeat("${env:B}", 10_000))), big)
	if got := list.Error(); !strings.HasSuffix(got, "agent.env.A: with its expansions the value has more bytes than the limit of 122880") {
		t.Errorf("got %.200s", got)
	}
}

// Without an option the environment is that of the process.
func TestEnvOfTheProcess(t *testing.T) {
	t.Setenv("CRUCIBLE_TEST_TOKEN", "sesame")
	dir := newPack(t)
	if m := load(t, dir, withEnv("${env:CRUCIBLE_TEST_TOKEN}")); m.Agent.Env[0].Value != "sesame" {
		t.Errorf("got %q", m.Agent.Env[0].Value)
	}
}
