package manifest_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/core/manifest"
)

// TestHostileTexts: whatever the text, there is an answer soon, and a short one.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	mib := func(s string) string { return strings.Repeat(s, manifest.MaxText/len(s)) }
	var keys, tables, sections strings.Builder
	for i := 0; keys.Len() < manifest.MaxText-20; i++ {
		fmt.Fprintf(&keys, "k%d=1\n", i)
	}
	for i := 0; tables.Len() < manifest.MaxText-40; i++ {
		tables.WriteString("[[workspace.inject]]\nsrc='measure.sh'\n")
	}
	for i := 0; sections.Len() < manifest.MaxText-20; i++ {
		fmt.Fprintf(&sections, "[s%d]\n", i)
	}
	garbage := make([]byte, 10<<20)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range garbage {
		garbage[i] = byte(rng.Uint32())
	}
	for name, text := range map[string]string{
		"10 MB of garbage":  string(garbage),
		"1 MiB of garbage":  string(garbage[:manifest.MaxText]),
		"brackets":          "x = " + mib("["),
		"closed brackets":   "x = " + strings.Repeat("[", 400_000) + strings.Repeat("]", 400_000),
		"inline tables":     "x = " + mib("{a="),
		"dotted key":        mib("a.") + "a = 1",
		"dotted header":     "[" + strings.Repeat("a.", 500_000) + "a]",
		"many keys":         keys.String(),
		"many tables":       tables.String(),
		"many sections":     sections.String(),
		"long array":        "x = [" + strings.Repeat("1,", 500_000) + "]",
		"array of strings":  "[workspace]\ninject = [" + strings.Repeat("'*',", 200_000) + "]",
		"array of tables":   "[workspace]\ninject = [" + strings.Repeat("{},", 300_000) + "]",
		"long string":       "x = '" + strings.Repeat("a", 1_000_000) + "'",
		"long key":          strings.Repeat("a", 1_000_000) + " = 1",
		"long number":       "x = " + strings.Repeat("1", 1_000_000),
		"comments":          mib("#\n"),
		"blank lines":       mib("\n"),
		"open string":       `x = """` + strings.Repeat("\n", 1_000_000),
		"escapes":           `x = "` + strings.Repeat(`\u0041`, 170_000) + `"`,
		"keys at the bound": strings.Join(strings.SplitAfter(keys.String(), "\n")[:9_900], ""),
		"tables at the bound": "[workspace]\ninject=[]\n" + strings.Repeat("[[x]]\na.b.c.d=1\n", 1_900) +
			strings.Repeat("[y.z]\n", 2),
		"array tables at the bound": strings.Repeat("[[x]]\na=1\n", 4_900),
		"strings at the bound":      "[workspace]\ninject = [" + strings.Repeat("'**',", 9_900) + "]",
		"nothing at the bound":      "[workspace]\ninject = [" + strings.Repeat("'**/[xyz]',", 9_900) + "]",
		"long environment":          "[agent.env]\n" + strings.ReplaceAll(keys.String()[:100_000], "=1", "='1'"),
		"syntax faults":             mib("a = b\n"),
		"open arrays":               mib("a = [\n"),
		"open strings":              mib("a = \"\n"),
		"open long strings":         mib("a = \"\"\"\n"),
		"stray quotes":              mib("'\n"),
		"one key many times":        strings.Repeat("a=1\n", 9_900),
		"one table many times":      strings.Repeat("[a]\n", 9_900),
		"inline keys many times":    "a={" + strings.Repeat("b=1,", 9_900) + "b=1}",
		"parameters":                "[workflow]\nfile='GOAL.md'\n[workflow.params]\n" + strings.Join(strings.SplitAfter(keys.String(), "\n")[:9_900], ""),
		"a template of openings":    "[[agent.relay]]\ndest='/a'\ntemplate='" + strings.Repeat("${", 500_000) + "'",
		"a template of expansions":  "[[agent.relay]]\ndest='/a'\ntemplate='" + strings.Repeat("${env:A}", 100_000) + "${x}'",
		"expansions":                "[agent.env]\n" + strings.Repeat("A='"+strings.Repeat("${env:X}", 10_000)+"'\n", 2),
		"similar long words":        strings.Repeat("m", 60) + "=1\n" + strings.Repeat("n", 60) + "=1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			m, list := manifest.Parse(filepath.Join(dir, "crucible.toml"), []byte(text))
			took := time.Since(start)
			if m != nil || !list.HasErrors() {
				t.Fatal("accepted")
			}
			if n := len(list.Error()); n > 500_000 {
				t.Errorf("the answer has %d bytes", n)
			}
			t.Logf("%v, %d faults", took, len(list))
		})
	}
}
