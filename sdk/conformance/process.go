package conformance

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	"github.com/crucible-engine/crucible/sdk/proc"
)

// process is a plugin that was started as the engine starts one, by hand: the
// suite looks at every line and every descriptor, and says in one place what a
// host does.
type process struct {
	child          *proc.Process
	lifeline       *os.File
	stdout, stderr *output
	conn           *grpc.ClientConn
	socketDir      string
}

// environment is all that a plugin may count on.
func environment(home, tmp string, target Target) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C", "TMPDIR=" + tmp}, target.Env...)
}

// run runs the command line to its end and returns what it printed, for starts
// that are not a host's.
func run(t T, target Target, env []string, args ...string) (exit proc.Exit, stdout, stderr string) {
	t.Helper()
	out, errs := newOutput(), newOutput()
	exit, err := proc.Run(t.Context(), proc.Command{
		Path: target.Command[0], Args: append(target.Command[:len(target.Command):len(target.Command)], args...),
		Env: env, StdoutTo: out, StderrTo: errs, Timeout: contract.StartTimeout,
	})
	if err != nil {
		t.Fatalf("run %s: %v", target.Command[0], err)
	}
	return exit, out.String(), errs.String()
}

// start starts the plugin and shakes hands. The process is killed at the end of
// the case if it still runs.
func start(t T, target Target) *process {
	t.Helper()
	// The path of a socket has little room, so this is not t.TempDir.
	dir, err := os.MkdirTemp("", "cc-")
	if err != nil {
		t.Fatalf("make a socket directory: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	certificate, certificateText, err := hostCertificate()
	if err != nil {
		t.Fatalf("make a certificate: %v", err)
	}
	env := append(environment(t.TempDir(), t.TempDir(), target),
		contract.CookieKey+"="+contract.CookieValue,
		"PLUGIN_PROTOCOL_VERSIONS="+strconv.Itoa(contract.Protocol()),
		"PLUGIN_MIN_PORT=10000", "PLUGIN_MAX_PORT=25000",
		"PLUGIN_UNIX_SOCKET_DIR="+dir,
		"PLUGIN_CLIENT_CERT="+certificateText,
	)
	p := launch(t, target, env)
	p.socketDir = dir
	line, err := p.stdout.firstLine(p.child.Done(), contract.StartTimeout)
	if err == nil {
		p.conn, err = dial(line, dir, &certificate)
	}
	if err != nil {
		t.Fatalf("start the plugin: %v\nits stderr: %s", err, p.stderr)
	}
	t.Cleanup(func() { p.conn.Close() })
	return p
}

// launch starts the process with a pipe as its stdin.
func launch(t T, target Target, env []string) *process {
	t.Helper()
	stdin, lifeline, err := os.Pipe()
	if err != nil {
		t.Fatalf("make a pipe: %v", err)
	}
	defer stdin.Close()
	p := &process{lifeline: lifeline, stdout: newOutput(), stderr: newOutput()}
	// The process outlives the context of the case, so that its end can be tried
	// as the last thing; it is killed in the cleanup.
	p.child, err = proc.Start(context.WithoutCancel(t.Context()), proc.Command{
		Path: target.Command[0], Args: target.Command, Env: env, Stdin: stdin, StdoutTo: p.stdout, StderrTo: p.stderr,
	})
	if err != nil {
		lifeline.Close()
		t.Fatalf("start the plugin: %v", err)
	}
	t.Cleanup(func() {
		lifeline.Close()
		p.child.Kill()
		<-p.child.Done()
	})
	return p
}

// dial connects to what a handshake line names:
// CORE|PROTOCOL|NETWORK|ADDRESS|grpc|CERTIFICATE. A socket must be in dir. Whoever
// dials shows the certificate, or none.
func dial(line, dir string, certificate *tls.Certificate) (*grpc.ClientConn, error) {
	fields := strings.Split(line, "|")
	if len(fields) < 6 || fields[0] != "1" || fields[4] != "grpc" {
		return nil, fmt.Errorf("the first line of stdout is not a handshake: %.200q", line)
	}
	if want := strconv.Itoa(contract.Protocol()); fields[1] != want {
		return nil, fmt.Errorf("the plugin speaks protocol %s; this suite tries %s", fields[1], want)
	}
	network, address := fields[2], fields[3]
	if err := checkAddress(network, address, dir); err != nil {
		return nil, err
	}
	pool, err := pluginPool(fields[5])
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: pool, ServerName: "localhost", MinVersion: tls.VersionTLS12}
	if certificate != nil {
		config.Certificates = []tls.Certificate{*certificate}
	}
	return grpc.NewClient("passthrough:plugin", append(pluginrpc.DialOptions(),
		grpc.WithTransportCredentials(credentials.NewTLS(config)),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}),
	)...)
}

// checkAddress wants what the engine wants: a socket in the directory that it
// has named, or the loopback interface.
func checkAddress(network, address, dir string) error {
	switch network {
	case "unix":
		if !strings.HasPrefix(filepath.Clean(address), dir+"/") {
			return fmt.Errorf("the plugin serves on the socket %.200q, which is not in the directory that PLUGIN_UNIX_SOCKET_DIR names", address)
		}
		return nil
	case "tcp":
		if at, err := netip.ParseAddrPort(address); err != nil || !at.Addr().IsLoopback() {
			return fmt.Errorf("the plugin serves on %.200q, want a unix socket or a loopback address", address)
		}
		return nil
	default:
		return fmt.Errorf("the handshake names the network %.20q, want unix or tcp", network)
	}
}

// ended waits for the process to end.
func (p *process) ended(limit time.Duration) (proc.Exit, error) {
	wait := time.NewTimer(limit)
	defer wait.Stop()
	select {
	case <-p.child.Done():
		return p.child.Wait()
	case <-wait.C:
		return proc.Exit{}, errors.New("it still runs after " + limit.String())
	}
}
