# One target, one or two lines; what needs more is a Go program.
export GOFLAGS := -trimpath -tags=remote
export CRUCIBLE_PLUGIN_PATH ?= $(CURDIR)/bin
PREFIX ?= /usr/local
FUZZTIME ?= 20s
FUZZ := core/manifest:FuzzParse core/manifest:FuzzExpand core/wire:FuzzDecode core/wire:FuzzDecodeAgentEvent sdk/transport:FuzzParseActivity core/judge:FuzzParseReading core/egress:FuzzEndpoint plugins/world-command:FuzzToken plugins/internal/gitmem:FuzzPlainConfig
PLUGINS := transport-command world-git world-command

.PHONY: build test race fuzz lint proto generate update check bench torture demo install clean need

# A plugin must not be writable by a group, whatever the umask says.
build: need
	install -d -m 0755 bin
	go build -ldflags='-s -w' -o bin/ ./cmd/crucible
	$(foreach p,$(PLUGINS),go build -ldflags='-s -w' -o bin/crucible-$(p) ./plugins/$(p) &&) true
	chmod 0755 bin/*

demo: build
	rm -rf examples/binary-size/state examples/binary-size/workspace
	bin/crucible --manifest examples/binary-size/crucible.toml --iterations 6

test: need
	go test ./...

# The end-to-end scripts run programs of their own, built without the detector.
race: need
	go test -race $$(go list ./... | grep -v /e2e)

# Slow and violent: kills, full disks, many repetitions.
torture: need
	CRUCIBLE_TORTURE=1 go test -count=1 -timeout 60m ./...

fuzz: need
	$(foreach f,$(FUZZ),go test -run='^$$' -fuzz='^$(lastword $(subst :, ,$(f)))$$' -fuzztime=$(FUZZTIME) -fuzzminimizetime=1x ./$(firstword $(subst :, ,$(f))) &&) true

lint: need
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	go tool -modfile=tools/tools.mod staticcheck ./...

proto:
	go run ./tools/protogen

generate: proto
	go generate ./...

# Rewrites the golden files from what the code does now.
update:
	CRUCIBLE_UPDATE=1 go test ./...

check: lint build test race fuzz generate update
	git diff --exit-code

bench: build
	go run ./bench

install: build
	install -d $(PREFIX)/bin $(PREFIX)/lib/crucible/plugins
	install -m 0755 bin/crucible $(PREFIX)/bin/
	install -m 0755 $(PLUGINS:%=bin/crucible-%) $(PREFIX)/lib/crucible/plugins/
	$(foreach p,$(PLUGINS),$(PREFIX)/bin/crucible plugin trust --yes $(PREFIX)/lib/crucible/plugins/crucible-$(p) &&) true
	@test $(PREFIX) = /usr/local || echo "the engine does not look there by itself: export CRUCIBLE_PLUGIN_PATH=$(PREFIX)/lib/crucible/plugins"

clean:
	rm -rf bin

# git and a shell are all the tests need beside Go.
need:
	@command -v git >/dev/null || { test "$$(id -u)" = 0 && apt-get install -y -q git; } || { echo "git is missing: install it with your package manager" >&2; exit 1; }
