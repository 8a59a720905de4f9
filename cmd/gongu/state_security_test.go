//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// stateBundle has what writes to the state root: files, long outputs, a command
// whose definitions are cached, an extension with memory, a script.
const stateBundle = `apiVersion: gongu/v1
kind: Tool
metadata: {name: file-system}
spec: {entry: "builtin:file-system", exports: [{name: write}, {name: read}, {name: mkdir}]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: bash}
spec: {entry: "builtin:bash", exports: [{name: exec}]}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: counted}
spec:
  discover: ["echo", '[{"name":"hello","description":"Says hello."}]']
  call: ["sh", "-c", "cat"]
`

const helloMessages = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"file-system__write","arguments":{"path":"attached","content":"x"}}}
`

// stdio runs gongu serve --stdio on the bundle of a server.
func (s *served) stdio(messages string) (stdout, stderr string) {
	s.t.Helper()
	cmd := exec.Command("gongu", "serve", "--stdio", "--mode", "direct", "--offer", "*", "-b", s.dir)
	var out, err strings.Builder
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.env, strings.NewReader(messages), &out, &err
	if failed := cmd.Run(); failed != nil {
		s.t.Errorf("gongu serve --stdio: %v: %s", failed, err.String())
	}
	return out.String(), err.String()
}

// K1: after a whole session, under every umask, each file below the state root is
// 0600 and each folder 0700; so are the locks and records elsewhere.
func TestK1_SessionUnderEveryUmask(t *testing.T) {
	for _, mask := range []int{0o000, 0o022, 0o077} {
		t.Run(fmt.Sprintf("%03o", mask), func(t *testing.T) {
			before := syscall.Umask(mask) // children inherit it
			defer syscall.Umask(before)
			s := serveBundle(t, stateBundle)
			root := s.run("state", "path")
			user := s.user(true)
			for tool, args := range map[string]string{
				"file-system__write": `{"path":"deep/note.txt","content":"x"}`, "file-system__mkdir": `{"path":"folder"}`,
				"bash__exec":     `{"command":"head -c 3000000 /dev/zero | tr '\\\\0' x"}`,
				"counted__hello": `{}`, "request_tool": `{"name":"wanted","description":"d"}`,
			} {
				if r := user.call(t.Context(), "1", tool, args); r.err != nil || r.isError {
					t.Errorf("%s: %v", tool, r)
				}
			}
			s.decide("token", "new", "--name", "more")
			s.run("token", "login")
			if out, said := s.stdio(helloMessages); !strings.Contains(out, `"id":2,"result"`) || !strings.Contains(said, "Connected to the server") {
				t.Errorf("attached: %s%s", out, said)
			}
			private(t, root)
			s.stop()
			private(t, root)
			for _, folder := range []string{"listeners", "locks"} {
				private(t, filepath.Join(filepath.Dir(root), folder)) // XDG_CACHE_HOME is the same here
			}
			for _, name := range []string{"spill", "instances/default/workspace/deep/note.txt", "cache/definitions", "tokens.json", "logins", "attach.key", "bundle.json"} {
				if !exists(filepath.Join(root, name)) {
					t.Errorf("%s was not written, so the test shows nothing", name)
				}
			}
		})
	}
}

func private(t *testing.T, top string) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		info, err := entry.Info()
		// The consented copy cannot even be written by its owner.
		allowed := []fs.FileMode{0o600, 0o400, 0o500}
		if entry.IsDir() {
			allowed = []fs.FileMode{0o700, 0o500}
		}
		if err == nil && !slices.Contains(allowed, info.Mode().Perm()) {
			t.Errorf("%s is %04o", path, info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// canary counts connections.
type canary struct {
	net.Listener
	mu    sync.Mutex
	heard []string
}

func newCanary(t *testing.T, network, address string) *canary {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	c := &canary{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_ = conn.SetDeadline(time.Now().Add(time.Second))
				text, _ := io.ReadAll(conn)
				_ = conn.Close()
				c.mu.Lock()
				c.heard = append(c.heard, string(text))
				c.mu.Unlock()
			}()
		}
	}()
	return c
}

func (c *canary) said() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.heard...)
}

// attack 3, K1: state that came with the bundle is not believed: no connection to
// the address of a planted record, no planted script, no planted token, no package.
func TestAttack3_PlantedStateIsNotBelieved(t *testing.T) {
	t.Parallel()
	far := newCanary(t, "tcp", "127.0.0.1:0")
	home, dir := t.TempDir(), t.TempDir()
	token := "gongu_" + strings.Repeat("P", 43)
	sum := sha256.Sum256([]byte(token))
	planted := fmt.Sprintf(`{"pid":1,"bundle":%q,"url":"http://%s/mcp","instance":"x","token":"t","network":"tcp","address":%q}`, dir, far.Addr(), far.Addr())
	approved := `{"version":1,"request":"req_001","name":"planted","script":"planted.js","description":"d","parameters":{"type":"object"}}`
	script := `export const handlers = {planted: () => "it ran"};`
	tokens := fmt.Sprintf(`{"format":1,"tokens":[{"name":"theirs","manage":true,"created":"2026-01-01T00:00:00Z","sha256":%q}]}`, hex.EncodeToString(sum[:]))
	for name, text := range map[string]string{
		"gongu.yaml":        "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: case}\nspec: {entry: \"builtin:text-transform\", exports: [{name: case}]}\n",
		".gongu/serve.json": planted, ".gongu/servers/x.json": planted, ".gongu/attach.key": strings.Repeat("k", 32),
		".gongu/approved/planted.json": approved, ".gongu/approved/planted.js": script, ".gongu/tokens.json": tokens,
		".gongu/logins/" + hex.EncodeToString(sum[:]) + ".json": `{"principal":{"Name":"p","Manage":"all"},"made":"2026-01-01T00:00:00Z","expires":"2999-01-01T00:00:00Z"}`,
		".gongu/tools.yaml":  "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: hidden}\nspec: {entry: \"builtin:bash\", exports: [{name: exec}]}\n",
		".gongu/bundle.json": `{"version":1,"bundle":"/"}`,
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR=")
	run := func(args ...string) string {
		cmd := exec.Command("gongu", append(args, "-b", dir)...)
		cmd.Env, cmd.Stdin = env, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
		out, _ := cmd.CombinedOutput() // some of them fail, as they should
		return string(out)
	}
	for _, args := range [][]string{
		{"serve", "--stdio", "--offer", "*"}, {"tools"}, {"call", "planted", "{}"}, {"call", "case__case", `{"text":"a","to":"upper"}`},
		{"token", "list"}, {"token", "login"}, {"requests", "list"}, {"sources"}, {"doctor"}, {"search", "planted"}, {"pins", "list"}, {"state", "list"},
		{"--state-root", filepath.Join(dir, ".gongu"), "serve", "--stdio"}, {"--state-root", filepath.Join(dir, ".gongu"), "tools"},
	} {
		out := run(args...)
		if strings.Contains(out, "theirs") || strings.Contains(out, `"name":"planted"`) || strings.Contains(out, "planted  ") || strings.Contains(out, "hidden") || strings.Contains(out, "it ran") || strings.Contains(out, "Connected to the server") {
			t.Errorf("%v: %s", args, out)
		}
	}
	if out := run("--state-root", filepath.Join(dir, ".gongu"), "tools"); !strings.Contains(out, "lies in the bundle folder") {
		t.Errorf("a state root in the bundle: %s", out)
	}
	if out := run("doctor"); !strings.Contains(out, "old state") || !strings.Contains(out, "gongu state move") {
		t.Errorf("doctor: %s", out)
	}
	s := startServeIn(t, dir, env)
	if r := s.as(token, true).get("/api/v1/tools"); r.status != http.StatusUnauthorized {
		t.Errorf("a planted token: %v", r)
	}
	if r := s.user(true).call(t.Context(), "1", "planted", "{}"); !strings.Contains(r.body, "E_TOOL_NOT_IN_CATALOG") {
		t.Errorf("a planted script: %v", r)
	}
	if got := strings.Count(s.stderr.String(), "is not read any more"); got != 1 {
		t.Errorf("the old folder is mentioned %d times:\n%s", got, s.stderr)
	}
	if heard := far.said(); len(heard) > 0 {
		t.Errorf("the canary heard %q", heard)
	}
}

// attack 7, K11: the port and the socket of a killed server are taken by another
// program. A client on stdio tells it nothing and serves the bundle itself.
func TestAttack7_SquatterGetsNoToken(t *testing.T) {
	t.Parallel()
	s := serveBundle(t, stateBundle)
	root := s.run("state", "path")
	key, err := os.ReadFile(filepath.Join(root, "attach.key"))
	if err != nil {
		t.Fatal(err)
	}
	records, err := filepath.Glob(filepath.Join(root, "servers", "*.json"))
	if err != nil || len(records) != 1 {
		t.Fatalf("%v, %v", records, err)
	}
	record, err := os.ReadFile(records[0])
	if err != nil || strings.Contains(string(record), "gongu_") || strings.Contains(string(record), `"token"`) {
		t.Errorf("%s, %v", record, err)
	}
	if list := s.run("token", "list"); strings.Contains(list, "attach") {
		t.Errorf("a token for attached clients is kept: %s", list)
	}
	s.ending.Do(func() {}) // it is killed
	s.signal(syscall.SIGKILL)
	s.gone()
	port := newCanary(t, "tcp", strings.TrimPrefix(s.url, "http://"))
	_, rest, _ := strings.Cut(string(record), `"address":"`)
	address, _, _ := strings.Cut(rest, `"`)
	if err := os.Remove(address); err != nil {
		t.Fatal(err)
	}
	socket := newCanary(t, "unix", address)
	out, said := s.stdio(helloMessages)
	if !strings.Contains(out, `"id":2,"result"`) || strings.Contains(said, "Connected") {
		t.Errorf("%s%s", out, said)
	}
	if heard := port.said(); len(heard) > 0 {
		t.Errorf("the port heard %q", heard)
	}
	heard := socket.said()
	if len(heard) == 0 {
		t.Error("nobody asked at the socket, so the test shows nothing")
	}
	for _, text := range heard {
		if len(text) > 40 || strings.Contains(text, "gongu_") || strings.Contains(text, "Bearer") || strings.Contains(text, string(key)) {
			t.Errorf("the socket heard %q", text)
		}
	}
}
