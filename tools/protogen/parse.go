package main

import (
	"context"
	"io/fs"
	"os"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// find lists the files under dir whose names end in suffix: relative to dir,
// with forward slashes, sorted.
func find(dir, suffix string) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && strings.HasSuffix(name, suffix) {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// parse compiles the sources and describes them, with their imports and their
// comments, as generators want it. An error carries file:line:col.
func parse(ctx context.Context, dir string, sources []string) (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			ImportPaths: []string{dir},
		}),
		// Comments become the doc comments of the generated code.
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, sources...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: sources}
	seen := map[string]bool{}
	for _, f := range files {
		request.ProtoFile = appendFile(request.ProtoFile, seen, f)
	}
	return request, nil
}

// appendFile adds f to list, its imports before it, each file once.
func appendFile(list []*descriptorpb.FileDescriptorProto, seen map[string]bool, f protoreflect.FileDescriptor) []*descriptorpb.FileDescriptorProto {
	if seen[f.Path()] {
		return list
	}
	seen[f.Path()] = true
	imports := f.Imports()
	for i := range imports.Len() {
		list = appendFile(list, seen, imports.Get(i).FileDescriptor)
	}
	return append(list, protoutil.ProtoFromFileDescriptor(f))
}
