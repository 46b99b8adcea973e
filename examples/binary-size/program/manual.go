package main

import (
	_ "embed"
	"fmt"
)

//go:embed manual.txt
var manualText string

// manual prints the manual.
func manual([]string) error {
	_, err := fmt.Print(manualText)
	return err
}
