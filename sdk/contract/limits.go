package contract

import "time"

// Limits on what crosses a plugin boundary. Both ends enforce them.
const (
	MaxMessage  = 16 << 20 // bytes of one gRPC message
	MaxChunk    = 64 << 10 // bytes of one chunk of a stream
	MaxLine     = 1 << 20  // bytes of one output line; a longer one is cut and marked
	MaxPrompt   = 15 << 20 // bytes of a prompt
	MaxToken    = 64 << 10 // bytes of a world token
	MaxCursor   = 64 << 10 // bytes of a session cursor
	MaxSettings = 1 << 20  // bytes of a settings object
	StderrTail  = 64 << 10 // bytes of a plugin's stderr that an error carries
)

// Times that both ends rely on.
const (
	// StartTimeout bounds a plugin's start up to the handshake.
	StartTimeout = 15 * time.Second
	// ShutdownGrace is how long calls in flight may take to end.
	ShutdownGrace = 10 * time.Second
	// SettleTimeout is how long a cancelled call may take to end before the plugin
	// is killed.
	SettleTimeout = 10 * time.Second
	// KillGrace is the pause between SIGTERM and SIGKILL.
	KillGrace = 5 * time.Second
)
