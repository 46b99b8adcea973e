package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/crucible-engine/crucible/core/host"
)

func pluginCheckCommand() *cli.Command {
	return &cli.Command{
		Name:        "check",
		Usage:       "start a plugin and let it look at this machine",
		ArgsUsage:   "KIND/NAME",
		Description: "Prints what the plugin found and exits with status 3 when it cannot work here.",
		Flags:       []cli.Flag{jsonFlag()},
		Action: func(c *cli.Context) error {
			name, err := onlyArgument(c, "one KIND/NAME, for example transport/command")
			if err != nil {
				return err
			}
			ref, err := host.ParseRef(name)
			if err != nil {
				return usageError("%v", err)
			}
			return withHost(c, func(ctx context.Context, h *host.Host) error { return checkPlugin(ctx, c, h, ref) })
		},
	}
}

func checkPlugin(ctx context.Context, c *cli.Context, h *host.Host, ref host.Ref) error {
	checked, err := h.Check(ctx, ref)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = printCheckedJSON(c.App.Writer, checked)
	} else {
		printChecked(c.App.Writer, checked)
	}
	if err == nil && checked.Failed() {
		return &codedError{code: exitFault} // what is wrong has been printed
	}
	return err
}

// checkedJSON is what `plugin check --json` prints.
type checkedJSON struct {
	Kind        string            `json:"kind"`
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Contract    string            `json:"contract"`
	Path        string            `json:"path"`
	OK          bool              `json:"ok"`
	Diagnostics []diagnosticJSON  `json:"diagnostics"`
	Facts       map[string]string `json:"facts"`
}

type diagnosticJSON struct {
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

func printCheckedJSON(w io.Writer, checked host.Checked) error {
	out := checkedJSON{
		Kind: checked.Info.Kind, Name: checked.Info.Name, Version: checked.Info.Version, Contract: checked.Info.Contract,
		Path: checked.Path, OK: !checked.Failed(), Diagnostics: []diagnosticJSON{}, Facts: map[string]string{},
	}
	maps.Copy(out.Facts, checked.Facts)
	for _, d := range checked.Diagnostics {
		out.Diagnostics = append(out.Diagnostics, diagnosticJSON{d.Severity.String(), d.Path, d.Message, d.Hint})
	}
	return printJSON(w, out)
}

func printChecked(w io.Writer, checked host.Checked) {
	verdict := "ok"
	if checked.Failed() {
		verdict = "cannot be used"
	}
	info := checked.Info
	fmt.Fprintf(w, "%s/%s %s (contract %s, %s): %s\n", info.Kind, info.Name, info.Version, info.Contract, checked.Path, verdict)
	for _, key := range slices.Sorted(maps.Keys(checked.Facts)) {
		fmt.Fprintf(w, "  %s: %s\n", oneLine(key), oneLine(checked.Facts[key]))
	}
	for _, d := range checked.Diagnostics {
		text := d.Message
		if d.Path != "" {
			text = d.Path + ": " + text
		}
		if d.Hint != "" {
			text += "; " + d.Hint
		}
		fmt.Fprintf(w, "  %s: %s\n", d.Severity, oneLine(text))
	}
}
