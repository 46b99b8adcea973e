package host_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	worldv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/transport/transportrpc"
	"github.com/crucible-engine/crucible/sdk/world/worldrpc"
)

// playPlugin is the main function of every plugin of the tests. All but one of
// them use no more of the SDK than a plugin in another language would have, so
// that they can break every promise.
func playPlugin(kind, behaviour string) {
	s := server{
		info:     plugin.Info{Kind: kind, Name: behaviour, Version: "1.2.3", Contract: contract.Version},
		protocol: contract.Protocol(),
		lifeline: true,
	}
	switch behaviour {
	case "prints":
		fmt.Println("Hello, I am a plugin!")
	case "mute":
		fmt.Fprintln(os.Stderr, "waiting for inspiration")
		wait()
	case "exits":
		fmt.Fprintln(os.Stderr, "no license found")
		os.Exit(3)
	case "crashes":
		panic("a fault")
	case "dies-at-once":
		dieAfterHandshake()
	case "deaf":
		deaf()
	case "elsewhere":
		fmt.Printf("1|%d|unix|/tmp/plugin.sock|grpc|%s\n", contract.Protocol(), strings.Repeat("c", 100))
		wait()
	case "future":
		s.protocol, s.info.Contract = contract.Protocol()+1, "0.99.0"
		if len(os.Args) == 2 && os.Args[1] == contract.DescribeFlag {
			_ = s.info.Write(os.Stdout)
			return
		}
	case "future-mute":
		s.protocol = contract.Protocol() + 1
	case "liar":
		s.info.Contract = "0.99.0"
	case "impostor":
		s.info.Name = "good"
	case "slow-describe":
		s.describe = wait
	case "slow-configure":
		s.configure = func() error { wait(); return nil }
	case "picky":
		s.configure = func() error {
			return &contract.Error{Kind: contract.KindInvalid, Op: "read settings", Subject: "image.tag", Message: "unknown key"}
		}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		s.shutdown, s.lifeline, s.afterServe = wait, false, wait
	case "sdk":
		log := hclog.New(&hclog.LoggerOptions{Output: os.Stderr, JSONFormat: true})
		sdk.ServeTransport(sdk.Info{Name: behaviour, Version: "1.2.3"}, faultyTransport{os.Stderr, log})
	case "bare": // for go-plugin alone, which gives it no stdin
		s.lifeline = false
	case "foreign":
		s.noController = true
	case "needy":
		s.info.NeedsEnv = []string{"HOST_TEST_GRANTED"}
	}
	s.serve()
}

// wait ends with the process.
func wait() { select {} }

// dieAfterHandshake passes the first line of stdout on and exits.
func dieAfterHandshake() {
	r, w, err := os.Pipe()
	if err != nil {
		os.Exit(1)
	}
	stdout := os.Stdout
	os.Stdout = w
	go func() {
		line, _ := bufio.NewReader(r).ReadString('\n')
		_, _ = stdout.WriteString(line)
		os.Exit(4)
	}()
}

// deaf shakes hands and never accepts a connection.
func deaf() {
	path := os.Getenv("PLUGIN_UNIX_SOCKET_DIR") + "/s"
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
	}
	if err == nil {
		err = syscall.Listen(fd, 8)
	}
	var certificate []byte
	if err == nil {
		certificate, err = selfSigned()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("1|%d|unix|%s|grpc|%s\n", contract.Protocol(), path, base64.RawStdEncoding.EncodeToString(certificate))
	wait()
}

func selfSigned() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	return x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
}

// server serves a plugin; the functions replace what a good one does.
type server struct {
	info     plugin.Info
	protocol int
	// lifeline: the process exits when its stdin ends.
	lifeline bool
	// noController: go-plugin's own request to exit is not answered.
	noController bool

	describe, shutdown, afterServe func()
	configure                      func() error
}

func (s server) serve() {
	log := hclog.New(&hclog.LoggerOptions{Output: os.Stderr, JSONFormat: true, Level: hclog.Trace})
	calls := pluginrpc.NewCalls(log)
	service := faultyService{Server: pluginrpc.NewServer(s.info, nil, calls, log), server: s}
	stderr := os.Stderr // go-plugin replaces the variable
	if s.lifeline {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			fmt.Fprintln(stderr, "stdin ended")
			os.Exit(0)
		}()
	}
	register := func(r *grpc.Server) {
		pluginv1.RegisterPluginServiceServer(r, service)
		transportv1.RegisterTransportServiceServer(r, transportrpc.NewServer(faultyTransport{stderr, log}))
		worldv1.RegisterWorldServiceServer(r, worldrpc.NewServer(&memoryWorld{}))
	}
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: contract.CookieKey, MagicCookieValue: contract.CookieValue},
		VersionedPlugins: map[int]goplugin.PluginSet{s.protocol: {contract.PluginSet: registrar{register: register}}},
		Logger:           log,
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			options = append(options, pluginrpc.ServerOptions(calls)...)
			if s.noController {
				options = append(options, grpc.ChainUnaryInterceptor(ignoreController))
			}
			return grpc.NewServer(options...)
		},
	})
	if s.noController {
		wait()
	}
	if s.afterServe != nil {
		s.afterServe()
	}
}

