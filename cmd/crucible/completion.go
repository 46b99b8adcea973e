package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

// The scripts ask the program itself what could come next.
const (
	bashCompletion = `_crucible() {
	local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words
	[[ "$cur" != -* ]] || prev="" # a flag, whatever it follows
	case "$prev" in
	--ui) words="auto headless jsonl stream" ;;
	--effort) words="low medium high xhigh max" ;;
	--log-level) words="trace debug info warn error" ;;
	--kind) words="transport world" ;;
	completion) words="bash zsh fish" ;;
	-m | --manifest | --state-dir | --steer | --goal-file | --plugin | trust | test) COMPREPLY=(); return ;;
	check) words=$("${COMP_WORDS[0]}" plugin list 2>/dev/null | awk 'NR > 1 {print $1 "/" $2}') ;;
	*)
		if [[ "$cur" == -* ]]; then
			words=$("${COMP_WORDS[@]:0:COMP_CWORD}" "$cur" --generate-bash-completion 2>/dev/null)
		else
			words=$("${COMP_WORDS[@]:0:COMP_CWORD}" --generate-bash-completion 2>/dev/null)
		fi ;;
	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _crucible crucible
`
	zshCompletion = `#compdef crucible
_crucible() {
	local -a words_found
	local cur="${words[-1]}"
	if [[ "$cur" == -* ]]; then
		words_found=("${(@f)$(${words[1,-2]} ${cur} --generate-bash-completion 2>/dev/null)}")
	else
		words_found=("${(@f)$(${words[1,-2]} --generate-bash-completion 2>/dev/null)}")
	fi
	if [[ -n "${words_found[1]}" ]]; then
		_describe 'values' words_found
	else
		_files
	fi
}
compdef _crucible crucible
`
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a completion script for a shell",
		UsageText: "crucible completion bash|zsh|fish",
		Description: `Examples:
   source <(crucible completion bash)
   crucible completion zsh > "${fpath[1]}/_crucible"
   crucible completion fish > ~/.config/fish/completions/crucible.fish`,
		Action: func(c *cli.Context) error {
			script, err := completionScript(c)
			if err != nil {
				return err
			}
			fmt.Fprint(c.App.Writer, script)
			return nil
		},
	}
}

func completionScript(c *cli.Context) (string, error) {
	switch shell := c.Args().First(); shell {
	case "bash":
		return bashCompletion, nil
	case "zsh":
		return zshCompletion, nil
	case "fish":
		return c.App.ToFishCompletion()
	default:
		return "", usageError("completion %q: want bash, zsh or fish", shell)
	}
}
