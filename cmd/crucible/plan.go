package main

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/exposure"
	"github.com/crucible-engine/crucible/core/manifest"
)

func planCommand() *cli.Command {
	return &cli.Command{
		Name:        "plan",
		Usage:       "show what a pack would do, without running anything of it",
		Subcommands: []*cli.Command{planExposureCommand()},
		Action: func(c *cli.Context) error {
			switch word := c.Args().First(); word {
			case "":
				return cli.ShowSubcommandHelp(c)
			case "run", "show", "params", "compile":
				return usageError("plan %s: this version does not have work graphs yet", word)
			default:
				return usageError("unknown command %q; see crucible plan --help", word)
			}
		},
	}
}

// exposureFlags are what the exposure depends on beside the manifest.
func exposureFlags() []cli.Flag {
	return []cli.Flag{
		&cli.PathFlag{Name: "manifest", Aliases: []string{"m"}, Value: "crucible.toml", Usage: "the pack's manifest `FILE`"},
		&cli.StringFlag{Name: "pr-repo", Usage: "repository of draft pull requests where the manifest has none: `OWNER/NAME`"},
	}
}

func planExposureCommand() *cli.Command {
	return &cli.Command{
		Name:  "exposure",
		Usage: "print the bounds on a pack's writes and the reach that it discloses, as JSON",
		Description: `Nothing of the pack is run. The document is that of docs/exposure.schema.json.
The exit status is 0; with --diff it is 1 when the two documents differ.

Examples:
   crucible plan exposure -m packs/size/crucible.toml
   crucible plan exposure --digest
   crucible plan exposure --diff approved.json`,
		Flags: append(exposureFlags(),
			&cli.BoolFlag{Name: "digest", Usage: "print the digest of the document alone"},
			&cli.PathFlag{Name: "diff", Usage: "print what changed since the document in `FILE`"},
			jsonFlag(),
		),
		Action: planExposure,
	}
}

func planExposure(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Bool("digest") && c.IsSet("diff") {
		return usageError("--digest and --diff exclude each other")
	}
	m, err := manifest.Load(c.Path("manifest"))
	if err != nil {
		return &codedError{exitFault, err}
	}
	d := exposure.Resolve(m, surroundings(c.String("pr-repo")))
	switch {
	case c.Bool("digest"):
		digest, err := d.Digest()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.App.Writer, digest)
		return err
	case c.IsSet("diff"):
		return diffExposure(c, d)
	}
	text, err := d.Encode()
	if err == nil {
		_, err = c.App.Writer.Write(text)
	}
	return err
}

func surroundings(prRepo string) exposure.Surroundings {
	return exposure.Surroundings{Getenv: os.Getenv, PublishRepo: prRepo}
}

// maxExposure bounds a document that is read, in bytes.
const maxExposure = 16 << 20

func diffExposure(c *cli.Context, now exposure.Document) error {
	name := c.Path("diff")
	text, err := readAtMost(name, maxExposure)
	if err != nil {
		return err
	}
	before, err := exposure.Decode(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	changes, err := exposure.Diff(before, now)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = printChangesJSON(c.App.Writer, changes)
	} else {
		err = printChanges(c.App.Writer, changes)
	}
	if err == nil && len(changes) > 0 {
		return &codedError{code: exitNoImprovement}
	}
	return err
}

func printChanges(w io.Writer, changes []exposure.Change) error {
	for _, change := range changes {
		sign := "-"
		if change.Added {
			sign = "+"
		}
		if _, err := fmt.Fprintf(w, "%s %s %s\n", sign, change.List, diag.Clean(change.Entry, 1<<20)); err != nil {
			return err
		}
	}
	return nil
}

func readAtMost(name string, limit int64) ([]byte, error) {
	f, _, err := manifest.OpenRegular(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}
