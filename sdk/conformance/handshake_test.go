package conformance_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/crucible-engine/crucible/sdk/conformance"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// TestHandshakeFaults: what the engine would not connect to fails the suite, and
// says why.
func TestHandshakeFaults(t *testing.T) {
	t.Parallel()
	protocol := fmt.Sprint(contract.Protocol())
	for line, want := range map[string]string{
		"1|" + protocol + "|unix|/run/s|grpc|AAAA":          "PLUGIN_UNIX_SOCKET_DIR",
		"1|" + protocol + "|unix|$D/../s|grpc|AAAA":         "PLUGIN_UNIX_SOCKET_DIR",
		"1|" + protocol + "|tcp|192.0.2.1:80|grpc|AAAA":     "loopback",
		"1|" + protocol + "|tcp|localhost:80|grpc|AAAA":     "loopback",
		"1|" + protocol + "|udp|127.0.0.1:80|grpc|AAAA":     `the network "udp"`,
		"1|" + protocol + "|unix|$D/s|grpc|AA==":            "certificate in the handshake",
		"1|" + protocol + "|unix|$D/s|grpc":                 "not a handshake",
		"1|" + protocol + "|unix|$D/s|netrpc|AAAA":          "not a handshake",
		"1|9999|unix|$D/s|grpc|AAAA":                        "the plugin speaks protocol 9999",
		"Hello, I am a plugin! And this is |no| handshake.": "not a handshake",
	} {
		script := "D=$PLUGIN_UNIX_SOCKET_DIR; echo \"" + line + "\"; cat >/dev/null"
		outcome := find(t, conformance.Transport(), "describe").Try(t.Context(), conformance.Target{Command: []string{"/bin/sh", "-c", script}})
		if text := strings.Join(outcome.Log, "\n"); !outcome.Failed || !strings.Contains(text, want) {
			t.Errorf("%s: want a fault with %q, got %q", line, want, text)
		}
	}
}

// takesAnyone serves a plugin that does not ask who connects.
func takesAnyone() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s"))
	if err != nil {
		return err
	}
	log := hclog.NewNullLogger()
	about := info
	about.Kind, about.Contract = "transport", contract.Version
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12,
	})))
	pluginv1.RegisterPluginServiceServer(server, pluginrpc.NewServer(about, nil, pluginrpc.NewCalls(log), log))
	fmt.Printf("1|%d|unix|%s|grpc|%s\n", contract.Protocol(), listener.Addr(), base64.RawStdEncoding.EncodeToString(der))
	return server.Serve(listener)
}
