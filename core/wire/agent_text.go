package wire

// The streams of a Raw event.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// Thinking is a piece of the agent's reasoning, a line at most.
type Thinking struct{ Delta string }

// Text is a piece of the agent's answer, a line at most.
type Text struct{ Delta string }

// Raw is a line that the agent's process printed and nobody understood.
type Raw struct {
	Text string
	// Stream is Stdout or Stderr.
	Stream string
}

// Kind is "thinking".
func (Thinking) Kind() string { return "thinking" }

// Kind is "text".
func (Text) Kind() string { return "text" }

// Kind is "raw".
func (Raw) Kind() string { return "raw" }

func (e Thinking) visitAgent(f *fields) AgentEvent {
	f.text("delta", &e.Delta, defaulted)
	return e
}

func (e Text) visitAgent(f *fields) AgentEvent {
	f.text("delta", &e.Delta, defaulted)
	return e
}

func (e Raw) visitAgent(f *fields) AgentEvent {
	f.text("text", &e.Text, defaulted)
	f.token("stream", &e.Stream, defaulted)
	if f.mode == reading && e.Stream != Stderr {
		e.Stream = Stdout
	}
	return e
}
