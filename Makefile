# `make test` is the whole test command; .ci/run calls it and nothing else.
# `make` alone lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# The steps of `test` are ordered from cheap to dear; -j must not mix them.
.NOTPARALLEL:

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 20s
SOAK ?= 10m

# Regular expressions of whole names of tests. OUTSIDE use npm packages of other
# people; LONG repeat something many times; HOSTILE wait for scripts that do not
# end; what needs PostgreSQL skips with -short (internal/pgtest). A test in
# internal/rules holds these lists against the code.
OUTSIDE := TestConformance|TestK16_PresetNpm|TestRealServers.*|TestV8Conformance|TestV8InFrontOfEverything|TestV8AcrossEras|TestV8Prefixed|TestTranscriptsFollowSchema
LONG := TestK7_Races|TestH13_.*|TestSourcesLeaveNothing|TestNothingIsLeft|TestS4_EveryFlipIsRefused|TestS4_FlipsAreRefused|TestKill|TestExpressionBombs|TestServeSoak|TestServeBigResult|TestK17_HostileFolders|TestHostileTexts|TestK12FloodingUpstream|TestR3_KilledWhileDeciding|TestH20_KilledBetweenSuspendAndResult|TestR5_.*Faults|TestR5_.*Killed|TestR7_.*PastItsLease|TestR8_Manipulations|TestP6_TwoPeopleRace|TestP6_KilledInAnApproval|TestP7_ModelCannotDecide
HOSTILE := TestT3_.*|TestCode_Escapes|TestAbortEverywhere|TestEditKilled
LONG_PACKAGES := . ./cmd/gongu ./host ./internal/fsx ./macro ./mcpclient ./serve ./source ./state ./toolrequest ./script

.PHONY: help test check prepare fmt-check vet staticcheck tidy-check race heavy chaos bench-test \
	build bench bench-edit soak fuzz fmt cross e2e-node e2e-clients

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | \
		while IFS=$$'\t' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

test: prepare fmt-check vet staticcheck tidy-check race heavy e2e-node bench-test ## check and test everything (the whole test command)

# No race detector, nothing that must be installed, nothing that takes long.
check: fmt-check vet ## the quick loop while you work: format, vet, most tests (make test before you push)
	go test -short -skip '^($(OUTSIDE)|$(LONG)|$(HOSTILE))$$' ./...

prepare: ## check that this machine has what the tests need
	@scripts/prepare

fmt-check: ## fail when a Go file is not formatted
	@scripts/fmt-check

vet: ## go vet
	go vet ./...

staticcheck: ## staticcheck, at the version go.mod names
	go tool staticcheck ./...

tidy-check: ## fail when go.mod or go.sum is not tidy
	go mod tidy -diff

# Three packages at once on two cores: many tests wait for processes.
race: ## unit tests with the race detector, in random order
	CGO_ENABLED=1 go test -race -shuffle=on -p 3 -timeout 15m ./...

# Ten thousand calls and a thousand flips: the race detector sees few of them,
# because it makes each ten times as dear.
# All scripts are here, too: race has those that serve.
heavy: ## the long loops of the tests, without the race detector
	go test -count=1 -timeout 10m -run '^($(LONG)|TestScripts)$$' $(LONG_PACKAGES)

chaos: ## the loops of heavy with their full counts, and the soak for a minute
	GONGU_CHAOS=1 SOAK=1m go test -count=1 -v -timeout 30m -run '^($(LONG))$$' $(LONG_PACKAGES)

# bench/ is a module of its own: its dependencies must not become gongu's.
bench-test: ## vet, build and test the bench module
	@if [[ -d bench ]]; then \
		cd bench && set -x && go mod tidy -diff && go vet ./... && go build -o /dev/null ./... && go test ./...; \
	fi

build: ## bin/gongu
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION)' -o bin/gongu ./cmd/gongu

bench: ## measure, and write docs/benchmarks.md
	cd bench && go run .

bench-edit: ## measure and score edits only, into docs/benchmarks.md
	cd bench && go run . -only edit -out ../docs

soak: ## callers against upstreams that die, for SOAK (10m)
	SOAK=$(SOAK) go test -count=1 -v -timeout 24h -run '^TestServeSoak$$' ./cmd/gongu

fuzz: ## run each fuzz target for FUZZTIME (20s)
	@FUZZTIME=$(FUZZTIME) scripts/fuzz

fmt: ## format all Go files
	gofmt -w .

e2e-node: prepare ## the MCP inspector and the clients of the SDKs use gongu serve
	go vet -tags e2e ./e2e
	go tool staticcheck -tags e2e ./e2e
	go test -tags e2e -count=1 -timeout 10m -run '^TestNode' ./e2e

e2e-clients: prepare ## Claude Code, Gemini CLI, codex and opencode use gongu with a scripted model
	@e2e/prepare
	GONGU_E2E_RECORD=clients/record.md go test -tags e2e -count=1 -timeout 20m -run '^TestClients$$' ./e2e
	@cat e2e/clients/record.md

cross: ## build for linux, darwin, windows on amd64 and arm64
	@scripts/cross
