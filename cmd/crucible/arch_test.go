package main_test

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/crucible-engine/crucible/"

// packageInfo is what go list says about one package.
type packageInfo struct {
	standard bool
	imports  []string
}

// listPackages asks go list once for every package of this module and all that
// they need, tests left out.
func listPackages(t *testing.T) map[string]packageInfo {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{.Standard}} {{join .Imports " "}}`, module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]packageInfo{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		packages[f[0]] = packageInfo{standard: f[1] == "true", imports: f[2:]}
	}
	return packages
}

// closure is everything that a package reaches.
func closure(packages map[string]packageInfo, from string) map[string]bool {
	seen := map[string]bool{}
	todo := []string{from}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, imp := range packages[p].imports {
			if !seen[imp] {
				seen[imp] = true
				todo = append(todo, imp)
			}
		}
	}
	return seen
}

// TestImportRules holds the tree to the rules of docs/architecture.md.
func TestImportRules(t *testing.T) {
	packages := listPackages(t)
	under := func(path, dir string) bool {
		return path == module+dir || strings.HasPrefix(path, module+dir+"/")
	}
	rpc := func(path string) bool {
		return strings.HasPrefix(path, "github.com/hashicorp/go-plugin") || strings.HasPrefix(path, "google.golang.org/grpc")
	}
	foreign := func(path string) bool {
		return !packages[path].standard && !strings.HasPrefix(path, module)
	}
	pure := []string{"core/plan", "core/decide", "core/dispatch", "core/wire", "core/egress", "core/identity"}
	ours := 0
	for path := range packages {
		if !strings.HasPrefix(path, module) {
			continue
		}
		ours++
		for dep := range closure(packages, path) {
			switch {
			case under(path, "sdk") && (under(dep, "core") || under(dep, "plugins") || under(dep, "cmd")):
				t.Errorf("%s reaches %s: the sdk stands alone", path, dep)
			case under(path, "core") && (under(dep, "plugins") || under(dep, "cmd")):
				t.Errorf("%s reaches %s: core knows no plugin", path, dep)
			case under(path, "plugins") && (under(dep, "core") || under(dep, "cmd")):
				t.Errorf("%s reaches %s: a plugin builds on the sdk alone", path, dep)
			case under(path, "core") && !under(path, "core/host") && (rpc(dep) || under(dep, "core/host")):
				t.Errorf("%s reaches %s: only core/host speaks to plugins", path, dep)
			case strings.HasPrefix(dep, "github.com/containers/") && !under(path, "plugins/transport-openshell"):
				t.Errorf("%s reaches %s: only the openshell transport knows podman", path, dep)
			}
			for _, p := range pure {
				if under(path, p) && foreign(dep) {
					t.Errorf("%s reaches %s: the package is to import no third party", path, dep)
				}
			}
		}
	}
	if ours < 10 {
		t.Errorf("go list names only %d packages of this module", ours)
	}
}
