# One target, one or two lines; what needs more is a Go program.
export GOFLAGS := -trimpath -tags=remote
TOOLS := go tool -modfile=tools/go.mod

.PHONY: build test race lint proto generate clean

build:
	go build -o bin/ ./cmd/... ./plugins/...

test:
	go test ./...

race:
	go test -race ./...

proto:
	go run ./tools/protogen

generate: proto
	go generate ./...

clean:
	rm -rf bin
