package manifest_test

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// generator writes a valid manifest of any sections. It makes what it draws from
// anew each time, so that parallel tests share nothing.
type generator struct {
	r   *rapid.T
	out *strings.Builder
}

func (g generator) line(format string, args ...any) { fmt.Fprintf(g.out, format+"\n", args...) }

func (g generator) maybe(label string, write func()) {
	if rapid.Bool().Draw(g.r, label) {
		write()
	}
}

func (g generator) number(label string, least, most int) int {
	return rapid.IntRange(least, most).Draw(g.r, label)
}

func (g generator) one(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(g.r, label)
}

// text is a string of any characters but NUL, spelled as a basic string.
func (g generator) text(label string) string {
	s := rapid.StringN(1, 40, -1).Filter(func(s string) bool {
		return strings.TrimSpace(s) != "" && !strings.ContainsRune(s, 0) && !strings.Contains(s, "${") && utf8.ValidString(s)
	}).Draw(g.r, label)
	var b strings.Builder
	for _, c := range s {
		if c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			fmt.Fprintf(&b, `\u%04X`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return `"` + b.String() + `"`
}

// word is a text of one line of plain letters.
func (g generator) word(label string) string {
	return `"` + rapid.StringMatching(`[a-z][a-z0-9.-]{0,10}`).Draw(g.r, label) + `"`
}

// list is a list of distinct elements.
func (g generator) list(label string, of ...string) string {
	n := g.number(label, 0, len(of))
	return "[" + strings.Join(of[:n], ", ") + "]"
}

func (g generator) duration(label string) string {
	return fmt.Sprintf(`"%d%s"`, g.number(label, 1, 1000), g.one(label+" unit", "ms", "s", "m", "h"))
}

func (g generator) manifest() {
	g.maybe("edition", func() { g.line("edition = 2") })
	playbook := g.one("lane", "judge", "task", "playbook")
	if playbook != "playbook" || g.number("repo", 0, 1) == 1 {
		g.line("[repo]\n%s", g.one("source", `path = "."`, `url = "https://example.com/r.git"`))
		g.maybe("ref", func() { g.line("ref = %s", g.word("ref name")) })
	}
	g.agent()
	g.workspace()
	switch playbook {
	case "judge":
		g.judge()
		g.maybe("search", g.search)
		g.maybe("workflow", func() { g.workflow(g.one("type", "autoresearch", "custom")) })
	case "playbook":
		g.workflow("playbook")
	}
	g.maybe("world", func() {
		g.line("[world]\nsnapshot_cmd = %s\nrestore_cmd = %s\nrestore_timeout = %s", g.text("snapshot"), g.text("restore"), g.duration("world timeout"))
		g.maybe("apply", func() { g.line("apply_cmd = %s\napply_timeout = %s", g.text("apply_cmd"), g.duration("apply timeout")) })
	})
	g.maybe("publish", func() { g.line("[publish]\npr_repo = \"o/r\"") })
	g.builds()
	g.maybe("outputs", func() {
		g.line("[outputs.gpu-capture]\ncount = %d", rapid.Uint32().Draw(g.r, "count"))
		g.line("[outputs.draft-pr]\ncount = 1\ntarget = %s", g.one("target", `{ fixed = "o/r" }`, `{ open = { scope = "o/r-*" } }`, `{ open = { scope = "o/r-*", param = "p" } }`))
	})
	for i := range g.number("secrets", 0, 3) {
		g.line("[[capabilities.secret]]\nname = \"S%d\"\ncontext = %q\nsystem = %s\nscope = %s", i, g.one("context", "agent", "broker"), g.word("system"), g.word("scope"))
	}
}

func (g generator) agent() {
	g.line("[agent]\nbackend = \"command\"\nagent_cmd = %s", g.text("agent_cmd"))
	g.maybe("goal", func() { g.line("goal = %s", g.text("goal text")) })
	g.maybe("method", func() { g.line("method_prompt = \"method.md\"\nmodel = %s", g.word("model")) })
	g.maybe("effort", func() {
		g.line("reasoning_effort = %q\nharness = %q", g.one("effort word", "low", "max"), g.one("harness", "claude", "codex", "pi"))
	})
	g.maybe("image", func() {
		g.line("sandbox_image = %s\ndisallowed_tools = %s", g.word("sandbox_image"), g.list("tools", `"Bash"`, `"mcp__x__y"`, `"é"`))
	})
	g.maybe("toolbox", func() {
		g.line("toolbox_dir = \"checks\"\ntoolbox_exclude = %s", g.list("exclude", `"deep"`, `"a.sh"`))
	})
	g.maybe("env", func() { g.line("[agent.env]\nA = %s\nB = \"${env:A}$${x}${env:UNSET}\"", g.text("variable")) })
	for i := range g.number("relays", 0, 3) {
		source := g.one("source of a relay", "template = "+g.text("template"), "from_cmd = "+g.text("from_cmd"), `from_file = "GOAL.md"`, `template = "${cmd:a {b}} ${env:X}"`)
		g.line("[[agent.relay]]\ndest = \"/run/%d\"\n%s", i, source)
	}
	g.maybe("egress", func() {
		g.line("[agent.openshell]\ninherit_defaults = %v\nendpoints = [\"a%d.example:%d:read-only\"]\nbinaries = %s", rapid.Bool().Draw(g.r, "inherit"),
			g.number("host", 0, 9), g.number("port", 1, 65535), g.list("binaries", `"/bin/a"`, `"/bin/b"`))
	})
	g.maybe("broker", func() { g.line("[agent.broker]\nenabled = true\nbin = %s\nbuild = true", g.word("bin")) })
}

func (g generator) workspace() {
	g.line("[workspace]\ndir = %q", g.one("dir", "workspace", ".", "x/y"))
	g.maybe("setup", func() { g.line("setup_cmd = %s\nsetup_timeout = %s", g.text("setup_cmd"), g.duration("setup timeout")) })
	g.line("inject = %s", g.list("injects", `"measure.sh"`, `"checks"`, `{ src = "GOAL.md", dst = "x y/goal.md", frozen = false }`))
}

func (g generator) judge() {
	g.line("[judge]\nmeasure_cmd = %s\ndirection = %q", g.text("measure_cmd"), g.one("direction", "lower", "higher"))
	g.maybe("judge keys", func() {
		g.line("measure_timeout = %s\ntiebreak_direction = %q\nobjective = %s\nskip_baseline = true", g.duration("measure timeout"), g.one("tiebreak", "lower", "higher"), g.word("objective"))
	})
	g.maybe("selftest", func() {
		g.line("[judge.selftest]\ngood_cmd = %s\nbad_cmd = %s\nruns = %d", g.text("good"), g.text("bad"), g.number("runs", 1, 1000))
		g.maybe("selftest timeout", func() { g.line("timeout = %s", g.duration("selftest limit")) })
	})
}

func (g generator) search() {
	n := g.number("wide", 0, 4)
	approaches := make([]string, 0, n)
	for range n {
		approaches = append(approaches, g.text("approach"))
	}
	g.line("[search]\nwide = %d\napproaches = [%s]\npolicy_k = %d", n, strings.Join(approaches, ", "), g.number("policy_k", 1, max(n, 1)))
}

func (g generator) workflow(kind string) {
	g.line("[workflow]\ntype = %q\nresult = \"t0\"", kind)
	if strings.HasPrefix(g.out.String(), "edition = 2") {
		g.line("env = %s", g.list("workflow env", `"A"`, `"B?"`))
	}
	if rapid.Bool().Draw(g.r, "file") {
		g.line("file = \"method.md\"\n[workflow.params]\np = %s\nq = %s", g.value("param", 0), g.list("param list", `"a"`, `""`, `"c"`))
		return
	}
	for i := range g.number("tasks", 1, 3) {
		g.line("[[workflow.task]]\nname = \"t%d\"\nkind = %q\nany = %s\nother = %s", i, g.one("kind", "agent", "command"), g.value("any", 3), g.value("other", 3))
		g.maybe("table of a task", func() { g.line("[workflow.task.when]\nx = %s", g.value("when", 1)) })
	}
}

// value is any value of TOML but a date, nested up to a depth.
func (g generator) value(label string, depth int) string {
	kinds := []string{"text", "integer", "float", "flag"}
	if depth > 0 {
		kinds = append(kinds, "array", "table")
	}
	kind := g.one(label, kinds...)
	switch kind {
	case "text":
		return g.text(label)
	case "integer":
		return fmt.Sprint(rapid.Int64().Draw(g.r, label))
	case "float":
		return g.one(label, "inf", "-inf", "nan", "-0.5", "1e10", "1e-300", "3.0", "1_000.25")
	case "flag":
		return fmt.Sprint(rapid.Bool().Draw(g.r, label))
	}
	n := g.number(label+" elements", 0, 3)
	parts := make([]string, 0, n)
	for i := range n {
		v := g.value(label, depth-1)
		if kind == "table" {
			v = fmt.Sprintf(g.one(label+" key", "k%d", `"k %d"`, `"é.%d"`)+" = %s", i, v)
		}
		parts = append(parts, v)
	}
	if kind == "table" {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (g generator) builds() {
	for _, name := range []string{"a", "b-1", "c_2"}[:g.number("builds", 0, 3)] {
		g.line("[build.%s]", name)
		switch g.one("mode", "none", "config", "derive-layer", "image", "dispatch") {
		case "none":
			g.line("mode = \"none\"")
		case "config":
			g.line("mode = \"config\"\nbase = \"quay.io/x/b:1\"")
		case "derive-layer":
			g.line("mode = \"derive-layer\"\nbase = \"quay.io/x/b\"\ntarget = \"quay.io/x/c\"\nsources = [\"src/\", \"a b.py\"]")
			g.maybe("prefix", func() { g.line("prefix = \"/app\"\ntimeout = %s", g.duration("layer timeout")) })
		case "image":
			g.line("mode = \"image\"\ntarget = \"localhost:5000/x\"\ncontainerfile = \"./build/Containerfile\"\ncommand = %s", g.text("build command"))
			g.maybe("retries", func() { g.line("retries = %d", g.number("retry", 0, 100)) })
		default:
			g.line("github = { repo = \"o/r\", workflow = \"b.yml\" }")
			continue
		}
		g.maybe("github", func() { g.line("[build.%s.github]\nrepo = \"o/r\"\nref = %s", name, g.word("branch")) })
	}
}
