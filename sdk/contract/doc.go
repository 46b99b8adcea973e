// Package contract holds what the engine and its plugins agree on before any
// call is made: the contract version, the closed list of error kinds and the
// limits on messages. It imports nothing but the standard library, so that a
// pure package of the engine may use it.
package contract
