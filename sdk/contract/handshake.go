package contract

// What host and plugin must agree on before they can say anything else.
const (
	// CookieKey is the environment variable that tells a plugin that a host
	// started it, and CookieValue what it holds. It is no secret and protects
	// nothing: without it a plugin tells a person what it is and exits.
	CookieKey   = "CRUCIBLE_PLUGIN_COOKIE"
	CookieValue = "9e4f6f6cc9df4a6c8d3d6a6f2f1f5b0e"

	// PluginSet is the name under which a plugin serves, in the plugin sets of
	// the handshake library on both ends.
	PluginSet = "crucible"

	// DescribeFlag, as the only argument of a plugin, makes it print what it is as
	// one JSON object and exit with status 0, without a host and without serving.
	DescribeFlag = "--describe"

	// CallIDKey is the metadata key of a call's identity; PluginService.Settle
	// refers to it.
	CallIDKey = "crucible-call-id"
)

// Protocol is the protocol number of Version.
func Protocol() int {
	v, err := ParseSemver(Version)
	if err != nil {
		// Version is a constant of this package and has a test.
		panic(err)
	}
	return v.Protocol()
}
