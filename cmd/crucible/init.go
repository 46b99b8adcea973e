package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/crucible-engine/crucible/core/scaffold"
	"github.com/crucible-engine/crucible/sdk/proc"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "write the beginnings of a pack for the repository that you stand in",
		Description: `Writes crucible.toml, measure.sh, method.md and goal.md into the current
directory, which has to be a git repository with a commit. Go, Rust, Node, Python
and Make are known by their files. Nothing that is there is replaced.

Examples:
   crucible init && crucible check
   crucible init --dry-run`,
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "print the files instead of writing them"}},
		Action: initAction,
	}
}

func initAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	kind := scaffold.Detect(dir)
	files, err := scaffold.Files(kind)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		for _, f := range files {
			fmt.Fprintf(c.App.Writer, "--- %s\n%s\n", f.Name, f.Text)
		}
		return nil
	}
	if err := hasCommit(c.Context, dir); err != nil {
		return err
	}
	if err := scaffold.Write(dir, files); err != nil {
		return err
	}
	because := "nothing said what kind of project this is, so measure.sh counts bytes: put in its place what you want less of"
	if kind.Because != "" {
		because = fmt.Sprintf("%s says that this is a project in %s", kind.Because, kind.Name)
	}
	fmt.Fprintln(c.App.Writer, because)
	for _, f := range files {
		fmt.Fprintln(c.App.Writer, "wrote", f.Name)
	}
	fmt.Fprint(c.App.Writer, "put state/ and workspace/ into .gitignore\nnext: crucible check, then crucible\n")
	return nil
}

// hasCommit wants the directory to be the root of a repository with a commit:
// that is what a run clones.
func hasCommit(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return errors.New("this is not the root of a git repository; run git init here and commit your files first")
	}
	exit, err := proc.Run(ctx, proc.Command{
		Path: "git", Args: []string{"git", "rev-parse", "--quiet", "--verify", "HEAD^{commit}"}, Dir: dir, Env: withoutGit(os.Environ()),
	})
	if err != nil {
		return fmt.Errorf("ask git for the last commit: %w", err)
	}
	if !exit.Success() {
		return errors.New("the repository has no commit yet; commit your files first")
	}
	return nil
}

// withoutGit leaves out what would send git elsewhere.
func withoutGit(env []string) []string {
	var out []string
	for _, e := range env {
		if !strings.HasPrefix(e, "GIT_") {
			out = append(out, e)
		}
	}
	return out
}
