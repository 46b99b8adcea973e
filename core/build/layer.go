package build

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/crucible-engine/crucible/core/manifest"
)

// Bounds on a layer.
const (
	maxLayerFiles = 100_000
	maxLayerBytes = 512 << 20
)

// layer appends the sources to the base image, within one registry.
func (s Set) layer(ctx context.Context, b manifest.Build) (image, fault string, err error) {
	data, err := s.pack(ctx, b)
	var refused *refusedError
	if errors.As(err, &refused) {
		return "", refused.Error(), nil
	}
	if err != nil {
		return "", "", err
	}
	base, err := name.ParseReference(b.Base)
	if err != nil {
		return "", "", err
	}
	target, err := name.ParseReference(b.Target)
	if err != nil {
		return "", "", err
	}
	if base.Context().RegistryStr() != target.Context().RegistryStr() {
		return "", "", fmt.Errorf("the base is in %s and the target in %s", base.Context().RegistryStr(), target.Context().RegistryStr())
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(s.keychain())}
	from, err := remote.Image(base, options...)
	if err != nil {
		return "", "", fmt.Errorf("get the base %s: %w", b.Base, err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
	if err != nil {
		return "", "", err
	}
	made, err := mutate.AppendLayers(from, layer)
	if err != nil {
		return "", "", err
	}
	if err := remote.Write(target, made, options...); err != nil {
		return "", "", fmt.Errorf("push %s: %w", b.Target, err)
	}
	digest, err := made.Digest()
	if err != nil {
		return "", "", err
	}
	return target.Context().Digest(digest.String()).String(), "", nil
}

// refusedError is a candidate that cannot become a layer.
type refusedError struct{ what string }

func (e *refusedError) Error() string { return e.what }

func refuse(format string, args ...any) error { return &refusedError{fmt.Sprintf(format, args...)} }

// pack makes the layer's archive. The same files give the same bytes: there is no
// time, owner or order of the file system in it. Nothing is followed out of the
// workspace.
func (s Set) pack(ctx context.Context, b manifest.Build) ([]byte, error) {
	root, err := os.OpenRoot(s.Workspace)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out bytes.Buffer
	p := packer{root: root, w: tar.NewWriter(&out), prefix: b.Prefix}
	for _, source := range b.Sources {
		err := fs.WalkDir(root.FS(), source, func(name string, d fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil || d.IsDir() {
				return err
			}
			return p.add(name, d)
		})
		if errors.Is(err, fs.ErrNotExist) {
			err = refuse("the source %s is not there", source)
		}
		if err != nil {
			return nil, err
		}
	}
	if p.files == 0 {
		return nil, refuse("there are no sources")
	}
	return out.Bytes(), p.w.Close()
}

// packer writes files into an archive.
type packer struct {
	root   *os.Root
	w      *tar.Writer
	prefix string
	files  int
	bytes  int64
}

func (p *packer) add(name string, d fs.DirEntry) error {
	if !d.Type().IsRegular() {
		return refuse("%s is no regular file", name)
	}
	f, err := p.root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return refuse("%s is no regular file", name)
	}
	if p.files++; p.files > maxLayerFiles {
		return refuse("there are more than %d sources", maxLayerFiles)
	}
	if p.bytes += info.Size(); p.bytes > maxLayerBytes {
		return refuse("the sources have more than %d bytes", maxLayerBytes)
	}
	data, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err != nil {
		return err
	}
	if int64(len(data)) != info.Size() {
		return refuse("%s changed while it was read", name)
	}
	if what := compiled(name, data); what != "" {
		return refuse("%s is %s, and a layer holds interpreted sources alone", name, what)
	}
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: path.Join(p.prefix, name)[1:], Mode: int64(info.Mode().Perm()), Size: info.Size(), ModTime: time.Unix(0, 0), Format: tar.FormatPAX,
	}
	if err := p.w.WriteHeader(header); err != nil {
		return err
	}
	_, err = p.w.Write(data)
	return err
}
