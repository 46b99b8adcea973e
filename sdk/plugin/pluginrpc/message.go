package pluginrpc

import (
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// CheckMessage says what keeps a message from being sent: a text that is not
// UTF-8, or more bytes than a message may have. The error is of the given kind,
// names the field and shows nothing of its value.
func CheckMessage(kind contract.Kind, op string, m proto.Message) error {
	if path := badText(m.ProtoReflect(), ""); path != "" {
		return &contract.Error{Kind: kind, Op: op, Subject: path, Message: "not UTF-8"}
	}
	// The frame and the compression flag of gRPC come on top.
	if size := proto.Size(m); size > contract.MaxMessage {
		return &contract.Error{Kind: kind, Op: op, Message: fmt.Sprintf("%d bytes in one message; the limit is %d", size, contract.MaxMessage)}
	}
	return nil
}

// badText is the path of the first string in m that is not UTF-8.
func badText(m protoreflect.Message, path string) (found string) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := path + string(f.Name())
		switch {
		case f.IsMap():
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				if f.MapKey().Kind() == protoreflect.StringKind && !utf8.ValidString(k.String()) {
					found = at
				}
				if found == "" {
					found = badValue(f.MapValue(), v, at)
				}
				return found == ""
			})
		case f.IsList():
			for i := 0; i < v.List().Len() && found == ""; i++ {
				found = badValue(f, v.List().Get(i), fmt.Sprintf("%s[%d]", at, i))
			}
		default:
			found = badValue(f, v, at)
		}
		return found == ""
	})
	return found
}

func badValue(f protoreflect.FieldDescriptor, v protoreflect.Value, path string) string {
	switch {
	case f.Message() != nil:
		return badText(v.Message(), path+".")
	case f.Kind() == protoreflect.StringKind && !utf8.ValidString(v.String()):
		return path
	default:
		return ""
	}
}
