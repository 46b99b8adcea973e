package manifest

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/crucible-engine/crucible/core/diag"
)

// Load reads and checks the manifest at path in the working tree. Faults of the
// file come all at once as a diag.List; a file that cannot be read is an error
// that matches fs.ErrNotExist and the like.
//
// Load is for the first run on a workspace. It adds a warning when the manifest
// lies inside its workspace, because then an agent may have written it; every
// later run goes through Frozen (C-MANIFEST).
func Load(path string, options ...Option) (*Manifest, error) {
	real, err := locate(path)
	if err != nil {
		return nil, err
	}
	text, err := readManifest(path, real)
	if err != nil {
		return nil, err
	}
	m, list := parse(path, real, text, nil, options)
	if err := list.Err(); err != nil {
		return nil, err
	}
	if m.Inside() {
		m.Warnings = append(m.Warnings, diag.Diagnostic{
			Severity: diag.Warning, File: path,
			Message: "the manifest lies inside its workspace, where an agent can write it; this first run trusts it as it stands",
			Hint:    "later runs read it from the base commit that this run makes",
		})
	}
	return m, nil
}

// Parse checks a manifest's text as if it stood at path. The manifest is nil
// when the list holds an error. Parse looks at the files that the text names,
// and never runs anything.
func Parse(path string, text []byte, options ...Option) (*Manifest, diag.List) {
	real, err := filepath.Abs(path)
	if err != nil {
		return nil, diag.List{{File: path, Message: err.Error()}}
	}
	return parse(path, real, text, nil, options)
}

// parse calls the file by its name in diagnostics and resolves paths from real.
func parse(name, real string, text []byte, frozen *Record, options []Option) (*Manifest, diag.List) {
	doc := newDocument(name, text)
	m := &Manifest{Path: real, Dir: filepath.Dir(real), Text: text, doc: doc}
	if doc.decode() {
		p := &pack{doc: doc, m: m, frozen: frozen, lookup: os.LookupEnv}
		for _, option := range options {
			option(p)
		}
		p.root()
	}
	doc.list.Sort()
	if doc.list.HasErrors() {
		return nil, doc.list
	}
	m.Warnings = doc.list
	return m, doc.list
}

// locate resolves the symbolic links of a manifest's path: what decides whether
// it lies inside the workspace is where the file really is.
func locate(path string) (string, error) {
	if path == "" {
		return "", fmt.Errorf("no manifest is named")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("locate %s: %w", path, err)
	}
	// Stat says better what is wrong with a path than EvalSymlinks does.
	_, err = os.Stat(abs)
	var real string
	if err == nil {
		real, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fileFault(path, err)
	}
	return real, nil
}

func readManifest(name, path string) ([]byte, error) {
	text, err := readRegular(path, MaxText)
	if err == nil {
		return text, nil
	}
	if info, statErr := os.Stat(path); statErr == nil && info.Mode().IsRegular() && info.Size() > MaxText {
		return nil, &fileError{tooLarge(name), err}
	}
	return nil, fileFault(name, err)
}

func tooLarge(file string) diag.Diagnostic {
	return diag.Diagnostic{File: file, Message: fmt.Sprintf("a manifest may have at most %d bytes", MaxText)}
}

// fileError is a manifest that could not be read at all.
type fileError struct {
	diagnostic diag.Diagnostic
	cause      error
}

func (e *fileError) Error() string { return e.diagnostic.String() }
func (e *fileError) Unwrap() error { return e.cause }

func fileFault(name string, err error) error {
	d := diag.Diagnostic{File: name, Message: plain(err).Error()}
	switch plain(err) {
	case errNoFile:
		d.Hint = "write a manifest there, or name one with --manifest"
	case errDirectory:
		d.Hint = "name the file: " + diag.Quote(filepath.Join(name, "crucible.toml"), shown)
	}
	return &fileError{d, err}
}
