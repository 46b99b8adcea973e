// Package plugin holds what every plugin has beside the service of its kind:
// who it is, how it is configured and what it can be asked to do. It has no gRPC
// in it; the adapters are in package pluginrpc.
package plugin
