package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/bench/gateway/job"
	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

// target is one way from a client to the upstream.
type target struct {
	name, note string
	url        string
	transport  string
	// tool is what the echo tool is called here.
	tool string
	// eras are those that it speaks.
	eras []string
	// core targets are measured in everything, others in the first cells only.
	core bool
	// counted are the processes whose memory is the target's.
	counted []*process
}

func (t *target) speaks(era string) bool {
	for _, one := range t.eras {
		if one == era {
			return true
		}
	}
	return false
}

// The names of the targets that ratios and gates are about.
const (
	directName    = "direct"
	proxyName     = "byte proxy"
	bridgeName    = "SDK bridge"
	stdioName     = "gongu, stdio"
	storelessName = "gongu, no store"
)

var bothEras = []string{wire.Legacy, wire.Modern}

// rig is everything that runs for the benchmark.
type rig struct {
	dir       string
	load      *loader
	processes []*process
	targets   []*target
	upstream  string // the address of it
	absent    []string
	bare      bool
}

// address is what the programs print when they are ready.
var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`)

// newRig builds the programs and starts the targets. With bare the MCP server
// costs next to nothing and only the targets that gates are about are there.
// Close it.
func newRig(ctx context.Context, bare bool) (*rig, error) {
	dir, err := os.MkdirTemp("", "gongu-gateway-*")
	if err != nil {
		return nil, err
	}
	r := &rig{dir: dir, bare: bare}
	// Not the folder of the programs: gongu starts none that lies in the
	// temporary folder.
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		r.close()
		return nil, err
	}
	if err := errors.Join(r.writePolicy(), r.start(ctx)); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *rig) start(ctx context.Context) error {
	for _, build := range []struct{ module, what string }{{".", "./gateway/..."}, {"..", "./cmd/gongu"}} {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", r.dir+string(filepath.Separator), build.what)
		cmd.Dir = build.module
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", build.what, err, out)
		}
	}
	var err error
	if r.load, err = launchLoad(ctx, r.program("load")); err != nil {
		return err
	}
	var args []string
	if !r.bare {
		args = []string{"-sdk"}
	}
	upstream, url, err := r.launch(ctx, program{path: r.program("upstream"), args: args, env: r.environ(), ready: address})
	if err != nil {
		return err
	}
	r.upstream = url
	r.targets = append(r.targets, &target{
		name: directName, note: "the MCP server itself", url: url, counted: []*process{upstream},
		transport: job.Streamable, tool: "echo", eras: bothEras, core: true,
	})
	for _, kind := range []struct{ name, flag, note string }{
		{proxyName, "proxy", "Go's reverse proxy; reads nothing"},
		{bridgeName, "bridge", "the Go SDK's client behind its server"},
	} {
		p, at, err := r.launch(ctx, program{path: r.program("floor"), args: []string{"-kind", kind.flag, "-upstream", url}, env: r.environ(), ready: address})
		if err != nil {
			return err
		}
		r.targets = append(r.targets, &target{
			name: kind.name, note: kind.note, url: at, counted: []*process{p},
			transport: job.Streamable, tool: "echo", eras: bothEras, core: true,
		})
	}
	for _, one := range []struct {
		name, note, server string
		core               bool
	}{
		{gonguName, "catalog, schema, pins, 100 rules, output cap, metrics and audit on", "url: " + strconv.Quote(url), true},
		{stdioName, "the same in front of the upstream over stdio", "command: " + strconv.Quote(r.program("upstream")) + ", args: [-stdio]", false},
	} {
		if r.bare && !one.core {
			continue
		}
		t, err := r.gongu(ctx, one.name, one.server)
		if err != nil {
			return err
		}
		t.note, t.core = one.note, one.core
		r.targets = append(r.targets, t)
	}
	if r.bare {
		return nil
	}
	if err := r.plain(ctx, url); err != nil {
		return err
	}
	return r.peers(ctx)
}

// plain is gongu as a library, without records.
func (r *rig) plain(ctx context.Context, url string) error {
	bundle, err := r.bundle("url: " + strconv.Quote(url))
	if err != nil {
		return err
	}
	p, at, err := r.launch(ctx, program{
		path: r.program("plain"), env: r.environ(), ready: address, args: []string{"-bundle", bundle, "-state", filepath.Join(r.dir, "plain-state")},
	})
	if err != nil {
		return err
	}
	r.targets = append(r.targets, &target{
		name: storelessName, note: "as a library without a store: catalog, schema, pins and output cap", url: at, counted: []*process{p},
		transport: job.Streamable, tool: "echo", eras: bothEras,
	})
	return nil
}

// writePolicy writes the policy file of the user: 100 rules, of which the last ones
// have conditions about the tool and allow it.
func (r *rig) writePolicy() error {
	var b strings.Builder
	b.WriteString("apiVersion: gongu/v1\nkind: Policy\nmetadata: {name: bench}\nspec:\n  rules:\n")
	for i := range policyRules - 5 {
		match := []string{"tools: ['service%d__*']", "domains: [domain%d]", "agents: [agent%d]", "principals: ['person%d@*']"}[i%4]
		fmt.Fprintf(&b, "  - {name: rule%d, match: {"+match+"}, when: 'args.path.startsWith(\"/srv/\")', effect: deny}\n", i, i)
	}
	for i, when := range []string{`size(args.text) > 1000000`, `args.text.startsWith("/etc/")`, `principal.kind == "token"`, `agent == "other"`} {
		fmt.Fprintf(&b, "  - {name: condition%d, match: {tools: [echo]}, when: '%s', effect: deny}\n", i, when)
	}
	b.WriteString("  - {name: allowed, match: {tools: ['*']}, when: 'tool.name != \"\"', effect: allow}\n")
	dir := filepath.Join(r.dir, "config")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(b.String()), 0o600)
}

// gongu serves a bundle with one MCP server, with the flags a person would
// use.
func (r *rig) gongu(ctx context.Context, name, server string, flags ...string) (*target, error) {
	bundle, err := r.bundle(server)
	if err != nil {
		return nil, err
	}
	digest, err := r.consent(ctx, bundle)
	if err != nil {
		return nil, err
	}
	p, at, err := r.launch(ctx, program{
		path: r.program("gongu"), env: r.environ(), ready: address,
		args: append([]string{"serve", "--http", "127.0.0.1:0", "--no-auth", "-b", bundle, "--trust", digest}, flags...),
	})
	if err != nil {
		return nil, err
	}
	return &target{name: name, url: at, counted: []*process{p}, transport: job.Streamable, tool: "echo", eras: bothEras}, nil
}

// bundle writes a bundle with one MCP server.
func (r *rig) bundle(server string) (string, error) {
	dir, err := os.MkdirTemp(r.dir, "bundle-*")
	if err != nil {
		return "", err
	}
	text := "apiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: upstream}\nspec: {" + server + `, prefix: ""}` + "\n"
	return dir, os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(text), 0o600)
}

// consent returns the digest of a bundle, which --trust wants.
func (r *rig) consent(ctx context.Context, bundle string) (string, error) {
	cmd := exec.CommandContext(ctx, r.program("gongu"), "trust", "--show", "--json", bundle)
	cmd.Env = r.environ()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("look at the bundle: %w", err)
	}
	var shown struct{ Digest string }
	return shown.Digest, json.Unmarshal(out, &shown)
}

// launch starts a program that ends with the rig.
func (r *rig) launch(ctx context.Context, p program) (*process, string, error) {
	one, found, err := launch(ctx, p)
	if err == nil {
		r.processes = append(r.processes, one)
	}
	return one, found, err
}

func (r *rig) program(name string) string { return filepath.Join(r.dir, name) }

// environ keeps programs out of the home of whoever measures.
func (r *rig) environ(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "TMPDIR=" + filepath.Join(r.dir, "tmp"), "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "NO_COLOR=1",
		"GONGU_CONFIG_DIR=" + filepath.Join(r.dir, "config"),
	}, more...)
}

// close ends all processes and removes what they wrote.
func (r *rig) close() {
	if r.load != nil {
		r.load.stop()
	}
	for i := len(r.processes) - 1; i >= 0; i-- {
		r.processes[i].stop()
	}
	_ = os.RemoveAll(r.dir) // the system clears its folder anyway
}

// try lists the tools of a target in an era, as every client does first, and
// calls the echo tool for a moment. The lists of those that rename tools are
// not looked at.
func (r *rig) try(ctx context.Context, t *target, era string) error {
	j := job.Job{URL: t.url, Transport: t.transport, Era: era, Kind: job.Lists, Tools: upstreamTools, Clients: 1, MS: 1}
	if t.tool == "echo" {
		if result, err := r.load.run(ctx, j); err != nil || result.Errors > 0 {
			return errors.Join(err, errors.New(result.Error))
		}
	}
	j.Kind, j.Tool, j.Size, j.MS = job.Calls, t.tool, small, 50
	result, err := r.load.run(ctx, j)
	if err == nil && result.Errors > 0 {
		err = errors.New(result.Error)
	}
	return err
}

// upstreamTools is how many tools the upstream has unless it is asked for
// another number.
const upstreamTools = 10

// find returns the target with this name.
func (r *rig) find(name string) *target {
	for _, t := range r.targets {
		if t.name == name {
			return t
		}
	}
	return nil
}

// metric reads a counter of gongu from its page of metrics, all labels summed.
func metric(page []byte, name string) (float64, bool) {
	sum, found := 0.0, false
	for line := range bytes.Lines(page) {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		if !ok || len(rest) == 0 || rest[0] != ' ' && rest[0] != '{' {
			continue
		}
		fields := bytes.Fields(rest[bytes.LastIndexByte(rest, '}')+1:])
		if len(fields) == 0 {
			continue
		}
		if value, err := strconv.ParseFloat(string(fields[0]), 64); err == nil {
			sum, found = sum+value, true
		}
	}
	return sum, found
}
