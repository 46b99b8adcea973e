package main

import (
	"errors"
	"strconv"
	"strings"
)

// pkg is one record of the index.
type pkg struct {
	name, version, section string
	size                   int // kilobytes
	depends                []string
}

func parse(text string) ([]pkg, error) {
	var packages []pkg
	for _, record := range strings.Split(text, "\n\n") {
		if strings.TrimSpace(record) == "" {
			continue
		}
		p, err := parseRecord(record)
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
}

func parseRecord(record string) (pkg, error) {
	var p pkg
	for _, line := range strings.Split(record, "\n") {
		name, value, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(line, " ") {
			continue
		}
		switch name {
		case "Package":
			p.name = value
		case "Version":
			p.version = value
		case "Section":
			p.section = value
		case "Installed-Size":
			size, err := strconv.Atoi(value)
			if err != nil {
				return p, errors.New("package " + p.name + ": the size is not a number")
			}
			p.size = size
		case "Pre-Depends", "Depends":
			p.depends = append(p.depends, names(value)...)
		}
	}
	if p.name == "" {
		return p, errors.New("a record without a name")
	}
	return p, nil
}
