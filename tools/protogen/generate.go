package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

// generator is a code generator that reads a CodeGeneratorRequest on standard
// input, run with `go tool`.
type generator struct {
	tool string
	// options are the generator's own, as protoc would pass them.
	options string
}

func generators() []generator {
	return []generator{
		{tool: "protoc-gen-go", options: "paths=source_relative"},
		{tool: "protoc-gen-go-grpc", options: "paths=source_relative"},
	}
}

// run returns the files that the generator makes of the request.
func (g generator) run(ctx context.Context, request *pluginpb.CodeGeneratorRequest) ([]*pluginpb.CodeGeneratorResponse_File, error) {
	request = proto.CloneOf(request)
	request.Parameter = proto.String(g.options)
	in, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "tool", g.tool)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &response); err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, errors.New(response.GetError())
	}
	return response.GetFile(), nil
}
