//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/proc"
)

// conformLimit means "does not hang".
const conformLimit = 90 * time.Second

// everything is the reference server of the SDK, which has all that the suite
// asks for. It is built once, from the module that is used anyway.
var everything = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "everything")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it was read
	name := filepath.Join(dir, "server")
	build := exec.Command("go", "build", "-o", name, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(name)
})

// everythingServer is that server as a program of the test.
func everythingServer(t *testing.T) string {
	t.Helper()
	program, err := everything()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "everything-server")
	if err := os.WriteFile(name, program, 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// everythingAt runs it at an address.
func everythingAt(t *testing.T, stateless bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close() // for the program
	cmd := exec.Command(everythingServer(t), "-http", address, fmt.Sprintf("-stateless=%t", stateless))
	proc.Group(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = proc.Kill(cmd)
		_ = cmd.Wait() // it was killed
	})
	for deadline := time.Now().Add(conformLimit); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			return "http://" + address
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// gatewayProgram is the real program in front of MCP servers.
type gatewayProgram struct {
	t   *testing.T
	url string // without a path
}

// inFront starts it in front of servers, with the flags of promise V8: all as
// they are by default, apart from --no-auth, --offer '*', --permission bypass and --sampling, which
// --offer never includes (V6), and any free port in place of the usual one.
func inFront(t *testing.T, specs ...string) *gatewayProgram {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	var bundle strings.Builder
	for i, spec := range specs {
		fmt.Fprintf(&bundle, "---\napiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: server%d}\nspec: {%s}\n", i, spec)
	}
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(bundle.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gongu", "serve", "-b", dir, "--http", "127.0.0.1:0", "--no-auth", "--offer", "*", "--permission", "bypass", "--sampling")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_STATE_HOME="+home, "GORACE=atexit_sleep_ms=0", "CONSENT=auto", "TMPDIR="+home)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kill := time.AfterFunc(conformLimit, func() { _ = cmd.Process.Kill() })
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		err := cmd.Wait()
		kill.Stop()
		if said := stderr.String(); err != nil || t.Failed() || strings.Contains(said, "DATA RACE") {
			t.Errorf("gongu serve ended with %v and said:\n%s", err, said[max(0, len(said)-8000):])
		}
	})
	g := &gatewayProgram{t: t}
	lines := bufio.NewScanner(stdout)
	for g.url == "" && lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), " at http://"); ok {
			g.url = "http://" + strings.TrimSuffix(url, "/mcp")
		}
	}
	if g.url == "" {
		t.Fatal("gongu serve printed no address")
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }() // it ends with the program
	return g
}

// metric is a figure of /metrics.
func (g *gatewayProgram) metric(name string) int {
	g.t.Helper()
	response, err := http.Get(g.url + "/metrics")
	if err != nil {
		g.t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			n, err := strconv.Atoi(value)
			if err != nil {
				g.t.Fatal(err)
			}
			return n
		}
	}
	g.t.Fatalf("there is no %s on /metrics", name)
	return 0
}
