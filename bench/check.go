package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/proc"
)

const (
	checkInjects = 1000
	checkText    = 1_000_000 // bytes of the manifest
	checkTarget  = 1000      // ms
)

// check is how long a check of a large pack takes beside its one measurement,
// which costs nothing here.
func (l *lab) check(ctx context.Context) ([]result, error) {
	dir := filepath.Join(l.dir, "check")
	if err := largePack(dir); err != nil {
		return nil, err
	}
	var samples []float64
	for range l.rounds {
		var output bytes.Buffer
		begin := time.Now()
		exit, err := proc.Run(ctx, proc.Command{
			Path: filepath.Join(l.bin, "crucible"), Args: []string{"crucible", "check"}, Dir: dir, Env: l.env, StdoutTo: &output, StderrTo: &output,
		})
		took := time.Since(begin)
		if err != nil {
			return nil, err
		}
		if !exit.Success() {
			return nil, fmt.Errorf("check the large pack: %s\n%s", exit, output.String())
		}
		samples = append(samples, milliseconds(took))
	}
	r := amount("check, 1,000 injects, manifest of 1 MB", newSide("crucible", samples), checkTarget)
	r.Unit = "ms"
	return []result{r}, nil
}

// largePack writes a pack with many injects and a long manifest.
func largePack(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "files"), 0o700); err != nil {
		return err
	}
	var names []string
	for i := range checkInjects {
		name := "files/" + strconv.Itoa(i) + ".sh"
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho "+strconv.Itoa(i)+"\n"), 0o600); err != nil {
			return err
		}
		names = append(names, strconv.Quote(name))
	}
	text := "[repo]\npath = \".\"\n[workspace]\nsetup_cmd = \"mkdir workspace\"\ninject = [" + strings.Join(names, ",\n") + "]\n" +
		"[agent]\nbackend = \"command\"\nagent_cmd = \"true\"\ngoal = \"g\"\n" +
		"[judge]\nmeasure_cmd = \"echo '{\\\"valid\\\":true,\\\"score\\\":1}'\"\ndirection = \"lower\"\n"
	for line := "# " + strings.Repeat("x", 98) + "\n"; len(text)+len(line) <= checkText; {
		text += line
	}
	return os.WriteFile(filepath.Join(dir, "crucible.toml"), []byte(text), 0o600)
}
