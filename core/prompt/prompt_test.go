package prompt_test

import (
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/prompt"
)

func TestRender(t *testing.T) {
	for _, tc := range []struct {
		name, template string
		values         prompt.Values
		want           string
	}{
		{"all slots", "G={{GOAL}} S={{STATUS}} B={{BEST_SCORE}} T={{STEER}}",
			prompt.Values{Goal: " win \n", Status: "best s = 1", Steer: "go\n"}, "G=win S=best s = 1 B=best s = 1 T=go"},
		{"a slot twice", "{{GOAL}}/{{GOAL}}", prompt.Values{Goal: "a"}, "a/a"},
		{"filled text is not looked at again", "{{GOAL}} {{STEER}}",
			prompt.Values{Goal: "{{STEER}} {{STATUS}}", Status: "s", Steer: "{{GOAL}}"}, "{{STEER}} {{STATUS}} {{GOAL}}"},
		{"unknown slots stay", "{{OTHER}} {{ GOAL }}", prompt.Values{Goal: "g"}, "{{OTHER}} {{ GOAL }}"},
		{"no steer, no heading", "{{GOAL}}\n", prompt.Values{Goal: "g", Steer: " \n"}, "g\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := prompt.Render(tc.template, tc.values); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSteerWithoutSlotIsAppended(t *testing.T) {
	got := prompt.Render("{{GOAL}}\n", prompt.Values{Goal: "g", Steer: "try a heap"})
	if !strings.HasPrefix(got, "g\n\n## Operator steering\n") || !strings.HasSuffix(got, "\n\ntry a heap\n") {
		t.Errorf("got %q", got)
	}
}

func TestUnknown(t *testing.T) {
	got := prompt.Unknown("{{GOAL}} {{GAOL}} {{ GOAL }} {{x}} {{GAOL}} {{BEST_SCORE}} {{WHAT}}")
	if strings.Join(got, " ") != "{{GAOL}} {{WHAT}}" {
		t.Errorf("got %q", got)
	}
}

func TestStatus(t *testing.T) {
	score := func(f float64) *float64 { return &f }
	for want, s := range map[string]*float64{
		"no valid bytes yet":    nil,
		"best bytes = 5":        score(5),
		"best bytes = 41.5":     score(41.5),
		"best bytes = -0.001":   score(-0.001),
		"best bytes = 12345678": score(12345678),
	} {
		if got := prompt.Status("bytes", s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
