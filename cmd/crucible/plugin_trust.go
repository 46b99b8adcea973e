package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/crucible-engine/crucible/core/host"
)

// maxAnswer bounds the answer to a question.
const maxAnswer = 64

func pluginTrustCommand() *cli.Command {
	return &cli.Command{
		Name:      "trust",
		Usage:     "record that you trust a plugin's binary",
		ArgsUsage: "PATH",
		Description: "Executes the binary to ask it who it is, shows the answer, and records its hash in\n" +
			"XDG_CONFIG_HOME/crucible/plugins.lock (~/.config by default). From then on this binary, and no\n" +
			"other at its path, may be executed, with the environment variables that it asks for.\n" +
			"Without a terminal to ask on, --yes is needed.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"}},
		Action: func(c *cli.Context) error {
			path, err := onlyArgument(c, "the path of one binary")
			if err != nil {
				return err
			}
			return withHost(c, func(ctx context.Context, h *host.Host) error {
				return trustPlugin(ctx, c, h, path)
			})
		},
	}
}

func trustPlugin(ctx context.Context, c *cli.Context, h *host.Host, path string) error {
	inspected, err := h.Inspect(ctx, path)
	if err != nil {
		return err
	}
	printInspected(c.App.Writer, inspected)
	if !c.Bool("yes") {
		if !isTerminal(c.App.Reader) {
			return fmt.Errorf("trust %s: nobody to ask, as stdin is no terminal; say --yes", inspected.Path)
		}
		fmt.Fprint(c.App.Writer, "trust it? [y/N] ")
		if !agreed(c.App.Reader) {
			return fmt.Errorf("trust %s: not confirmed, nothing was recorded", inspected.Path)
		}
	}
	if err := h.Trust(ctx, inspected); err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "recorded in %s\n", inspected.LockFile)
	return nil
}

func printInspected(w io.Writer, i host.Inspected) {
	ref := host.Ref{Kind: i.Info.Kind, Name: i.Info.Name}
	fmt.Fprintf(w, "plugin    %s\nversion   %s\ncontract  %s\npath      %s\nsha256    %s\n", ref, i.Info.Version, i.Info.Contract, i.Path, i.SHA256)
	if len(i.Info.Features) > 0 {
		fmt.Fprintf(w, "features  %s\n", strings.Join(i.Info.Features, " "))
	}
	if len(i.Info.NeedsEnv) > 0 {
		fmt.Fprintf(w, "is given  %s\n", strings.Join(i.Info.NeedsEnv, " "))
	}
	switch {
	case i.Known():
		fmt.Fprintln(w, "this binary is trusted already")
	case i.Before != nil:
		fmt.Fprintf(w, "replaces  version %s, sha256 %s, trusted %s\n", i.Before.Version, i.Before.SHA256, i.Before.Added.Format("2006-01-02"))
	}
	if !strings.HasSuffix(i.Path, "/"+ref.Binary()) {
		fmt.Fprintf(w, "note      a run looks for a file called %s and finds this one only with --plugin %s=%s\n", ref.Binary(), ref, i.Path)
	}
}

func isTerminal(r io.Reader) bool {
	file, ok := r.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// agreed reads one line; only y and yes agree.
func agreed(r io.Reader) bool {
	line, _ := bufio.NewReader(io.LimitReader(r, maxAnswer)).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	default:
		return false
	}
}

// oneLine keeps a plugin's text from taking over a terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
}
