package state

import (
	"strings"
	"time"
)

// maxSlug is the length of the goal's part of a run id in bytes.
const maxSlug = 40

// RunID names a run after its start and its goal: 20261231T235959Z-shrink-the-binary.
// The goal's part is made of the first line that is not empty: ASCII letters and
// digits in lower case, everything between them one hyphen, at most 40 bytes;
// "run" when nothing is left.
func RunID(goal string, now time.Time) string {
	return now.UTC().Format("20060102T150405Z") + "-" + slug(goal)
}

func slug(goal string) string {
	var b strings.Builder
	gap := false
	for _, r := range firstLine(goal) {
		switch {
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		default:
			gap = b.Len() > 0
			continue
		}
		if gap && b.Len() < maxSlug-1 {
			b.WriteByte('-')
		} else if gap {
			break
		}
		gap = false
		if b.Len() == maxSlug {
			break
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "run"
	}
	return b.String()
}

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
