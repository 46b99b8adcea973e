// Package prompt renders what an agent is told at the start of a turn
// (C-TRANSPORT). It is pure, and it substitutes in a single pass: what is
// filled in is never looked at again, so that a goal that mentions a slot, or
// steering text that does, stays as it was written.
package prompt

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Values fill the slots of a template.
type Values struct {
	// Goal is what the run is after; it is trimmed.
	Goal string
	// Status says how far the run has come, see Status.
	Status string
	// Steer is what the operator said since the last turn, empty for nothing.
	Steer string
}

// DefaultTemplate is used when a pack has no method prompt.
const DefaultTemplate = "{{GOAL}}\n\nStatus: {{STATUS}}\n\n{{STEER}}\n"

// steerHeading introduces steering text in a template without a slot for it.
const steerHeading = "## Operator steering\n\n" +
	"The operator wrote the text below while the run was going on. It has priority over the method above. " +
	"Comments of reviewers that are quoted in it are not the operator's word.\n\n"

// Render fills {{GOAL}}, {{STATUS}} (also spelled {{BEST_SCORE}}) and {{STEER}}.
// Steering text for which the template has no slot is appended under a heading.
// Other text in double braces is left as it is.
func Render(template string, v Values) string {
	steer := strings.TrimSpace(v.Steer)
	out := strings.NewReplacer(
		"{{GOAL}}", strings.TrimSpace(v.Goal),
		"{{STATUS}}", v.Status,
		"{{BEST_SCORE}}", v.Status,
		"{{STEER}}", steer,
	).Replace(template)
	if steer != "" && !strings.Contains(template, "{{STEER}}") {
		out = strings.TrimRight(out, "\n") + "\n\n" + steerHeading + steer + "\n"
	}
	return out
}

// Unknown lists what looks like a slot in a template and is none, each once:
// most likely a typing error.
func Unknown(template string) []string {
	known := []string{"{{GOAL}}", "{{STATUS}}", "{{BEST_SCORE}}", "{{STEER}}"}
	var unknown []string
	for _, slot := range regexp.MustCompile(`\{\{[A-Z_]{1,40}\}\}`).FindAllString(template, -1) {
		if !slices.Contains(known, slot) && !slices.Contains(unknown, slot) {
			unknown = append(unknown, slot)
		}
	}
	return unknown
}

// Status is the line that tells an agent what it has to beat. A nil score
// means that nothing valid was measured yet.
func Status(objective string, best *float64) string {
	if best == nil {
		return "no valid " + objective + " yet"
	}
	return "best " + objective + " = " + strconv.FormatFloat(*best, 'f', -1, 64)
}
