package sdk

import (
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
)

// TestAnswer: what a plugin says to a start that is not a host's. It is internal
// because Serve ends the process.
func TestAnswer(t *testing.T) {
	t.Parallel()
	good := Info{Kind: plugin.KindWorld, Name: "git", Version: "1.0.0", Contract: contract.Version, Features: []string{"fork"}}
	bad := good
	bad.Name = "Not A Name"
	for name, test := range map[string]struct {
		info           Info
		args           []string
		cookie         string
		code           int
		done           bool
		stdout, stderr string // what they contain, empty for nothing at all
	}{
		"host":            {info: good, cookie: contract.CookieValue},
		"host, arguments": {info: good, args: []string{"x"}, cookie: contract.CookieValue},
		"person":          {info: good, code: 1, done: true, stderr: `world plugin "git", version 1.0.0`},
		"person, help":    {info: good, args: []string{"--help"}, code: 1, done: true, stderr: "crucible plugin list"},
		"other cookie":    {info: good, cookie: "x", code: 1, done: true, stderr: "crucible plugin list"},
		"describe":        {info: good, args: []string{"--describe"}, done: true, stdout: `"features":["fork"]`},
		"bad info":        {info: bad, args: []string{"--describe"}, code: 1, done: true, stderr: "name"},
	} {
		var stdout, stderr strings.Builder
		code, done := answer(test.info, test.args, test.cookie, &stdout, &stderr)
		if code != test.code || done != test.done {
			t.Errorf("%s: got %d, %v", name, code, done)
		}
		for _, out := range []struct{ what, got, want string }{
			{"stdout", stdout.String(), test.stdout}, {"stderr", stderr.String(), test.stderr},
		} {
			if out.want == "" && out.got != "" || !strings.Contains(out.got, out.want) {
				t.Errorf("%s: %s is %q, want %q", name, out.what, out.got, out.want)
			}
		}
		if test.stdout != "" {
			if got, err := plugin.ReadInfo(strings.NewReader(stdout.String())); err != nil || got.Name != good.Name {
				t.Errorf("%s: reads back as %+v, %v", name, got, err)
			}
		}
	}
}
