package journal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/journal"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/google/go-cmp/cmp"
)

type fakeLog struct {
	lines []string
	err   error
}

func (f *fakeLog) Append(line []byte) error {
	if f.err != nil {
		return f.err
	}
	f.lines = append(f.lines, string(line))
	return nil
}

type fakeReporter struct{ events []wire.Event }

func (f *fakeReporter) Event(e wire.Event) { f.events = append(f.events, e) }

func hide(s string) string { return strings.ReplaceAll(s, "hunter2", "[masked]") }

func TestRecordMasksBeforeAnythingIsWritten(t *testing.T) {
	log, seen := &fakeLog{}, &fakeReporter{}
	j := journal.New(log, hide, seen)
	for _, e := range []wire.Event{
		wire.Note{Msg: "password hunter2"},
		wire.Agent{Event: wire.Raw{Text: "hunter2", Stream: wire.Stdout}},
	} {
		if err := j.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`{"v":1,"kind":"note","msg":"password [masked]"}`,
		`{"v":1,"kind":"agent","event":{"kind":"raw","text":"[masked]","stream":"stdout"}}`,
	}
	if diff := cmp.Diff(want, log.lines); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]wire.Event{
		wire.Note{Msg: "password [masked]"},
		wire.Agent{Event: wire.Raw{Text: "[masked]", Stream: wire.Stdout}},
	}, seen.events); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNotOnRecordIsNotShown(t *testing.T) {
	full := errors.New("no space left on device")
	log, seen := &fakeLog{err: full}, &fakeReporter{}
	if err := journal.New(log, hide, seen).Record(wire.Finished{}); !errors.Is(err, full) || !strings.Contains(err.Error(), "finished") {
		t.Errorf("got %v", err)
	}
	if len(seen.events) > 0 {
		t.Errorf("shown: %v", seen.events)
	}
}
