package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crucible-engine/crucible/sdk/plugin"
)

// Validate refuses every setting: there are none.
func (*command) Validate(_ context.Context, settings plugin.Settings) ([]plugin.Diagnostic, error) {
	return settings.Decode(&struct{}{}), nil
}

// Configure takes a place for prompts, and removes those that a process that was
// killed left there.
func (c *command) Configure(_ context.Context, config plugin.Config) error {
	if config.ScratchDir == "" {
		return nil
	}
	c.prompts = filepath.Join(config.ScratchDir, "prompts")
	if err := os.RemoveAll(c.prompts); err != nil {
		return fmt.Errorf("remove old prompts: %w", err)
	}
	return os.MkdirAll(c.prompts, 0o700)
}

// writePrompt puts the prompt into a directory that only this user can enter,
// and that is not in the workspace. The function removes both.
func (c *command) writePrompt(prompt, workspace string) (path string, remove func(), err error) {
	base := c.prompts
	if rel, err := filepath.Rel(workspace, base); err != nil || filepath.IsLocal(rel) {
		base = "" // the system's own
	}
	dir, err := os.MkdirTemp(base, "crucible-prompt-")
	if err != nil {
		return "", nil, fmt.Errorf("write prompt: %w", err)
	}
	remove = func() { _ = os.RemoveAll(dir) }
	path = filepath.Join(dir, "prompt")
	if err := os.WriteFile(path, []byte(prompt), 0o600); err != nil {
		remove()
		return "", nil, fmt.Errorf("write prompt: %w", err)
	}
	return path, remove, nil
}
