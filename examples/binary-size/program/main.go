// Pkgreport reads an index of Debian packages and prints what takes the space.
//
//	pkgreport FILE         print the report
//	pkgreport -http FILE   show it in a browser
//	pkgreport -manual      print the manual
package main

import (
	"fmt"
	"io"
	"os"
)

// extra is a feature beside the report. Each is in a file of its own.
type extra struct {
	option string
	run    func(args []string) error
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pkgreport:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) > 0 {
		for _, e := range extras {
			if e.option == args[0] {
				return e.run(args[1:])
			}
		}
	}
	if len(args) != 1 {
		return fmt.Errorf("want the name of one file, got %d arguments", len(args))
	}
	r, err := load(args[0])
	if err != nil {
		return err
	}
	return r.render(out)
}

func load(name string) (*report, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	packages, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return analyse(packages), nil
}