// ignoreController behaves like a plugin without GRPCController.
func ignoreController(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if strings.Contains(info.FullMethod, "GRPCController") {
		return nil, errors.ErrUnsupported
	}
	return handler(ctx, req)
}

// registrar registers services with go-plugin's server.
type registrar struct {
	goplugin.NetRPCUnsupportedPlugin
	register func(*grpc.Server)
}

func (r registrar) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	r.register(s)
	return nil
}

func (registrar) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.ErrUnsupported
}

// faultyService is the service of every plugin with the faults of one.
type faultyService struct {
	*pluginrpc.Server
	server server
}

func (s faultyService) Describe(ctx context.Context, req *pluginv1.DescribeRequest) (*pluginv1.DescribeResponse, error) {
	if s.server.describe != nil {
		s.server.describe()
	}
	return s.Server.Describe(ctx, req)
}

func (s faultyService) Configure(ctx context.Context, req *pluginv1.ConfigureRequest) (*pluginv1.ConfigureResponse, error) {
	if s.server.configure != nil {
		if err := s.server.configure(); err != nil {
			return nil, err
		}
	}
	if info, err := os.Stat(req.GetScratchDir()); err != nil || info.Mode().Perm() != 0o700 {
		return nil, fmt.Errorf("bad scratch directory %q: %v", req.GetScratchDir(), err)
	}
	return s.Server.Configure(ctx, req)
}

func (s faultyService) Shutdown(ctx context.Context, req *pluginv1.ShutdownRequest) (*pluginv1.ShutdownResponse, error) {
	if s.server.shutdown != nil {
		s.server.shutdown()
	}
	return s.Server.Shutdown(ctx, req)
}

// faultyTransport does what the command of a turn says. Every turn first tells
// its process id.
type faultyTransport struct {
	stderr *os.File
	log    hclog.Logger
}

func (f faultyTransport) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	say := func(text string) error {
		return emit(transport.Output{Stream: transport.Stdout, Line: []byte(text)})
	}
	if err := say(fmt.Sprint(os.Getpid())); err != nil {
		return transport.Result{}, err
	}
	switch turn.Command {
	case "env":
		for _, entry := range os.Environ() {
			_ = say(entry)
		}
	case "die":
		fmt.Fprintln(f.stderr, "out of cheese")
		os.Exit(5)
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "panic":
		panic("a fault")
	case "crash": // no handler of a panic can save a process from this one
		go func() { panic("unrecoverable") }()
		wait()
	case "hang":
		<-ctx.Done()
		return transport.Result{}, ctx.Err()
	case "deaf": // cancelled or not
		wait()
	case "grandchild", "grandchild-setsid":
		if err := f.grandchild(turn.Command == "grandchild-setsid", say); err != nil {
			return transport.Result{}, err
		}
	case "noise":
		fmt.Println("to stdout")
		fmt.Fprintln(os.Stderr, "to stderr")
		f.log.Info("to the log", "number", 7)
		fmt.Fprintln(f.stderr, strings.Repeat("x", 3<<20))
		f.log.Warn("after the long line")
	case "big":
		for range 20 {
			if err := say(strings.Repeat("x", contract.MaxLine)); err != nil {
				return transport.Result{}, err
			}
		}
	case "unavailable":
		return transport.Result{}, &contract.Error{Kind: contract.KindUnavailable, Op: "run turn", Message: "gateway is down"}
	}
	return transport.Result{Outcome: transport.OutcomeCompleted, CostSource: transport.CostFree, WorkspaceSynced: true}, nil
}

// grandchild leaves a process behind that holds the plugin's stdout and stderr.
func (f faultyTransport) grandchild(setsid bool, say func(string) error) error {
	cmd := exec.Command("sleep", "600")
	cmd.Stdout, cmd.Stderr = os.NewFile(1, "stdout"), f.stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: setsid}
	if err := cmd.Start(); err != nil {
		return err
	}
	return say(fmt.Sprint(cmd.Process.Pid))
}

func (f faultyTransport) ReleaseRun(context.Context, string) error { return nil }
