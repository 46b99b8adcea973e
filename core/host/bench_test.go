package host_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/contract"
)

// BenchmarkStart starts two plugins with the host, which the operator named, or
// which must be hashed before they run; BenchmarkBareStart does the same with
// go-plugin alone.
func BenchmarkStart(b *testing.B) {
	f := newFixture(b)
	for _, kind := range []string{"transport", "world"} {
		install(b, f.named, kind, "good")
		f.trust(b, install(b, f.standard, kind, "good"))
	}
	b.Run("trusted", func(b *testing.B) {
		trusted := *f
		trusted.env = maps.Clone(f.env)
		delete(trusted.env, "CRUCIBLE_PLUGIN_PATH")
		benchmarkStart(b, &trusted)
	})
	if err := os.Remove(f.lock); err != nil {
		b.Fatal(err)
	}
	b.Run("named", func(b *testing.B) { benchmarkStart(b, f) })
}

func benchmarkStart(b *testing.B, f *fixture) {
	for b.Loop() {
		h, err := host.New(host.Options{Getenv: func(name string) string { return f.env[name] }})
		if err != nil {
			b.Fatal(err)
		}
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := h.Transport(context.Background(), "good"); err != nil {
				b.Error(err)
			}
		})
		group.Go(func() {
			if _, err := h.World(context.Background(), "good"); err != nil {
				b.Error(err)
			}
		})
		group.Wait()
		b.StopTimer()
		if err := h.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkBareStart(b *testing.B) {
	f := newFixture(b)
	paths := []string{install(b, f.named, "transport", "bare"), install(b, f.named, "world", "bare")}
	for b.Loop() {
		clients := make([]*goplugin.Client, len(paths))
		var group sync.WaitGroup
		for i, path := range paths {
			group.Go(func() {
				clients[i] = goplugin.NewClient(&goplugin.ClientConfig{
					HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: contract.CookieKey, MagicCookieValue: contract.CookieValue},
					VersionedPlugins: map[int]goplugin.PluginSet{contract.Protocol(): {}},
					AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
					Cmd:              exec.Command(path),
					AutoMTLS:         true,
					Logger:           hclog.NewNullLogger(),
				})
				client, err := clients[i].Client()
				if err == nil {
					err = client.Ping()
				}
				if err != nil {
					b.Error(err)
				}
			})
		}
		group.Wait()
		b.StopTimer()
		for _, client := range clients {
			client.Kill()
		}
		b.StartTimer()
	}
}
