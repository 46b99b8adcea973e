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
	operator := make(chan map[string]string, 1)
	go func() { operator <- m.operatorConfig(ctx) }()
	config, err := m.readConfig(ctx, r)
	theirs := <-operator
	if err != nil {
		return position{}, err
	}
	if err := m.checkConfig(config); err != nil {
		return position{}, err
	}
	m.rec.Name, m.rec.Email = author(config, theirs)
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

// readConfig reads the configuration file alone, without what it includes. Git
// reads what is not plain: it is the one to say what that means.
func (m *memory) readConfig(ctx context.Context, r *roots) (map[string]string, error) {
	text, err := readSmall(r.common, "config")
	if err != nil {
		return nil, fmt.Errorf("read .git/config: %w", err)
	}
	if config, plain := plainConfig(string(text)); plain {
		return config, nil
	}
	env := append([]string{"LC_ALL=C", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(m.dir)}, isolation...)
	answer, err := runGit(ctx, m.store.git, call{
		args: []string{"config", "--file", "-", "--no-includes", "-z", "--list"},
		dir:  m.dir, env: env, stdin: strings.NewReader(string(text)),
	})
	if err != nil {
		return nil, fmt.Errorf("read .git/config: %w", err)
	}
	return parseConfig(answer.out), nil
}

// parseConfig reads what git config -z prints.
func parseConfig(out []byte) map[string]string {
	config := map[string]string{}
	for _, entry := range strings.Split(string(out), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		config[key] = value
	}
	return config
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
func author(config, operator map[string]string) (name, email string) {
	pick := func(key, fallback string) string {
		for _, c := range []map[string]string{config, operator} {
			if s := cleanName(c[key]); s != "" {
				return s
			}
		}
		return fallback
	}
	return pick("user.name", defaultName), pick("user.email", defaultEmail)
}

// operatorConfig is what the operator's own configuration says about who works
// here; nothing when there is none.
func (m *memory) operatorConfig(ctx context.Context) map[string]string {
	if config, plain := plainOperatorConfig(); plain {
		return config
	}
	return m.askOperatorConfig(ctx)
}

// askOperatorConfig lets git find and read the operator's configuration.
func (m *memory) askOperatorConfig(ctx context.Context) map[string]string {
	answer, err := runGit(ctx, m.store.git, call{
		args: []string{"config", "--global", "-z", "--get-regexp", `^user\.(name|email)$`},
		dir:  m.dir, env: append(operatorEnv(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(m.dir)),
	})
	if err != nil {
		return nil
	}
	return parseConfig(answer.out)
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
