package scaffold

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
)

// Kind is a kind of project.
type Kind struct {
	// Name is what people call it.
	Name string
	// Because is the file that gave it away, empty for the fallback.
	Because string
	// Prepare is a command that is not timed, Measure the one that is. Both are for
	// sh, in the root of the project.
	Prepare, Measure string
	// What is what the score measures.
	What string
}

// maxLook bounds what is read of a project's file, in bytes.
const maxLook = 1 << 20

// Detect tells what kind of project a directory holds. When it shows signs of
// several, what builds a program goes before what only drives others.
func Detect(dir string) Kind {
	has := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	}
	switch {
	case has("go.mod"):
		return Kind{"Go", "go.mod", "go test -count=1 -run '^$' ./...", "go test -count=1 ./...", "the time that the tests take"}
	case has("Cargo.toml"):
		return Kind{"Rust", "Cargo.toml", "cargo test --quiet --no-run", "cargo test --quiet", "the time that the tests take"}
	case has("package.json") && npmTest(filepath.Join(dir, "package.json")):
		install := "test -d node_modules || npm install --silent"
		if has("package-lock.json") {
			install = "test -d node_modules || npm ci --silent"
		}
		return Kind{"Node", "package.json", install, "npm test --silent", "the time that the tests take"}
	case has("pyproject.toml"):
		return python("pyproject.toml")
	case has("setup.py"):
		return python("setup.py")
	case has("requirements.txt"):
		return python("requirements.txt")
	case has("Makefile"):
		if target(filepath.Join(dir, "Makefile"), "test") {
			return Kind{"Make", "Makefile", "make", "make test", "the time that make test takes"}
		}
		return Kind{"Make", "Makefile", "make clean >/dev/null 2>&1 || true", "make", "the time that make takes"}
	default:
		return Kind{Name: "any"}
	}
}

func python(because string) Kind {
	return Kind{"Python", because, "true",
		"if python3 -c 'import pytest' 2>/dev/null; then python3 -m pytest -q; else python3 -m unittest discover; fi", "the time that the tests take"}
}

// npmTest reports whether a package has tests of its own; npm init writes a
// script that only fails.
func npmTest(file string) bool {
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	return json.Unmarshal(look(file), &p) == nil && p.Scripts["test"] != "" && !bytes.Contains([]byte(p.Scripts["test"]), []byte("no test specified"))
}

func target(file, name string) bool {
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `\s*:`).Match(look(file))
}

// look is the beginning of a regular file; nothing when it cannot be read.
func look(file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, maxLook)
	n, _ := f.Read(data)
	return data[:n]
}
