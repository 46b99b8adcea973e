package manifest

import (
	"fmt"
	"strings"
)

// Unsupported is an error that names everything a manifest asks for that this
// version can read, check and disclose, but not yet run; nil when there is
// nothing.
func (m *Manifest) Unsupported() error {
	var found []string
	for _, f := range []struct {
		asked bool
		what  string
	}{
		{m.Search.Wide > 0, "[search].wide"},
		{m.Workflow.Type == Playbook, `[workflow].type = "playbook"`},
		{m.Workflow.File != "" || len(m.Workflow.Tasks) > 0, "the graph of [workflow]"},
		{m.Agent.Broker.Enabled, "[agent.broker]"},
		{len(m.Agent.Relays) > 0, "[[agent.relay]]"},
		{m.Agent.ToolboxDir != "", "[agent].toolbox_dir"},
		{len(m.Agent.DisallowedTools) > 0, "[agent].disallowed_tools"},
	} {
		if f.asked {
			found = append(found, f.what)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("this version cannot run %s yet; check and plan exposure work", strings.Join(found, ", "))
}
