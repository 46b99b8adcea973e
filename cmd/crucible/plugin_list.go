package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/crucible-engine/crucible/core/host"
)

// shownHash is how many digits of a hash the table has.
const shownHash = 12

func pluginListCommand() *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "show the plugins that can be found and whether they can be used",
		Description: "STATUS is ok, untrusted (see crucible plugin trust), changed (another binary was trusted),\n" +
			"too-new or too-old (another contract version), wrong-kind (not what the file name says), or\n" +
			"broken. Binaries that are not trusted are not executed, so nothing is known of them but the name.",
		Flags: []cli.Flag{jsonFlag()},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usageError("plugin list takes no arguments, got %q", c.Args().First())
			}
			return withHost(c, func(ctx context.Context, h *host.Host) error {
				listed, err := h.List(ctx)
				if err != nil {
					return err
				}
				if c.Bool("json") {
					return printListJSON(c.App.Writer, listed)
				}
				return printList(c.App.Writer, c.App.ErrWriter, listed)
			})
		},
	}
}

// listedJSON is one plugin as `plugin list --json` prints it.
type listedJSON struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Contract string   `json:"contract"`
	Status   string   `json:"status"`
	Reason   string   `json:"reason"`
	SHA256   string   `json:"sha256"`
	Path     string   `json:"path"`
	Origin   string   `json:"origin"`
	Features []string `json:"features"`
	NeedsEnv []string `json:"needs_env"`
}

func printListJSON(w io.Writer, listed []host.Listed) error {
	rows := make([]listedJSON, 0, len(listed))
	for _, l := range listed {
		rows = append(rows, listedJSON{
			Kind: l.Ref.Kind, Name: l.Ref.Name, Version: l.Info.Version, Contract: l.Info.Contract,
			Status: string(l.Status), Reason: l.Reason, SHA256: l.SHA256, Path: l.Path, Origin: string(l.Origin),
			Features: append([]string{}, l.Info.Features...), NeedsEnv: append([]string{}, l.Info.NeedsEnv...),
		})
	}
	return printJSON(w, rows)
}

// printList prints the table, one line a plugin, and for people what is wrong
// with those that cannot be used: whole, however long.
func printList(out, remarks io.Writer, listed []host.Listed) error {
	if len(listed) == 0 {
		fmt.Fprintln(remarks, "no plugins found; see crucible plugin --help for where they are looked for")
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tNAME\tVERSION\tCONTRACT\tSTATUS\tSHA256\tPATH")
	for _, l := range listed {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			l.Ref.Kind, l.Ref.Name, orDash(l.Info.Version), orDash(l.Info.Contract), l.Status, orDash(cut(l.SHA256, shownHash)), l.Path)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, l := range listed {
		if l.Status != host.StatusOK {
			fmt.Fprintf(remarks, "%s: %s\n", l.Ref, oneLine(l.Reason))
		}
	}
	return nil
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// cut shortens a text to so many bytes, at the beginning of a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && text[limit]&0xc0 == 0x80 {
		limit--
	}
	return text[:limit]
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
