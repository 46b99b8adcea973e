package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write lays out files under a new directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestParseListsImportsFirst(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"a/a.proto": "syntax = \"proto3\";\npackage a;\nimport \"b/b.proto\";\nmessage A { b.B b = 1; }\n",
		"b/b.proto": "syntax = \"proto3\";\npackage b;\nmessage B {}\n",
		"b/notes":   "not a protocol",
	})
	sources, err := find(dir, ".proto")
	if err != nil {
		t.Fatal(err)
	}
	request, err := parse(t.Context(), dir, sources)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, f := range request.GetProtoFile() {
		order = append(order, f.GetName())
	}
	if diff := cmp.Diff([]string{"b/b.proto", "a/a.proto"}, order); diff != "" {
		t.Errorf("order of the files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a/a.proto", "b/b.proto"}, request.GetFileToGenerate()); diff != "" {
		t.Errorf("files to generate (-want +got):\n%s", diff)
	}
}

func TestParseNamesThePlace(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"a.proto": "syntax = \"proto3\";\nmessage A { Missing m = 1; }\n"})
	_, err := parse(t.Context(), dir, []string{"a.proto"})
	if err == nil || !strings.Contains(err.Error(), "a.proto:2:13") {
		t.Errorf("error %v does not name a.proto:2:13", err)
	}
}

func TestPruneRemovesWhatHasNoSource(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"a/old.pb.go": "", "a/new.pb.go": "", "a/a.go": ""})
	if err := prune(dir, map[string]bool{"a/new.pb.go": true}); err != nil {
		t.Fatal(err)
	}
	left, err := find(dir, ".go")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a/a.go", "a/new.pb.go"}, left); diff != "" {
		t.Errorf("files left (-want +got):\n%s", diff)
	}
}

func TestRunRefusesAnEmptyDirectory(t *testing.T) {
	t.Parallel()
	if err := run(t.Context(), t.TempDir()); err == nil {
		t.Error("no error for a directory without protocols")
	}
}
