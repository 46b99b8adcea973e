package build_test

import (
	"archive/tar"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/crucible-engine/crucible/core/build"
	"github.com/crucible-engine/crucible/core/manifest"
)

// newRegistry serves a registry with a base image in it, and gives its host.
func newRegistry(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New())
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	image, err := random.Image(1024, 2)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(host + "/base:1")
	if err == nil {
		err = remote.Write(ref, image)
	}
	if err != nil {
		t.Fatal(err)
	}
	return host
}

func put(t *testing.T, dir, file, text string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func layered(host, workspace string, sources ...string) build.Set {
	return build.Set{Workspace: workspace, Builds: []manifest.Build{{
		Name: "my-app", Mode: manifest.BuildLayer, Base: host + "/base:1", Target: host + "/app:1", Sources: sources, Prefix: "/srv",
	}}}
}

// files are the files of an image's last layer, with their content.
func files(t *testing.T, image string) map[string]string {
	t.Helper()
	ref, err := name.ParseReference(image)
	if err != nil {
		t.Fatal(err)
	}
	made, err := remote.Image(ref)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := made.Layers()
	if err != nil || len(layers) != 3 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	r, err := layers[2].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := map[string]string{}
	for archive := tar.NewReader(r); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		out[header.Name] = string(text)
	}
}

// A layer holds the sources, is on top of the base, and has the same digest when
// the same sources are built again.
func TestLayer(t *testing.T) {
	t.Parallel()
	host, dir := newRegistry(t), t.TempDir()
	put(t, dir, "app/main.py", "print(1)\n")
	put(t, dir, "app/deep/util.py", "x = 1\n")
	put(t, dir, "conf.json", "{}")
	put(t, dir, "other.txt", "not asked for")
	set := layered(host, dir, "app", "conf.json")
	if !set.Needed() {
		t.Error("nothing is to be built")
	}
	first, err := set.Build(t.Context())
	if err != nil || !first.OK {
		t.Fatalf("%+v, %v", first, err)
	}
	image := first.Images["my-app"]
	if !strings.HasPrefix(image, host+"/app@sha256:") {
		t.Errorf("image %q", image)
	}
	if diff := cmp.Diff([]string{"CRUCIBLE_IMAGE_MY_APP=" + image}, first.Variables()); diff != "" {
		t.Error(diff)
	}
	want := map[string]string{"srv/app/main.py": "print(1)\n", "srv/app/deep/util.py": "x = 1\n", "srv/conf.json": "{}"}
	if diff := cmp.Diff(want, files(t, image)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, err := set.Build(t.Context())
	if err != nil || again.Images["my-app"] != image {
		t.Errorf("built again: %+v, %v", again, err)
	}
	put(t, dir, "app/main.py", "print(2)\n")
	if other, err := set.Build(t.Context()); err != nil || other.Images["my-app"] == image {
		t.Errorf("another source: %+v, %v", other, err)
	}
}

// What has no place in a layer is the candidate's fault, and says why.
func TestLayerRefuses(t *testing.T) {
	t.Parallel()
	host := newRegistry(t)
	for what, c := range map[string]struct{ name, text, want string }{
		"an ELF file": {"app/tool", "\x7fELF\x02", "an ELF file"}, "a PE file": {"app/tool", "MZ\x90", "a PE file"},
		"a Mach-O file": {"app/tool", "\xcf\xfa\xed\xfe", "a Mach-O file"}, "a class": {"app/A.class", "\xca\xfe\xba\xbe", "Java class"},
		"bytecode": {"app/a.pyc", "x", "compiled, or takes effect only when it is"}, "a Go source": {"app/a.go", "package a", "compiled, or takes effect only when it is"},
		"nothing": {"elsewhere", "x", "the source app is not there"},
	} {
		dir := t.TempDir()
		put(t, dir, c.name, c.text)
		out, err := layered(host, dir, "app").Build(t.Context())
		if err != nil || out.OK || out.Component != "my-app" || !strings.Contains(out.Output, c.want) {
			t.Errorf("%s: %+v, %v", what, out, err)
		}
	}
	dir := t.TempDir()
	put(t, dir, "app/a.py", "x")
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "app", "link")); err != nil {
		t.Fatal(err)
	}
	if out, err := layered(host, dir, "app").Build(t.Context()); err != nil || out.OK || !strings.Contains(out.Output, "no regular file") {
		t.Errorf("a link: %+v, %v", out, err)
	}
}

// A registry that cannot be reached, or has no such base, is nobody's candidate.
func TestLayerErrors(t *testing.T) {
	t.Parallel()
	host, dir := newRegistry(t), t.TempDir()
	put(t, dir, "app/a.py", "x")
	set := layered(host, dir, "app")
	set.Builds[0].Base = host + "/gone:1"
	if out, err := set.Build(t.Context()); err == nil || !strings.Contains(err.Error(), "get the base") {
		t.Errorf("no base: %+v, %v", out, err)
	}
	set.Builds[0].Base = "127.0.0.1:1/base:1"
	if out, err := set.Build(t.Context()); err == nil || !strings.Contains(err.Error(), "the base is in") {
		t.Errorf("another registry: %+v, %v", out, err)
	}
}

func TestImage(t *testing.T) {
	t.Parallel()
	host, dir := newRegistry(t), t.TempDir()
	image := func(command string) build.Set {
		return build.Set{Workspace: dir, Env: os.Environ(), Builds: []manifest.Build{
			{Name: "app", Mode: manifest.BuildImage, Target: host + "/base:1", Containerfile: "Containerfile", Command: command, Retries: 2},
		}}
	}
	out, err := image(`test "$CRUCIBLE_BUILD_CONTAINERFILE" = Containerfile && pwd >where`).Build(t.Context())
	if err != nil || !out.OK || !strings.HasPrefix(out.Images["app"], host+"/base@sha256:") {
		t.Errorf("%+v, %v", out, err)
	}
	if where, err := os.ReadFile(filepath.Join(dir, "where")); err != nil || !strings.HasSuffix(strings.TrimSpace(string(where)), filepath.Base(dir)) {
		t.Errorf("it ran in %q, %v", where, err)
	}
	out, err = image("echo main.c:3: error >&2; exit 2").Build(t.Context())
	if err != nil || out.OK || out.Retries != 2 || !strings.Contains(out.Output, "main.c:3: error") || !strings.Contains(out.Output, "exit status 2") {
		t.Errorf("%+v, %v", out, err)
	}
	none := build.Set{Builds: []manifest.Build{{Name: "a", Mode: manifest.BuildNone}, {Name: "b", Mode: manifest.BuildConfig, Base: "quay.io/x/y:1"}}}
	out, err = none.Build(t.Context())
	if err != nil || !out.OK || out.Images["b"] != "quay.io/x/y:1" || none.Needed() {
		t.Errorf("%+v, %v", out, err)
	}
}
