package egress

import "slices"

// Harnesses whose command line the built-in lists know.
const (
	Claude   = "claude"
	Codex    = "codex"
	Hermes   = "hermes"
	OpenCode = "opencode"
	Pi       = "pi"
)

func https(access Access, hosts ...string) []Endpoint {
	var out []Endpoint
	for _, h := range hosts {
		out = append(out, Endpoint{Host: h, Port: 443, Access: access})
	}
	return out
}

// Builtin is what an agent of this harness may reach when the pack inherits the
// defaults: public forges, package indexes to read from, and the model's own
// services. The caller may change the result.
func Builtin(harness string) []Endpoint {
	shared := slices.Concat(
		https(Full, "github.com", "*.github.com", "gitlab.com", "*.gitlab.com"),
		https(ReadOnly, "pypi.org", "files.pythonhosted.org"),
		https(ReadWrite, "aiplatform.googleapis.com", "*.aiplatform.googleapis.com", "*-aiplatform.googleapis.com",
			"aiplatform.us.rep.googleapis.com", "aiplatform.eu.rep.googleapis.com", "oauth2.googleapis.com", "api.anthropic.com"),
	)
	switch harness {
	case Claude:
		return append(shared, https(ReadWrite, "http-intake.logs.us5.datadoghq.com")...)
	case Codex:
		return append(shared, https(Full, "chatgpt.com", "auth.openai.com", "api.openai.com", "ab.chatgpt.com")...)
	case OpenCode, Pi:
		return append(shared, https(Full, "api.openai.com")...)
	default:
		return shared
	}
}

// BuiltinBinaries are the programs that may open a socket when the pack inherits
// the defaults.
func BuiltinBinaries(harness string) []string {
	const dir = "/usr/local/bin/"
	switch harness {
	case Claude:
		return []string{dir + "claude", dir + "opencode"}
	case Codex, Hermes, OpenCode, Pi:
		return []string{dir + harness}
	default:
		return nil
	}
}
