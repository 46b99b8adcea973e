package conformance

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
)

// common is what every plugin of a kind is tried for.
func common(kind string) []Case {
	return []Case{
		{Name: "describe", Demand: "Describe is answered before Configure, with the kind, a name, a version and a contract that this suite knows.",
			run: func(t T, target Target) { describes(t, target, kind) }},
		{Name: "describe-flag", Demand: "With --describe alone the program prints what Describe answers as one JSON object, and exits with status 0.",
			process: true, run: describeFlag},
		{Name: "no-host", Demand: "Without a host the program says what it is on stderr, prints nothing to stdout and exits with status 1.",
			process: true, run: noHost},
		{Name: "other-host", Demand: "A connection that does not show the certificate of PLUGIN_CLIENT_CERT is refused.",
			process: true, run: otherHost},
		{Name: "unknown-setting", Demand: "A settings key that the plugin does not know is an error with the key's path, in Validate and in Configure.",
			run: unknownSetting},
		{Name: "configure-once", Demand: "A second Configure is refused as a conflict.", run: configureOnce},
		{Name: "shutdown", Demand: "Shutdown is answered within its grace, and new calls are refused afterwards.", run: shutsDown},
		{Name: "stdin-end", Demand: "When stdin ends the process ends within two seconds.", process: true, run: stdinEnd},
		{Name: "sigterm", Demand: "On SIGTERM the process ends.", process: true, run: sigterm},
		{Name: "quiet", Demand: "Nothing but the handshake is printed to stdout.", process: true, run: quiet},
	}
}

func describes(t T, target Target, kind string) {
	info := connect(t, target).describe(t)
	if info.Kind != kind {
		t.Errorf("the kind is %q, want %q", info.Kind, kind)
	}
	theirs, err := contract.ParseSemver(info.Contract)
	if err != nil || theirs.Protocol() != contract.Protocol() {
		t.Errorf("the contract is %q; this suite tries %s", info.Contract, contract.Version)
	}
}

func describeFlag(t T, target Target) {
	exit, stdout, stderr := run(t, target, environment(t.TempDir(), t.TempDir(), target), contract.DescribeFlag)
	if !exit.Success() {
		t.Fatalf("it ended with %v: %s", exit, stderr)
	}
	got, err := plugin.ReadInfo(strings.NewReader(stdout))
	if err != nil {
		t.Fatalf("%v: %.200q", err, stdout)
	}
	if want := connect(t, target).describe(t); fmt.Sprintf("%+v", want) != fmt.Sprintf("%+v", got) {
		t.Errorf("Describe answers %+v, --describe %+v", want, got)
	}
}

func noHost(t T, target Target) {
	exit, stdout, stderr := run(t, target, environment(t.TempDir(), t.TempDir(), target))
	if exit.Code != 1 || stdout != "" || !strings.Contains(stderr, "crucible") {
		t.Errorf("it ended with %v, stdout %.200q, stderr %.200q", exit, stdout, stderr)
	}
}

func otherHost(t T, target Target) {
	p := connect(t, target).process
	line, err := p.stdout.firstLine(p.child.Done(), contract.StartTimeout)
	if err != nil {
		t.Fatalf("%v", err)
	}
	other, _, err := hostCertificate()
	if err != nil {
		t.Fatalf("make a certificate: %v", err)
	}
	for name, certificate := range map[string]*tls.Certificate{"no certificate": nil, "another certificate": &other} {
		conn, err := dial(line, p.socketDir, certificate)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if info, err := pluginrpc.NewClient(conn, pluginrpc.Peer{}).Describe(t.Context()); err == nil {
			t.Errorf("with %s it answers that it is %s %s", name, info.Kind, info.Name)
		}
		conn.Close()
	}
}

func unknownSetting(t T, target Target) {
	const key = "no_plugin_has_this_key"
	ctx, settings := t.Context(), plugin.Settings(`{"`+key+`":1}`)
	p := connect(t, target)
	found, err := p.plugin.Validate(ctx, settings)
	if err != nil {
		t.Fatalf("validate: %v", err)
	}
	named := false
	for _, d := range found {
		named = named || d.Path == key && d.Severity == plugin.SeverityError
	}
	if !named {
		t.Errorf("Validate found %+v", found)
	}
	err = p.plugin.Configure(ctx, pluginrpc.Setup{Settings: settings, ScratchDir: t.TempDir()})
	var e *contract.Error
	if !errors.As(err, &e) || e.Kind != contract.KindInvalid || e.Subject != key {
		t.Errorf("Configure answered %v", err)
	}
}

func configureOnce(t T, target Target) {
	ctx, p := configured(t, target)
	err := p.plugin.Configure(ctx, pluginrpc.Setup{Settings: target.Settings, ScratchDir: t.TempDir()})
	if !errors.Is(err, contract.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

func shutsDown(t T, target Target) {
	ctx, p := configured(t, target)
	begin := time.Now()
	if err := p.plugin.Shutdown(ctx, time.Second); err != nil {
		t.Fatalf("shutdown: %v", err)
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("Shutdown with a grace of 1s took %v", took)
	}
	if _, err := p.plugin.Check(ctx); !errors.Is(err, contract.ErrUnavailable) {
		t.Errorf("a call after Shutdown: got %v", err)
	}
}

// orphanTime is how long a plugin may live when the engine is gone.
const orphanTime = 2 * time.Second

func stdinEnd(t T, target Target) {
	_, p := configured(t, target)
	p.process.lifeline.Close()
	if _, err := p.process.ended(orphanTime); err != nil {
		t.Errorf("%v", err)
	}
}

func sigterm(t T, target Target) {
	_, p := configured(t, target)
	p.process.signal(t, syscall.SIGTERM)
	if _, err := p.process.ended(contract.ShutdownGrace + time.Second); err != nil {
		t.Errorf("%v", err)
	}
}

func quiet(t T, target Target) {
	ctx, p := configured(t, target)
	if _, err := p.plugin.Check(ctx); err != nil {
		t.Errorf("check: %v", err)
	}
	p.finish(ctx, t)
	if text := p.process.stdout.String(); strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		t.Errorf("stdout is %.500q", text)
	}
}

// finish ends the process in order.
func (p *peer) finish(ctx context.Context, t T) {
	t.Helper()
	if err := p.plugin.Shutdown(ctx, time.Second); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	p.process.lifeline.Close()
	if _, err := p.process.ended(orphanTime); err != nil {
		t.Errorf("%v", err)
	}
}
