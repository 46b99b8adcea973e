//go:build linux

package proc_test

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/crucible-engine/crucible/sdk/proc"
)

// The cost of one process must stay near that of os/exec.

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := proc.Run(b.Context(), proc.Command{Path: "/bin/true", Stdout: func(proc.Line) {}, Stderr: func(proc.Line) {}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOSExec(b *testing.B) {
	for b.Loop() {
		var out, errs bytes.Buffer
		c := exec.CommandContext(b.Context(), "/bin/true")
		c.Stdout, c.Stderr = &out, &errs
		if err := c.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
