// Package transportrpc carries package transport over gRPC: a client that is a
// transport.Transport, and a server for one. Both hold the limits of the
// contract and the order of a turn's events; what a peer sends against them is
// an error that names it, never a crash.
package transportrpc
