// Package worldrpc carries package world over gRPC: a client that is a
// world.World, and a server for one. Both hold the limits of the contract; the
// server also sees to it that at most one writing call is made per world at a
// time.
package worldrpc
