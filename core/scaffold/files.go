package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"text/template"
)

//go:embed templates
var templates embed.FS

// File is one file of a new pack.
type File struct {
	Name string
	Text []byte
	Mode fs.FileMode
}

// Files are the files of a pack for a kind of project.
func Files(k Kind) ([]File, error) {
	in := struct {
		Kind
		Agent, Objective string
	}{k, strconv.Quote(agent()), "ms"}
	measure := "timed.sh"
	if k.Measure == "" {
		in.What, in.Objective, measure = "the sum of the files under version control", "bytes", "counted.sh"
	}
	var out []File
	for _, f := range []struct {
		name, template string
		mode           fs.FileMode
	}{{"crucible.toml", "crucible.toml", 0o644}, {"measure.sh", measure, 0o755}, {"method.md", "method.md", 0o644}, {"goal.md", "goal.md", 0o644}} {
		t, err := template.ParseFS(templates, "templates/"+f.template)
		if err != nil {
			return nil, fmt.Errorf("make %s: %w", f.name, err)
		}
		var text bytes.Buffer
		if err := t.Execute(&text, in); err != nil {
			return nil, fmt.Errorf("make %s: %w", f.name, err)
		}
		out = append(out, File{f.name, text.Bytes(), f.mode})
	}
	return out, nil
}

// agent is a command for an agent CLI that is installed, else one that says what
// to do.
func agent() string {
	for _, a := range []struct{ cli, command string }{
		{"claude", `claude -p "$CRUCIBLE_PROMPT" --permission-mode acceptEdits`},
		{"codex", `codex exec --full-auto "$CRUCIBLE_PROMPT"`},
		{"opencode", `opencode run "$CRUCIBLE_PROMPT"`},
	} {
		if _, err := exec.LookPath(a.cli); err == nil {
			return a.command
		}
	}
	return `echo "put the command of your agent into [agent].agent_cmd" >&2; exit 1`
}

// Write writes the files into a directory, all or none: one that is there already
// is never replaced.
func Write(dir string, files []File) (err error) {
	var made []string
	defer func() {
		if err != nil {
			for _, name := range made {
				err = errors.Join(err, os.Remove(name))
			}
		}
	}()
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, f.Name)); err == nil {
			return fmt.Errorf("%s is there already; nothing was written", filepath.Join(dir, f.Name))
		}
	}
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode)
		if err != nil {
			return err
		}
		made = append(made, name)
		_, err = out.Write(f.Text)
		if err = errors.Join(err, out.Close()); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}
