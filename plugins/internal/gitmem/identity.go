package gitmem

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Who made a commit when nobody says who works here.
const (
	defaultName  = "crucible"
	defaultEmail = "crucible@localhost"
)

// position is where a visible repository stands.
type position struct {
	branch, commit string
}

// readVisible reads the configuration and HEAD of the visible repository and
// refuses what the memory cannot keep faith with.
func (m *memory) readVisible(ctx context.Context, r *roots) (position, error) {
	config, err := m.readConfig(ctx, r)
	if err != nil {
		return position{}, err
	}
	if err := m.checkConfig(config); err != nil {
		return position{}, err
	}
	m.rec.Name, m.rec.Email = m.author(ctx, config)
	var p position
	if p.branch, p.commit, err = r.head(); err != nil {
		return position{}, fmt.Errorf("the workspace's repository: %w", err)
	}
	m.rec.Branch, m.rec.Original = p.branch, p.commit
	if p.commit != "" && formatOf(p.commit) != m.rec.Format {
		return position{}, errors.New("the workspace's repository: HEAD is of another object format than the configuration says")
	}
	return p, nil
}

// readConfig reads the configuration file alone, without what it includes.
func (m *memory) readConfig(ctx context.Context, r *roots) (map[string]string, error) {
	text, err := readSmall(r.common, "config")
	if err != nil {
		return nil, fmt.Errorf("read .git/config: %w", err)
	}
	env := append([]string{"LC_ALL=C", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(m.dir)}, isolation...)
	answer, err := runGit(ctx, m.store.git, call{
		args: []string{"config", "--file", "-", "--no-includes", "-z", "--list"},
		dir:  m.dir, env: env, stdin: strings.NewReader(string(text)),
	})
	if err != nil {
		return nil, fmt.Errorf("read .git/config: %w", err)
	}
	config := map[string]string{}
	for _, entry := range strings.Split(string(answer.out), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		config[key] = value
	}
	return config, nil
}

func (m *memory) checkConfig(config map[string]string) error {
	m.rec.Format = sha1Format
	switch f := format(strings.ToLower(config["extensions.objectformat"])); f {
	case "", sha1Format:
	case sha256Format:
		m.rec.Format = f
	default:
		return fmt.Errorf("the workspace's repository has the unknown object format %q", printable(string(f), 40))
	}
	if storage := config["extensions.refstorage"]; storage != "" && storage != "files" {
		return fmt.Errorf("the workspace's repository keeps its references as %q; run: git refs migrate --ref-format=files", printable(storage, 40))
	}
	if isTrue(config["core.sparsecheckout"]) {
		return errors.New("the workspace is a sparse checkout: files that are not there would count as deleted; run: git sparse-checkout disable")
	}
	if isTrue(config["core.bare"]) && m.visible.gitFile == "" {
		return errors.New("the workspace's repository is bare; set core.bare to false")
	}
	tree, set := config["core.worktree"]
	if set && !samePath(absolute(m.visible.gitDir, tree), m.rec.Workspace) {
		return fmt.Errorf("the workspace's repository has its files in %s (core.worktree)", printable(tree, 200))
	}
	if !set && m.visible.gitFile != "" && m.visible.commonDir == m.visible.gitDir {
		return fmt.Errorf(".git leads to %s, which does not belong to this workspace", m.visible.gitDir)
	}
	return nil
}

// isTrue reads a truth value of git's configuration; a key without value counts.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// author is who the repository, or else the operator's configuration, says works
// here.
func (m *memory) author(ctx context.Context, config map[string]string) (name, email string) {
	name, email = cleanName(config["user.name"]), cleanName(config["user.email"])
	if name != "" && email != "" {
		return name, email
	}
	answer, err := runGit(ctx, m.store.git, call{
		args: []string{"config", "--global", "-z", "--get-regexp", `^user\.(name|email)$`},
		dir:  m.dir, env: append(operatorEnv(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(m.dir)),
	})
	if err == nil {
		for _, entry := range strings.Split(string(answer.out), "\x00") {
			key, value, _ := strings.Cut(entry, "\n")
			switch {
			case key == "user.name" && name == "":
				name = cleanName(value)
			case key == "user.email" && email == "":
				email = cleanName(value)
			}
		}
	}
	if name == "" {
		name = defaultName
	}
	if email == "" {
		email = defaultEmail
	}
	return name, email
}

// cleanName takes out of a name what a commit cannot hold.
func cleanName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == '<' || r == '>' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	return strings.Trim(s, " .,:;\"'")
}
