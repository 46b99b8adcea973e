package main

import (
	"fmt"
	"io"

	"github.com/crucible-engine/crucible/core/check"
	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/exposure"
)

// printCheck shows what was found to a person.
func printCheck(w io.Writer, out checked) {
	if out.exposure != nil {
		fmt.Fprintln(w, "output bounds:")
		for _, line := range out.bounds {
			fmt.Fprintln(w, "  "+diag.Clean(line, 1000))
		}
		fmt.Fprintln(w, "capability disclosure:")
		for _, c := range out.exposure.Capabilities {
			fmt.Fprintln(w, "  "+diag.Clean(describe(c), 1000))
		}
		fmt.Fprintln(w, "digest", out.digest)
	}
	if t := out.trial; t != nil {
		printTrial(w, *t)
	}
	for _, f := range out.findings {
		fmt.Fprintf(w, "%s [%s]\n", f.Diagnostic, f.ID)
	}
	errors, warnings := count(out.findings)
	switch {
	case errors > 0:
		fmt.Fprintf(w, "not sound: %d findings, %d warnings\n", errors, warnings)
	case warnings > 0:
		fmt.Fprintf(w, "ok, with %d warnings\n", warnings)
	default:
		fmt.Fprintln(w, "ok")
	}
}

func count(findings []check.Finding) (errors, warnings int) {
	for _, f := range findings {
		if f.Severity == diag.Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

func printTrial(w io.Writer, t check.Result) {
	if t.Probe != nil {
		fmt.Fprintf(w, "measured: %s\n", diag.Clean(t.Probe.Note, 400))
	}
	if s := t.Selftest; s != nil {
		verdict := "the judge tells them apart"
		if !s.Discriminates {
			verdict = "the judge does not tell them apart"
		}
		fmt.Fprintf(w, "self-test: good %s; bad %s: %s\n", s.Good, s.Bad, verdict)
	}
}

// describe is one capability in a line.
func describe(c exposure.Capability) string {
	switch c.Kind() {
	case exposure.KindEgress:
		return fmt.Sprintf("egress %v:%v %v (%v)", c["host"], c["port"], c["access"], c["source"])
	case exposure.KindCredential:
		return fmt.Sprintf("credential %v, context %v, system %v, scope %v", c["name"], c["context"], c["system"], c["scope"])
	case exposure.KindRelay:
		return fmt.Sprintf("relay to %v from %v", c["path"], c["sources"])
	case exposure.KindBrokerBin:
		return fmt.Sprintf("broker binary %v", c["bin"])
	case exposure.KindCommands:
		return fmt.Sprintf("commands outside the sandbox: %v", c["hooks"])
	case exposure.KindTransport:
		if c["sandboxed"] == true {
			return fmt.Sprintf("transport %v, in a sandbox", c["name"])
		}
		return fmt.Sprintf("transport %v, NOT in a sandbox: the agent runs as you, and egress is not enforced", c["name"])
	case exposure.KindBinary:
		return fmt.Sprintf("socket for %v (%v)", c["path"], c["source"])
	case exposure.KindReadOnly:
		return fmt.Sprintf("read-only %v", c["path"])
	case exposure.KindDeny:
		return fmt.Sprintf("denied %v:%v", c["host"], c["port"])
	case exposure.KindVariable:
		return fmt.Sprintf("variable %v for commands of the workflow", c["name"])
	default:
		return fmt.Sprint(map[string]any(c))
	}
}
