package gitmem

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// configTexts says of each text whether it is plain.
var configTexts = map[string]bool{
	"": true, "\n\n \t\n": true,
	visibleConfig: true,
	"[core]\n\trepositoryformatversion = 0\n\tfilemode=true\n[remote \"origin\"]\n\turl = https://example.org/a b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n": true,
	"[USER]\nName = Jörg  Müller \t\n\temail\t=\t a@b\n": true,
	"[a \"\"]\nb = c": true, "[a \"B.c]=d\"]\nE = f = g": true, "[a]\nb = 1\nb = 2\n[A]\nB =": true, "[a-1]\nb-2 = x\n[empty]\n": true,
	"[user]\nname = \xff\xfe\n": true,
	"# comment\n":               false, "[a]\n; comment\n": false, "[a] b = c\n": false, "[a] # c\n": false, "[a.b]\nc = d\n": false,
	"[a]\nb\n": false, "[a]\nb = \"c\"\n": false, "[a]\nb = c # d\n": false, "[a]\nb = c ; d\n": false, "[a]\nb = c\\\nd = e\n": false,
	"[a]\r\nb = c\r\n": false, "[a]\nb = c\td\n": false, "[a]\nb = c\x00\n": false, "\ufeff[a]\nb = c\n": false,
	"b = c\n": false, "[a\n": false, "[]\nb = c\n": false, "[a b]\nc = d\n": false, "[a  \"b\"]\nc = d\n": false, "[a \"b\\\"c\"]\nd = e\n": false,
	"[a \"b\"c\"]\nd = e\n": false, "[a]\n1b = c\n": false, "[a]\nb_c = d\n": false, "[a]\nb c = d\n": false, "[[": false, "[a \"]\nb = c\n": false,
	"[a]\nü = c\n": false, "[ü]\nb = c\n": false, "[a]\n= c\n": false, "[a]\nb = c\x7f\n": false,
}

// What is plain, git understands in the same way.
func TestPlainConfig(t *testing.T) {
	t.Parallel()
	for text, want := range configTexts {
		got, plain := plainConfig(text)
		if plain != want {
			t.Errorf("%q: plain is %v, want %v", text, plain, want)
		}
		if plain {
			asGit(t, text, got)
		}
	}
}

func FuzzPlainConfig(f *testing.F) {
	for text := range configTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, plain := plainConfig(text); plain {
			asGit(t, text, got)
		}
	})
}

// asGit wants git to read the same from a text.
func asGit(t *testing.T, text string, got map[string]string) {
	t.Helper()
	git := exec.Command("git", "config", "--file", "-", "--no-includes", "-z", "--list")
	git.Stdin, git.Dir = strings.NewReader(text), "/"
	out, err := git.Output()
	if err != nil {
		t.Fatalf("%q: git config: %v", text, err)
	}
	want := parseConfig(out)
	delete(want, "") // behind the last NUL
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%q (-git +got):\n%s", text, diff)
	}
}

// The operator's own configuration says the same whoever reads it.
func TestOperatorConfig(t *testing.T) {
	const name, other = "[user]\nname = A B\nemail = a@b\n", "[user]\nname = Other\n"
	tests := map[string]struct {
		home, xdg string // files' texts, "" for none
		env       map[string]string
		plain     bool
		want      string
	}{
		"none":         {plain: true},
		"home":         {home: name, plain: true, want: "A B"},
		"xdg":          {xdg: name, plain: true, want: "A B"},
		"both":         {home: name, xdg: other, want: "A B"},
		"include":      {home: other + "[include]\npath = more\n", plain: true, want: "Other"},
		"condition":    {home: other + "[includeIf \"gitdir:/\"]\npath = more\n", plain: true, want: "Other"},
		"not plain":    {home: "# mine\n" + name, want: "A B"},
		"elsewhere":    {home: other, env: map[string]string{"GIT_CONFIG_GLOBAL": "more"}, want: "A B"},
		"no home":      {home: name, env: map[string]string{"HOME": ""}},
		"damaged":      {home: name + "[["},
		"other values": {home: "[core]\npager = less\n", plain: true},
	}
	for label, test := range tests {
		t.Run(label, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", "")
			for p, text := range map[string]string{".gitconfig": test.home, ".config/git/config": test.xdg, "more": name} {
				if text == "" {
					continue
				}
				p = filepath.Join(home, p)
				if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for k, v := range test.env {
				if k == "GIT_CONFIG_GLOBAL" {
					v = filepath.Join(home, v)
				}
				t.Setenv(k, v)
			}
			store, err := NewStore(filepath.Join(home, "scratch"))
			if err != nil {
				t.Fatal(err)
			}
			m := newMemory(store, "x", store.dir)
			config, plain := plainOperatorConfig()
			if plain != test.plain {
				t.Errorf("plain is %v, want %v", plain, test.plain)
			}
			if plain {
				asked := m.askOperatorConfig(t.Context())
				for _, key := range []string{"user.name", "user.email"} {
					if config[key] != asked[key] {
						t.Errorf("%s is %q, git says %q", key, config[key], asked[key])
					}
				}
			}
			if got := m.operatorConfig(t.Context())["user.name"]; got != test.want {
				t.Errorf("the name is %q, want %q", got, test.want)
			}
		})
	}
}
