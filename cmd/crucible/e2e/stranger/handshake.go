package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"math/big"
	"net"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// identify makes this process's certificate, for localhost, and wants that of
// the engine from whoever connects. The text is the sixth part of the handshake.
func identify(engine string) (*tls.Config, string, error) {
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(engine)) {
		return nil, "", errors.New("PLUGIN_CLIENT_CERT holds no certificate")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, "", err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: "localhost"},
		DNSNames:     []string{"localhost"},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, "", err
	}
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    trusted,
		MinVersion:   tls.VersionTLS12,
	}, base64.RawStdEncoding.EncodeToString(der), nil
}

// listen opens a socket with a short name: its whole path has little room.
func listen(dir string) (net.Listener, error) {
	if dir == "" {
		return nil, errors.New("PLUGIN_UNIX_SOCKET_DIR is not set")
	}
	return net.Listen("unix", filepath.Join(dir, "s"))
}

// registerController answers plugin.GRPCController/Shutdown, the last call that
// a plugin gets: over is closed then.
func registerController(server *grpc.Server, over chan struct{}) {
	end := sync.OnceFunc(func() { close(over) })
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "plugin.GRPCController",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{
			MethodName: "Shutdown",
			Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
				defer end()
				return &emptypb.Empty{}, decode(&emptypb.Empty{})
			},
		}},
	}, nil)
}
