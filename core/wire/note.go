package wire

const kindNote = "note"

// Note is a remark for people. No program may read anything out of it.
type Note struct {
	Msg string
}

// Kind is "note".
func (Note) Kind() string { return kindNote }

func (e Note) visit(f *fields) Event {
	f.text("msg", &e.Msg, required)
	return e
}
