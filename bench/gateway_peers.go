package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bench/gateway/job"
	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

// peersVariable names the folder that peers are installed in.
const peersVariable = "GONGU_BENCH_PEERS"

// peer is another gateway, a package of npm.
type peer struct {
	name, version, script string
	note                  string
	transport, path, tool string
	// start returns what to run with node, the last being the gateway itself.
	start func(r *rig, script string, port int) ([][]string, error)
}

var peers = []peer{
	{
		name: "mcp-hub", version: "4.2.1", script: "dist/cli.js", note: "clients over HTTP+SSE, which is all it has",
		transport: job.SSE, path: "/mcp", tool: "up__echo",
		start: func(r *rig, script string, port int) ([][]string, error) {
			config, err := r.write("hub.json", map[string]any{"mcpServers": map[string]any{"up": map[string]any{"url": r.upstream}}})
			return [][]string{{script, "--port", strconv.Itoa(port), "--config", config}}, err
		},
	},
	{
		name: "mcporter", version: "0.12.3", script: "dist/cli.js", note: "with its daemon",
		transport: job.Streamable, path: "/mcp", tool: "up__echo",
		start: func(r *rig, script string, port int) ([][]string, error) {
			config, err := r.write("mcporter.json", map[string]any{"mcpServers": map[string]any{"up": map[string]any{"baseUrl": r.upstream, "lifecycle": "keep-alive"}}})
			return [][]string{
				{script, "--config", config, "daemon", "start", "--foreground"},
				{script, "--config", config, "serve", "--http", strconv.Itoa(port)},
			}, err
		},
	},
	{
		name: "mcp-proxy", version: "6.7.19", script: "dist/bin/mcp-proxy.mjs", note: "in front of the upstream over stdio, which is all it has",
		transport: job.Streamable, path: "/mcp", tool: "echo",
		start: func(r *rig, script string, port int) ([][]string, error) {
			return [][]string{{script, "--host", "127.0.0.1", "--port", strconv.Itoa(port), "--server", "stream", "--", r.program("upstream"), "-stdio"}}, nil
		},
	},
}

// peers starts the gateways of others that are installed. One that is not, or
// that does not work, is reported and left out.
func (r *rig) peers(ctx context.Context) error {
	preload := filepath.Join(r.dir, "loopback.cjs")
	if err := os.WriteFile(preload, []byte(loopbackOnly), 0o600); err != nil {
		return err
	}
	for _, p := range peers {
		t, err := r.peer(ctx, p, preload)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "        %s is not measured: %v\n", p.name, err)
			r.absent = append(r.absent, p.name+" "+p.version)
			continue
		}
		r.targets = append(r.targets, t)
	}
	return nil
}

// loopbackOnly keeps programs that listen on all addresses to this machine.
const loopbackOnly = `const { Server } = require("node:net");
const listen = Server.prototype.listen;
Server.prototype.listen = function (...args) {
  if (typeof args[0] === "object" && args[0] !== null && args[0].port !== undefined) {
    args[0] = { ...args[0], host: "127.0.0.1" };
  } else if (typeof args[0] === "number" || /^\d+$/.test(args[0])) {
    args.splice(1, typeof args[1] === "string" ? 1 : 0, "127.0.0.1");
  }
  return listen.apply(this, args);
};
`

func (r *rig) peer(ctx context.Context, p peer, preload string) (*target, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	script, err := p.installed()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	commands, err := p.start(r, script, port)
	if err != nil {
		return nil, err
	}
	t := &target{
		name: p.name, note: p.note + "; version " + p.version, transport: p.transport, tool: p.tool,
		url: fmt.Sprintf("http://127.0.0.1:%d%s", port, p.path),
	}
	for _, command := range commands {
		one, _, err := r.launch(ctx, program{
			path: node, args: append([]string{"--require", preload}, command...), dir: r.dir,
			env: r.environ("DO_NOT_TRACK=1", "MCPORTER_DAEMON_DIR="+filepath.Join(r.dir, "daemon")),
		})
		if err != nil {
			return nil, err
		}
		t.counted = append(t.counted, one)
	}
	if err := r.await(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
}

// await tries until the target answers in the older era, and then whether it
// knows the newer one.
func (r *rig) await(ctx context.Context, t *target) error {
	until := time.Now().Add(startPatience)
	for {
		err := r.try(ctx, t, wire.Legacy)
		if err == nil {
			break
		}
		if ctx.Err() != nil || time.Now().After(until) {
			return fmt.Errorf("%w; it said: %s", err, t.counted[len(t.counted)-1].said)
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	t.eras = []string{wire.Legacy}
	if t.transport == job.Streamable && r.try(ctx, t, wire.Modern) == nil {
		t.eras = bothEras
	}
	return nil
}

// installed returns the script of a peer, if the version is the right one.
func (p peer) installed() (string, error) {
	dir := os.Getenv(peersVariable)
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "gongu-bench")
	}
	dir = filepath.Join(dir, "node_modules", p.name)
	raw, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if errors.Is(err, os.ErrNotExist) {
		return "", errors.New("it is not installed")
	}
	if err != nil {
		return "", err
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return "", err
	}
	if manifest.Version != p.version {
		return "", fmt.Errorf("it is version %s and not %s", manifest.Version, p.version)
	}
	return filepath.Join(dir, filepath.FromSlash(p.script)), nil
}

// installPeers is how a person gets them.
func installPeers() string {
	var names []string
	for _, p := range peers {
		names = append(names, p.name+"@"+p.version)
	}
	return "npm install --ignore-scripts --prefix ~/.cache/gongu-bench " + strings.Join(names, " ")
}

// write puts a file for a peer into the rig's folder.
func (r *rig) write(name string, v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.dir, name)
	return path, os.WriteFile(path, raw, 0o600)
}

// freePort finds a port that was free a moment ago.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	at, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("the address has no port")
	}
	return at.Port, nil
}
