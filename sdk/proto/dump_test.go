package proto_test

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
	_ "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	_ "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
)

// ours lists the protocols of this tree, sorted by path.
func ours() []protoreflect.FileDescriptor {
	var files []protoreflect.FileDescriptor
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		if strings.HasPrefix(f.Path(), "crucible/") {
			files = append(files, f)
		}
		return true
	})
	slices.SortFunc(files, func(a, b protoreflect.FileDescriptor) int {
		return strings.Compare(a.Path(), b.Path())
	})
	return files
}

// dumper writes descriptors as text that reads well in a diff: one line for
// everything whose change a peer could notice.
type dumper struct{ strings.Builder }

func (d *dumper) line(depth int, format string, args ...any) {
	d.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(d, format, args...)
	d.WriteByte('\n')
}

func (d *dumper) file(f protoreflect.FileDescriptor) {
	d.line(0, "\nfile %s", f.Path())
	d.line(0, "syntax %s package %s", f.Syntax(), f.Package())
	for i := range f.Services().Len() {
		d.service(f.Services().Get(i))
	}
	d.messages(0, f.Messages())
	d.enums(0, f.Enums())
}

func (d *dumper) service(s protoreflect.ServiceDescriptor) {
	d.line(0, "service %s", s.FullName())
	for i := range s.Methods().Len() {
		m := s.Methods().Get(i)
		d.line(1, "rpc %s %s%s -> %s%s", m.Name(), stream(m.IsStreamingClient()), m.Input().Name(),
			stream(m.IsStreamingServer()), m.Output().Name())
	}
}

func stream(is bool) string {
	if is {
		return "stream "
	}
	return ""
}

func (d *dumper) messages(depth int, list protoreflect.MessageDescriptors) {
	for i := range list.Len() {
		m := list.Get(i)
		if m.IsMapEntry() {
			continue
		}
		d.line(depth, "message %s", m.FullName())
		for j := range m.Fields().Len() {
			d.field(depth+1, m.Fields().Get(j))
		}
		for j := range m.ReservedRanges().Len() {
			r := m.ReservedRanges().Get(j)
			d.line(depth+1, "reserved %d to %d", r[0], r[1]-1)
		}
		for j := range m.ReservedNames().Len() {
			d.line(depth+1, "reserved %s", m.ReservedNames().Get(j))
		}
		d.messages(depth+1, m.Messages())
		d.enums(depth+1, m.Enums())
	}
}

func (d *dumper) field(depth int, f protoreflect.FieldDescriptor) {
	text := fmt.Sprintf("%d %s %s", f.Number(), f.Name(), typeOf(f))
	switch {
	case f.IsMap():
		text = fmt.Sprintf("%d %s map<%s, %s>", f.Number(), f.Name(), typeOf(f.MapKey()), typeOf(f.MapValue()))
	case f.IsList():
		text = fmt.Sprintf("%d %s repeated %s", f.Number(), f.Name(), typeOf(f))
	case f.HasOptionalKeyword():
		text += " optional"
	case f.ContainingOneof() != nil:
		text += fmt.Sprintf(" oneof %s", f.ContainingOneof().Name())
	}
	d.line(depth, "%s", text)
}

func typeOf(f protoreflect.FieldDescriptor) string {
	switch {
	case f.Message() != nil:
		return string(f.Message().FullName())
	case f.Enum() != nil:
		return string(f.Enum().FullName())
	default:
		return f.Kind().String()
	}
}

func (d *dumper) enums(depth int, list protoreflect.EnumDescriptors) {
	for i := range list.Len() {
		e := list.Get(i)
		d.line(depth, "enum %s", e.FullName())
		for j := range e.Values().Len() {
			v := e.Values().Get(j)
			d.line(depth+1, "%d %s", v.Number(), v.Name())
		}
		for j := range e.ReservedRanges().Len() {
			r := e.ReservedRanges().Get(j)
			d.line(depth+1, "reserved %d to %d", r[0], r[1])
		}
		for j := range e.ReservedNames().Len() {
			d.line(depth+1, "reserved %s", e.ReservedNames().Get(j))
		}
	}
}
