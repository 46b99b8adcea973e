package manifest

import (
	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/egress"
)

// Broker is what performs writes for the agent ([agent.broker]).
type Broker struct {
	Enabled bool
	// Bind is address:port on the engine's machine.
	Bind string
	// URL is what the sandbox uses, empty for one made of the driver's name for
	// the engine's machine and the port of Bind.
	URL string
	// Name is the MCP server's.
	Name string
	// Bin is the program, a substitute for the engine's own broker.
	Bin string
	// Build arms the tools that build.
	Build bool
}

// Endpoint is the broker's for a driver that calls the engine's machine by this
// name; false when no broker runs. Both were checked when the manifest was
// loaded.
func (b Broker) Endpoint(driverHost string) (egress.Endpoint, bool) {
	if !b.Enabled {
		return egress.Endpoint{}, false
	}
	url, err := egress.BrokerURL(b.URL, b.Bind, driverHost)
	if err != nil {
		return egress.Endpoint{}, false
	}
	e, err := egress.BrokerEndpoint(url)
	return e, err == nil
}

// broker reads [agent.broker].
func (p *pack) broker(t value) {
	b := &p.m.Agent.Broker
	t.read(
		flag("enabled", &b.Enabled), word("bind", &b.Bind), word("url", &b.URL), word("name", &b.Name), word("bin", &b.Bin),
		flag("build", &b.Build),
	)
	if b.Enabled && b.Bin == "" && blank(t, "bin") {
		t.missing("bin", "an enabled broker names its program")
	}
	if !shortName(b.Name) {
		t.at("name").fault(shortNameHint, "%s cannot name an MCP server", diag.Quote(b.Name, shown))
	}
	if _, err := egress.BrokerURL("", b.Bind, "host"); err != nil {
		t.at("bind").fault(`write "0.0.0.0:8849"`, "%v", err)
	}
	if b.URL != "" {
		if _, err := egress.BrokerEndpoint(b.URL); err != nil { // the URL may hold a password
			t.at("url").fault(`write "http://host:port/mcp"`, "%v", err)
		}
	}
}
