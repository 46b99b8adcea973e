package conformance

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/transport/transportrpc"
)

// greased are the cases of an engine that is newer than the plugin.
func greased() []Case {
	return []Case{
		{Name: "unknown-field", Demand: "A field that the plugin does not know, in any message, changes nothing.", run: unknownField},
		{Name: "unknown-value", Demand: "A value that the plugin does not know, where a choice is required, is an invalid request.", run: unknownValue},
	}
}

// conn is a connection that changes every message on its way out.
type conn struct {
	grpc.ClientConnInterface
	change func(proto.Message)
}

func (c conn) Invoke(ctx context.Context, method string, req, resp any, opts ...grpc.CallOption) error {
	c.change(req.(proto.Message))
	return c.ClientConnInterface.Invoke(ctx, method, req, resp, opts...)
}

func (c conn) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := c.ClientConnInterface.NewStream(ctx, desc, method, opts...)
	return clientStream{s, c.change}, err
}

type clientStream struct {
	grpc.ClientStream
	change func(proto.Message)
}

func (s clientStream) SendMsg(m any) error {
	s.change(m.(proto.Message))
	return s.ClientStream.SendMsg(m)
}

// grease adds a field that nobody knows to a message and to all within it.
func grease(m protoreflect.Message) {
	field := protowire.AppendTag(nil, 19_876, protowire.BytesType)
	m.SetUnknown(protowire.AppendString(field, "from the future"))
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil || f.IsMap():
		case f.IsList():
			for i := range v.List().Len() {
				grease(v.List().Get(i).Message())
			}
		default:
			grease(v.Message())
		}
		return true
	})
}

func unknownField(t T, target Target) {
	ctx, p := configured(t, target)
	newer := conn{p.conn, func(m proto.Message) { grease(m.ProtoReflect()) }}
	turn := newTurn(t, target, "echo fine")
	h := &heard{}
	result, err := transportrpc.NewClient(newer, pluginrpc.Peer{}).RunTurn(ctx, turn, h.add)
	if err != nil || result.Outcome != transport.OutcomeCompleted || !h.has("fine") {
		t.Errorf("the turn ended with %v, %v", result, err)
	}
}

func unknownValue(t T, target Target) {
	ctx, p := configured(t, target)
	newer := conn{p.conn, func(m proto.Message) {
		if req, ok := m.(*transportv1.RunTurnRequest); ok {
			req.Session.Action = 99
		}
	}}
	turn := newTurn(t, target, "echo fine")
	turn.Session = &transport.Session{Name: "solver", Action: transport.SessionStart, Turn: 1}
	_, err := transportrpc.NewClient(newer, pluginrpc.Peer{}).RunTurn(ctx, turn, func(transport.Event) error { return nil })
	if !errors.Is(err, contract.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}
