// Protogen writes the Go code of the protocols under sdk/proto beside their
// .proto files. It needs neither protoc nor a network: the files are parsed in
// this process and the two generators are the `tool` lines of go.mod, so that
// everybody gets the same bytes from the same go.sum.
//
// Usage, in the root of the repository: go run ./tools/protogen
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

// root holds the protocols, relative to the root of the repository.
const root = "sdk/proto"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, root); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

// run generates everything under dir and removes generated files whose source
// has gone.
func run(ctx context.Context, dir string) error {
	sources, err := find(dir, ".proto")
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		return fmt.Errorf("no .proto file under %s; run this in the root of the repository", dir)
	}
	request, err := parse(ctx, dir, sources)
	if err != nil {
		return err
	}
	fresh := map[string]bool{}
	for _, g := range generators() {
		files, err := g.run(ctx, request)
		if err != nil {
			return fmt.Errorf("%s: %w", g.tool, err)
		}
		for _, f := range files {
			name := filepath.Join(dir, filepath.FromSlash(f.GetName()))
			if err := os.WriteFile(name, []byte(f.GetContent()), 0o644); err != nil {
				return err
			}
			fresh[f.GetName()] = true
		}
	}
	return prune(dir, fresh)
}

// prune removes the generated files that are not in fresh.
func prune(dir string, fresh map[string]bool) error {
	old, err := find(dir, ".pb.go")
	if err != nil {
		return err
	}
	for _, name := range old {
		if fresh[name] {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}
