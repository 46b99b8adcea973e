package gitmem

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// plainConfig reads a configuration file of git's as far as it is plain: lines
// [section] or [section "sub"], key = value and empty ones, without quotes,
// escapes, comments and keys without a value. It has the keys as git writes
// them, the last value of each. Of any other text it says false: that is for git
// itself to read or to refuse.
func plainConfig(text string) (config map[string]string, plain bool) {
	config = map[string]string{}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.Trim(strings.TrimSuffix(line, "\n"), " \t")
		switch {
		case line == "":
		case line[0] == '[':
			if section, plain = plainSection(line); !plain {
				return nil, false
			}
		default:
			name, value, ok := strings.Cut(line, "=")
			name, value = strings.TrimRight(name, " \t"), strings.TrimLeft(value, " \t")
			if !ok || section == "" || !isConfigName(name) || !isLetter(name[0]) || strings.ContainsFunc(value, isNotPlain) {
				return nil, false
			}
			config[section+"."+strings.ToLower(name)] = value
		}
	}
	return config, true
}

// plainSection reads [section] or [section "sub"]; what is quoted keeps its case.
func plainSection(line string) (section string, plain bool) {
	inner, closed := strings.CutSuffix(line[1:], "]")
	name, sub, quoted := strings.Cut(inner, " ")
	if !closed || !isConfigName(name) {
		return "", false
	}
	name = strings.ToLower(name)
	if !quoted {
		return name, true
	}
	if len(sub) < 2 || sub[0] != '"' || sub[len(sub)-1] != '"' {
		return "", false
	}
	sub = sub[1 : len(sub)-1]
	return name + "." + sub, !strings.ContainsFunc(sub, isNotPlain)
}

func isConfigName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r != '-' && !isLetter(byte(min(r, 0x7f))) && (r < '0' || r > '9') })
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// isNotPlain finds the characters that mean something in a value, and those of
// which git's versions think differently.
func isNotPlain(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`"\#;`, r) }

// plainOperatorConfig reads the operator's own configuration when that is one
// plain file or none at all. Of anything else it says false: which file counts,
// and how it is read, is for git to say. Like git config --global it follows no
// include.
func plainOperatorConfig() (config map[string]string, plain bool) {
	home := os.Getenv("HOME")
	if _, elsewhere := os.LookupEnv("GIT_CONFIG_GLOBAL"); elsewhere || !filepath.IsAbs(home) {
		return nil, false
	}
	base := os.Getenv("XDG_CONFIG_HOME")
	if base == "" {
		base = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(base) {
		return nil, false
	}
	text, found := "", false
	for _, name := range []string{filepath.Join(home, ".gitconfig"), filepath.Join(base, "git", "config")} {
		read, err := readOperatorFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || found:
			return nil, false
		default:
			text, found = read, true
		}
	}
	return plainConfig(text)
}

// readOperatorFile reads a regular file of at most maxSmallFile bytes. A link
// may lead to it.
func readOperatorFile(name string) (string, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no regular file", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSmallFile+1))
	if err == nil && len(data) > maxSmallFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxSmallFile)
	}
	return string(data), err
}
