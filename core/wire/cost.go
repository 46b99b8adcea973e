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
		return cost(e.CostUSD, e.CostUSD > 0)
	case Result:
		return cost(e.CostUSD, e.CostUSD > 0)
	case Tokens:
		if e.CostUSD != nil {
			return cost(*e.CostUSD, true)
		}
	case Log:
		amount, found := strings.CutPrefix(e.Value, "$")
		if e.Level == "detail" && e.Label == "Cost" && found {
			usd, err := strconv.ParseFloat(amount, 64)
			return cost(usd, err == nil)
		}
	}
	return 0, false
}

// cost refuses what is no amount of money.
func cost(usd float64, stated bool) (float64, bool) {
	if !stated || !(usd >= 0) || math.IsInf(usd, 0) {
		return 0, false
	}
	return usd, true
}
