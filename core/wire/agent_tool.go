package wire

// Tool says that the agent used a tool.
type Tool struct {
	Name    string
	Summary string
	// Subagent: the tool is another agent.
	Subagent bool
	// Input and Result are kept only when the caller asked for them (see
	// AgentOptions); what was not a text is its JSON.
	Input, Result string
}

// Kind is "tool".
func (Tool) Kind() string { return "tool" }

func (e Tool) visitAgent(f *fields) AgentEvent {
	f.label("name", &e.Name, defaulted)
	f.text("summary", &e.Summary, defaulted)
	f.flag("subagent", &e.Subagent, defaulted)
	f.anyText("input", &e.Input)
	f.anyText("result", &e.Result)
	return e
}

// keep drops or bounds what went in and out of the tool.
func (e Tool) keep(toolIO bool) Tool {
	if !toolIO {
		e.Input, e.Result = "", ""
		return e
	}
	e.Input, e.Result = Cut(e.Input, maxToolIO), Cut(e.Result, maxToolIO)
	return e
}

// anyText is an optional text in whose place a reader also takes any other JSON.
func (f *fields) anyText(name string, s *string) {
	if f.mode != reading {
		f.text(name, s, optional)
		return
	}
	raw := f.value(name, optional)
	if raw == nil {
		return
	}
	if raw[0] == '"' {
		f.text(name, s, optional)
		return
	}
	out, err := appendFree(nil, raw, nil)
	if err != nil {
		f.fail(name, err.Error())
		return
	}
	*s = string(out)
}
