package main

import (
	"fmt"
	"net"
	"net/http"
)

// serve shows the report in a browser, read anew for each request.
func serve(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want the name of one file, got %d arguments", len(args))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r, err := load(args[0])
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_ = r.render(w)
	}))
}
