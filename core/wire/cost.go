package wire

import (
	"math"
	"strconv"
	"strings"
)

// CostOf is the cost of the turn so far in US dollars, when e states one: an
// OtelSummary or a Result with a cost above zero, Tokens with a cost, or a Log of
// level "detail" labelled "Cost" whose value is a dollar amount. A negative
// amount or one that is not finite is not a cost. The cost of a turn is the
// highest that its events state.
func CostOf(e AgentEvent) (usd float64, ok bool) {
	switch e := e.(type) {
	case OtelSummary:
		return e.CostUSD, e.CostUSD > 0 && isCost(e.CostUSD)
	case Result:
		return e.CostUSD, e.CostUSD > 0 && isCost(e.CostUSD)
	case Tokens:
		if e.CostUSD == nil {
			return 0, false
		}
		return *e.CostUSD, isCost(*e.CostUSD)
	case Log:
		return logCost(e)
	default:
		return 0, false
	}
}

func logCost(e Log) (float64, bool) {
	amount, found := strings.CutPrefix(e.Value, "$")
	if e.Level != "detail" || e.Label != "Cost" || !found {
		return 0, false
	}
	usd, err := strconv.ParseFloat(amount, 64)
	return usd, err == nil && isCost(usd)
}

func isCost(usd float64) bool {
	return usd >= 0 && !math.IsInf(usd, 0)
}
