package report

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/crucible-engine/crucible/core/wire"
)

// none stands for a score that was not measured.
const none = "none"

// score is the shortest decimal that reads back as x, without a trailing ".0";
// very large and very small numbers have an exponent.
func score(x *float64) string {
	if x == nil {
		return none
	}
	if abs := math.Abs(*x); abs != 0 && (abs < 1e-6 || abs >= 1e15) {
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}

func dollars(usd float64) string {
	if usd != 0 && math.Abs(usd) < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// clock is a duration as 01:05 or 2:01:05.
func clock(d time.Duration) string {
	s := max(0, int64(d/time.Second))
	if s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// change says how the best score compares with the baseline. direction is the
// judge's, "lower", "higher" or empty.
func change(baseline, best *float64, direction string) string {
	if baseline == nil || best == nil {
		return ""
	}
	percent := ""
	if *baseline != 0 {
		percent = fmt.Sprintf("%+.1f%%", (*best-*baseline)/math.Abs(*baseline)*100)
	}
	verdict := ""
	switch {
	case *best == *baseline:
		return " (no improvement)"
	case direction == "":
	case (*best < *baseline) == (direction == "lower"):
		verdict = direction + " is better"
	default:
		verdict = "worse: " + direction + " is better"
	}
	switch {
	case percent == "" && verdict == "":
		return ""
	case percent == "" || verdict == "":
		return " (" + percent + verdict + ")"
	default:
		return " (" + percent + ", " + verdict + ")"
	}
}

// selectRows keeps the first row, the baseline, and the newest ones, together at
// most limit, and counts the others.
func selectRows(rows []wire.RowData, limit int) (shown []wire.RowData, leftOut int) {
	if len(rows) <= limit {
		return rows, 0
	}
	leftOut = len(rows) - limit
	return append([]wire.RowData{rows[0]}, rows[leftOut+1:]...), leftOut
}
