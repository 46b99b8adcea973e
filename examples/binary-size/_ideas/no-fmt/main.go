// Pkgreport reads an index of Debian packages and prints what takes the space.
//
//	pkgreport FILE         print the report
package main

import (
	"errors"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		os.Stderr.WriteString("pkgreport: " + err.Error() + "\n")
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("want the name of one file")
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
		return nil, err
	}
	return analyse(packages), nil
}
