package host

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, tail, want string }{
		{"nothing", "", ""},
		{"text", "one\ntwo\n", "; stderr: one | two"},
		{"a structured log", `{"@level":"error","@message":"it broke","@timestamp":"x","code":3,"a":"b"}` + "\n", "; stderr: it broke a=b code=3"},
		{"other JSON", `{"level":"error"}`, `; stderr: {"level":"error"}`},
		{"what a terminal obeys", "a\x1b[2Jb\r", "; stderr: a [2Jb"},
		{"many lines", strings.Repeat("x\n", 50), "; stderr: " + strings.Repeat("x | ", excerptLines-1) + "x"},
		{"a long line", strings.Repeat("y", 5000), "; stderr: …" + strings.Repeat("y", excerptBytes)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := excerpt(test.tail); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestLineLogger(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := &lineLogger{logger: hclog.New(&hclog.LoggerOptions{Output: &out, Level: hclog.Debug, DisableTime: true}), stream: "stdout"}
	for _, text := range []string{"one", " line\ntwo\n\n", strings.Repeat("x", 2*logBuffer), "\nlast"} {
		if _, err := io.WriteString(l, text); err != nil {
			t.Fatal(err)
		}
	}
	l.close()
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(got) != 4 || !strings.Contains(got[0], `line="one line"`) || !strings.Contains(got[1], "line=two") || !strings.Contains(got[3], "line=last") {
		t.Fatalf("got %.300q", got)
	}
	if n := len(got[2]); n < logBuffer || n > logBuffer+200 {
		t.Errorf("the long line was logged with %d bytes, want about %d", n, logBuffer)
	}
}
