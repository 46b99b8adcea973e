package sdk

import (
	"fmt"
	"io"
	"os"

	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	worldv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/transport/transportrpc"
	"github.com/crucible-engine/crucible/sdk/world"
	"github.com/crucible-engine/crucible/sdk/world/worldrpc"
)

// Info is what a plugin says about itself. Kind and Contract are filled in by
// the SDK.
type Info = plugin.Info

// ServeTransport serves a transport until the host has no more use for it, and
// ends the process. Without a host it answers --describe, or tells a person what
// the program is and exits with status 1. The abilities of package plugin that
// impl has are used: Validator, Configurer, Checker and Shutdowner.
func ServeTransport(info Info, impl transport.Transport) {
	info.Kind = plugin.KindTransport
	serve(info, impl, func(r grpc.ServiceRegistrar) {
		transportv1.RegisterTransportServiceServer(r, transportrpc.NewServer(impl))
	})
}

// ServeWorld does for a world what ServeTransport does for a transport.
func ServeWorld(info Info, impl world.World) {
	info.Kind = plugin.KindWorld
	serve(info, impl, func(r grpc.ServiceRegistrar) {
		worldv1.RegisterWorldServiceServer(r, worldrpc.NewServer(impl))
	})
}

func serve(info Info, impl any, register func(grpc.ServiceRegistrar)) {
	info.Contract = contract.Version
	if code, done := answer(info, os.Args[1:], os.Getenv(contract.CookieKey), os.Stdout, os.Stderr); done {
		os.Exit(code)
	}
	os.Exit(newProcess(info, impl, register).run())
}

// answer deals with a start that is not a host's, and with a description that no
// host would take. It returns the exit status when that was all.
func answer(info Info, args []string, cookie string, stdout, stderr io.Writer) (code int, done bool) {
	err := info.Validate()
	switch {
	case err != nil:
	case len(args) == 1 && args[0] == contract.DescribeFlag:
		err = info.Write(stdout)
	case cookie == contract.CookieValue:
		return 0, false
	default:
		fmt.Fprintf(stderr, `This is the %[1]s plugin %[2]q, version %[3]s, for crucible with contract %[4]s.
It does nothing by itself: crucible starts it, by the name crucible-%[1]s-%[6]s.
"crucible plugin list" shows the plugins that it finds, and "%[5]s" prints
what this one is.
`, info.Kind, info.Name, info.Version, info.Contract, contract.DescribeFlag, info.Name)
		return 1, true
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1, true
	}
	return 0, true
}
