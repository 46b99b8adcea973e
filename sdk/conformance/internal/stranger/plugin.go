package main

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// fault is an error as the contract wants it.
func fault(code codes.Code, kind pluginv1.ErrorKind, op, message, subject string) error {
	s, err := status.New(code, message).WithDetails(&pluginv1.ErrorDetail{Kind: kind, Op: op, Message: message, Subject: subject})
	if err != nil {
		return err
	}
	return s.Err()
}

type pluginService struct {
	pluginv1.UnimplementedPluginServiceServer
	calls *calls
	turns *turns
	stop  func()

	mu         sync.Mutex
	configured bool
}

func (*pluginService) Describe(context.Context, *pluginv1.DescribeRequest) (*pluginv1.DescribeResponse, error) {
	return description(), nil
}

// unknown is the first key of the settings: none is known.
func unknown(settings []byte) string {
	keys := map[string]any{}
	_ = json.Unmarshal(settings, &keys)
	for key := range keys {
		return key
	}
	return ""
}

func (*pluginService) Validate(_ context.Context, req *pluginv1.ValidateRequest) (*pluginv1.ValidateResponse, error) {
	out := &pluginv1.ValidateResponse{}
	if key := unknown(req.SettingsJson); key != "" {
		out.Diagnostics = append(out.Diagnostics, &pluginv1.Diagnostic{Severity: pluginv1.Severity_SEVERITY_ERROR, Path: key, Message: "unknown key"})
	}
	return out, nil
}

func (p *pluginService) Configure(_ context.Context, req *pluginv1.ConfigureRequest) (*pluginv1.ConfigureResponse, error) {
	if key := unknown(req.SettingsJson); key != "" {
		return nil, fault(codes.InvalidArgument, pluginv1.ErrorKind_ERROR_KIND_INVALID, "configure", "unknown key", key)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.configured {
		return nil, fault(codes.Aborted, pluginv1.ErrorKind_ERROR_KIND_CONFLICT, "configure", "it was configured already", "")
	}
	p.configured = true
	return &pluginv1.ConfigureResponse{}, nil
}

func (*pluginService) Check(context.Context, *pluginv1.CheckRequest) (*pluginv1.CheckResponse, error) {
	return &pluginv1.CheckResponse{}, nil
}

// Settle answers when a call has ended.
func (p *pluginService) Settle(ctx context.Context, req *pluginv1.SettleRequest) (*pluginv1.SettleResponse, error) {
	p.calls.settle(ctx, req.CallId)
	return &pluginv1.SettleResponse{}, nil
}

// Shutdown refuses new turns and lets those in flight end, for as long as the
// grace lasts.
func (p *pluginService) Shutdown(_ context.Context, req *pluginv1.ShutdownRequest) (*pluginv1.ShutdownResponse, error) {
	p.calls.close()
	p.turns.close(time.Duration(req.GraceMillis) * time.Millisecond)
	return &pluginv1.ShutdownResponse{}, nil
}

// end ends the process and what its turns have started.
func (p *pluginService) end() {
	p.turns.close(0)
	time.AfterFunc(time.Second, func() { os.Exit(0) }) // when a connection holds Stop up
	p.stop()
}

// registerController serves plugin.GRPCController, whose only call has an empty
// message both ways.
func registerController(server *grpc.Server, end func()) {
	shutdown := func(_ any, ctx context.Context, read func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		if err := read(&emptypb.Empty{}); err != nil {
			return nil, err
		}
		go end()
		return &emptypb.Empty{}, nil
	}
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "plugin.GRPCController", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Shutdown", Handler: shutdown}},
	}, nil)
}
