package wire

const (
	kindAgentSession = "agent_session"
	kindAgentStart   = "agent_start"
	kindAgent        = "agent"
	kindAgentDone    = "agent_done"
)

// What a turn does with its session.
const (
	SessionStarted = "started"
	SessionResumed = "resumed"
)

// AgentSession comes before AgentStart when the turn belongs to a session. It
// never holds the provider's cursor (C-WIRE).
type AgentSession struct {
	// Session is the session's name in the manifest.
	Session string
	// Action is SessionStarted or SessionResumed.
	Action string
	// Turn counts from 1.
	Turn int
}

// AgentStart opens one attempt at a turn; AgentDone closes it. A repeated attempt
// has the same iteration.
type AgentStart struct {
	Iter int
}

// Agent is one event of the turn that is open.
type Agent struct {
	Event AgentEvent
}

// AgentDone closes a turn.
type AgentDone struct{}

// Kind is "agent_session".
func (AgentSession) Kind() string { return kindAgentSession }

// Kind is "agent_start".
func (AgentStart) Kind() string { return kindAgentStart }

// Kind is "agent".
func (Agent) Kind() string { return kindAgent }

// Kind is "agent_done".
func (AgentDone) Kind() string { return kindAgentDone }

func (e AgentSession) visit(f *fields) Event {
	f.text("session", &e.Session, required)
	f.token("action", &e.Action, required)
	f.count("turn", &e.Turn, required)
	return e
}

func (e AgentStart) visit(f *fields) Event {
	f.count("iter", &e.Iter, required)
	return e
}

func (e Agent) visit(f *fields) Event {
	f.agent("event", &e.Event)
	return e
}

func (e AgentDone) visit(*fields) Event { return e }
