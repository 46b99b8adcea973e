package host

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/sdk/contract"
)

func line(fields ...string) string { return strings.Join(fields, "|") }

func TestHandshake(t *testing.T) {
	t.Parallel()
	certificate := strings.Repeat("c", 900)
	good := line("1", "7", "unix", "/run/x/plugin1", "grpc", certificate)
	for _, test := range []struct{ name, stdout, fault, line, rest string }{
		{name: "good", stdout: good + "\n", line: good + "\n"},
		{name: "good with output after it", stdout: good + "\nhello\n", line: good + "\n", rest: "hello\n"},
		{name: "good without a line end", stdout: good, line: good + "\n"},
		{name: "nothing", stdout: ""},
		{name: "text", stdout: "hello\n" + good + "\n", fault: `before the handshake: "hello"`, rest: good + "\n"},
		{name: "text with bars", stdout: "a|b|c|d|e|f\n", fault: `before the handshake: "a|b|c|d|e|f"`},
		{name: "empty line", stdout: "\n" + good + "\n", fault: `before the handshake: ""`, rest: good + "\n"},
		{name: "old handshake", stdout: line("2", "7", "unix", "/x", "grpc", certificate) + "\n", fault: "version 2 of the go-plugin handshake"},
		{name: "other contract", stdout: line("1", "8", "unix", "/x", "grpc", certificate) + "\n", fault: "protocol number 8"},
		{name: "net/rpc", stdout: line("1", "7", "unix", "/x", "netrpc", certificate) + "\n", fault: "does not speak gRPC"},
		{name: "no protocol", stdout: line("1", "7", "unix", "/x") + "\n", fault: "does not speak gRPC"},
		{name: "no certificate", stdout: line("1", "7", "unix", "/x", "grpc", "") + "\n", fault: "does not speak TLS"},
		{name: "endless line", stdout: strings.Repeat("x", 1<<20), fault: "before the handshake", rest: strings.Repeat("x", 1<<20-maxHandshake)},
	} {
		for _, chunk := range []int{1, 7, 1 << 20} {
			t.Run(test.name, func(t *testing.T) {
				if chunk == 1 && len(test.stdout) > 1<<19 {
					chunk = 100
				}
				var rest bytes.Buffer
				h := newHandshake([]int{7}, &rest)
				passed := make(chan string)
				go func() {
					text, _ := io.ReadAll(h.line)
					passed <- string(text)
				}()
				for text := test.stdout; text != ""; {
					n := min(chunk, len(text))
					if _, err := io.WriteString(h, text[:n]); err != nil {
						t.Fatal(err)
					}
					text = text[n:]
				}
				h.close()
				if got := <-passed; got != test.line {
					t.Errorf("passed on %.80q, want %.80q", got, test.line)
				}
				fault := ""
				if err := h.fault(); err != nil {
					fault = err.Error()
				}
				if !strings.Contains(fault, test.fault) || (fault == "") != (test.fault == "") {
					t.Errorf("fault %q, want %q", fault, test.fault)
				}
				if got := rest.String(); test.name != "endless line" && got != test.rest {
					t.Errorf("rest %.80q, want %.80q", got, test.rest)
				}
			})
		}
	}
}

// The text of a version error is right only if this is the inverse of the
// contract's own numbering.
func TestContractOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, want string }{
		{"0.2.0", "0.2"}, {"0.13.4", "0.13"}, {"1.0.0", "1"}, {"2.7.1", "2"},
	} {
		v, err := contract.ParseSemver(test.version)
		if err != nil {
			t.Fatal(err)
		}
		if got := contractOf(v.Protocol()); got != test.want {
			t.Errorf("%s: got %s, want %s", test.version, got, test.want)
		}
	}
}
