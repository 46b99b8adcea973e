package wire

const kindPlugins = "plugins"

// Plugins names the plugins that the run uses. It is written whenever one more
// came into use; each line has all of them so far.
type Plugins struct {
	Plugins []Plugin
}

// Plugin is one executable that takes part in a run.
type Plugin struct {
	// PluginKind is "transport", "world" or "broker"; the member is "kind".
	PluginKind string
	Name       string
	// Version is the plugin's own.
	Version string
	// Contract is the contract version that the plugin was built for.
	Contract string
	// SHA256 is the hash of the executable in lower-case hex digits.
	SHA256 string
	// Path is where it was found.
	Path string
}

// Kind is "plugins".
func (Plugins) Kind() string { return kindPlugins }

func (e Plugins) visit(f *fields) Event {
	list(f, "plugins", &e.Plugins, required, (*Plugin).visit)
	return e
}

func (p *Plugin) visit(f *fields) {
	f.token("kind", &p.PluginKind, required)
	f.text("name", &p.Name, required)
	f.text("version", &p.Version, required)
	f.text("contract", &p.Contract, required)
	f.token("sha256", &p.SHA256, required)
	f.text("path", &p.Path, defaulted)
}
