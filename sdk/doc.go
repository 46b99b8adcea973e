// Package sdk serves a plugin. A whole transport is a type with two methods and
//
//	func main() {
//		sdk.ServeTransport(sdk.Info{Name: "mine", Version: "0.1.0"}, myTransport{})
//	}
//
// in a binary named crucible-transport-mine. The calls must be the first thing
// that main does, and nothing may be printed to stdout before: the first line
// of stdout is the handshake with the engine. A plugin reads no arguments and no
// stdin, gets its settings through plugin.Configurer and logs to the logger it
// finds there. What is printed later, to either stream, ends up in the engine's
// log.
//
// The process ends when the engine asks it to, when its stdin ends (which it
// does when the engine dies) and on SIGTERM and SIGINT. In every case new calls
// are refused, the contexts of those in flight end, plugin.Shutdowner is called,
// and all of that takes a bounded time. A call must return when its context has
// ended, and only when its child processes are gone; package proc does that for
// children.
package sdk
