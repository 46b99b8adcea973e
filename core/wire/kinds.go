package wire

// zero is the empty event of a kind, nil for one that is not known. A new kind
// is one file with its struct and one line here.
func zero(kind string) Event {
	switch kind {
	case kindStart:
		return Start{}
	case kindIdentity:
		return Identity{}
	case kindPlugins:
		return Plugins{}
	case kindPhase:
		return Phase{}
	case kindNote:
		return Note{}
	case kindRow:
		return Row{}
	case kindAgentSession:
		return AgentSession{}
	case kindAgentStart:
		return AgentStart{}
	case kindAgent:
		return Agent{}
	case kindAgentDone:
		return AgentDone{}
	case kindBudget:
		return Budget{}
	case kindSegment:
		return Segment{}
	case kindEscalation:
		return Escalation{}
	case kindSummary:
		return Summary{}
	case kindFinished:
		return Finished{}
	case kindShutdown:
		return Shutdown{}
	default:
		return nil
	}
}

// zeroAgent is the empty agent event of a kind, nil for one that is not known.
func zeroAgent(kind string) AgentEvent {
	switch kind {
	case "meta":
		return Meta{}
	case "log":
		return Log{}
	case "gate":
		return Gate{}
	case "init":
		return Init{}
	case "thinking":
		return Thinking{}
	case "text":
		return Text{}
	case "tool":
		return Tool{}
	case "tokens":
		return Tokens{}
	case "retry":
		return Retry{}
	case "error":
		return Error{}
	case "result":
		return Result{}
	case "otel_summary":
		return OtelSummary{}
	case "exit":
		return Exit{}
	case "sandbox_log":
		return SandboxLog{}
	case "raw":
		return Raw{}
	default:
		return nil
	}
}
