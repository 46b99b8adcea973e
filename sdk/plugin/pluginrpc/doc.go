// Package pluginrpc carries what package plugin describes over gRPC: the client
// and the server of PluginService, and what the services of all kinds share.
//
// On the server's side that is Calls: it turns panics and errors into statuses,
// refuses calls during a shutdown and knows which calls are in flight. On the
// client's side it is Caller: it turns statuses into errors of the contract,
// explains a lost connection by the death of the plugin's process, and returns
// from a cancelled call only when the plugin has ended it.
package pluginrpc
