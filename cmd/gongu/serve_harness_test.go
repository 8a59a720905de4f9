//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	"syscall"
	"testing"
	"time"
)

// serveDeadline means "does not hang".
const serveDeadline = 60 * time.Second

// served is the real program, serving a bundle over HTTP.
type served struct {
	t      testing.TB
	dir    string
	env    []string
	url    string // without a path
	secret string // of the first token
	cmd    *exec.Cmd
	stdout *said
	stderr *said
	ended  chan struct{} // closed when the program has ended
	ending sync.Once
}

// said keeps what a program writes.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

var servedURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serveBundle starts gongu with a bundle of these resources, and ends it with
// the test. Without a flag about them it offers all tools.
func serveBundle(t testing.TB, yaml string, flags ...string) *served {
	t.Helper()
	return startServe(t, yaml, append([]string{"--mode", "direct", "--offer", "*"}, flags...)...)
}

// startServe starts gongu with a bundle of these resources and these flags,
// and ends it with the test.
func startServe(t testing.TB, yaml string, flags ...string) *served {
	t.Helper()
	dir := t.TempDir()
	home := t.TempDir() // nothing of this machine, and nothing left on it
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR=", "GORACE=atexit_sleep_ms=0", "CONSENT=auto", "TMPDIR="+filepath.Join(home, "tmp"))
	if err := os.Mkdir(filepath.Join(home, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return startServeIn(t, dir, env, flags...)
}

// startServeIn starts gongu with the bundle in a folder.
func startServeIn(t testing.TB, dir string, env []string, flags ...string) *served {
	t.Helper()
	s := &served{
		t: t, dir: dir, env: env, ended: make(chan struct{}),
		stdout: &said{}, stderr: &said{},
	}
	authenticates := !slices.Contains(flags, "--no-auth")
	tokenFile := filepath.Join(t.TempDir(), "token")
	if authenticates {
		flags = append([]string{"--token-file", tokenFile}, flags...)
	}
	s.cmd = exec.Command("gongu", append([]string{"serve", "-b", s.dir, "--http", "127.0.0.1:0"}, flags...)...)
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.env, s.stdout, s.stderr
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go func() {
		// The program dies with this thread, and so with the test, however
		// that ends.
		runtime.LockOSThread()
		started <- s.cmd.Start()
		_ = s.cmd.Wait() // the exit status is looked at below
		close(s.ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	waitFor(t, "for gongu to serve", func() bool {
		select {
		case <-s.ended:
			t.Fatalf("gongu serve ended at once:\n%s%s", s.stdout, s.stderr)
		default:
		}
		if s.url = servedURL.FindString(s.stdout.String()); s.url == "" {
			return false
		}
		if authenticates {
			secret, err := os.ReadFile(tokenFile)
			if err != nil {
				t.Fatal(err)
			}
			s.secret = strings.TrimSpace(string(secret))
		}
		response, err := http.Get(s.url + "/readyz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return s
}

// stop ends the program as a person would, and wants it to have ended well.
func (s *served) stop() {
	s.ending.Do(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-s.ended:
		case <-time.After(serveDeadline):
			_ = s.cmd.Process.Kill()
			<-s.ended
			s.t.Error("gongu serve did not end")
		}
		if code := s.cmd.ProcessState.ExitCode(); code != exitOK {
			s.t.Errorf("gongu serve ended with status %d", code)
		}
		if strings.Contains(s.stderr.String(), "DATA RACE") || strings.Contains(s.stderr.String(), "panic") {
			s.t.Error("gongu serve broke")
		}
		if s.t.Failed() {
			text := s.stderr.String()
			s.t.Logf("gongu serve said (its last words):\n%s", text[max(0, len(text)-8000):])
		}
	})
}

// waitFor is for what must happen.
func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(serveDeadline); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain %s", what)
		}
	}
}

// run is another command on the same bundle, without a terminal.
func (s *served) run(args ...string) string {
	s.t.Helper()
	return s.output(args, (*exec.Cmd).Run)
}

// decide is a command that asks a person, who says yes.
func (s *served) decide(args ...string) string {
	s.t.Helper()
	return s.output(args, func(cmd *exec.Cmd) error {
		_, err := asPerson(cmd, "y")
		return err
	})
}

func (s *served) output(args []string, run func(*exec.Cmd) error) string {
	s.t.Helper()
	cmd := exec.Command("gongu", append(args, "-b", s.dir)...)
	cmd.Env = s.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := run(cmd); err != nil {
		s.t.Fatalf("gongu %s: %v: %s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return strings.TrimSpace(stdout.String())
}

// metric is a figure of /metrics.
func (s *served) metric(name string) float64 {
	s.t.Helper()
	client := s.user(false)
	defer client.http.CloseIdleConnections()
	body := client.get("/metrics").body
	for line := range strings.Lines(body) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return n
		}
	}
	s.t.Fatalf("no %s in\n%s", name, body)
	return 0
}

// user is a client with the first token, of one era or the other.
func (s *served) user(modern bool) *mcpUser {
	return &mcpUser{url: s.url, path: "/mcp", token: s.secret, modern: modern, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}}
}

// mcpUser is a client of MCP.
type mcpUser struct {
	url, path, token string
	modern           bool
	session          string
	http             *http.Client
	// can are the capabilities that it declares.
	can string
}

// eras runs a test with a client of each.
func eras(t *testing.T, test func(t *testing.T, modern bool)) {
	t.Run("2025-11-25", func(t *testing.T) { test(t, false) })
	t.Run("2026-07-28", func(t *testing.T) { test(t, true) })
}

// reply is what came back. Err is set when nothing whole did.
type reply struct {
	status  int
	header  http.Header
	body    string
	id      string
	text    string // of the first block
	isError bool
	code    string // of gongu's error
	rpc     int    // code of the JSON-RPC error
	err     error
}

// ok says that a tool gave this text.
func (r *reply) ok(text string) bool {
	return r.err == nil && r.status == http.StatusOK && !r.isError && r.rpc == 0 && r.text == text
}

func (r *reply) String() string {
	return fmt.Sprintf("status %d, rpc %d, code %q, err %v: %.600s", r.status, r.rpc, r.code, r.err, r.body)
}

// begin opens the session that the older era needs.
func (u *mcpUser) begin(ctx context.Context) *reply {
	if u.modern || u.session != "" {
		return &reply{status: http.StatusOK}
	}
	r := u.post(ctx, "0", "initialize", `{"protocolVersion":"2025-11-25","capabilities":`+u.abilities()+`,"clientInfo":{"name":"test","version":"1"}}`)
	if r.err == nil {
		u.session = r.header.Get("Mcp-Session-Id")
	}
	return r
}

func (u *mcpUser) abilities() string {
	if u.can == "" {
		return "{}"
	}
	return u.can
}

// call uses a tool; params are further ones.
func (u *mcpUser) call(ctx context.Context, id, tool, args string, params ...string) *reply {
	if r := u.begin(ctx); r.err != nil || r.status != http.StatusOK {
		return r
	}
	return u.request(ctx, id, "tools/call", strings.Join(append([]string{fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args)}, params...), ","))
}

// request sends any request with these members of its params.
func (u *mcpUser) request(ctx context.Context, id, method, members string) *reply {
	if u.modern {
		if members != "" {
			members += ","
		}
		members += `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + u.abilities() + `}`
	}
	return u.post(ctx, id, method, "{"+members+"}")
}

func (u *mcpUser) post(ctx context.Context, id, method, params string) *reply {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
	return u.do(ctx, http.MethodPost, u.path, body, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/json")
		if !u.modern {
			return
		}
		r.Header.Set("MCP-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", method)
		var named struct{ Name, TaskID string }
		if json.Unmarshal([]byte(params), &named) == nil && named.Name+named.TaskID != "" {
			r.Header.Set("Mcp-Name", named.Name+named.TaskID)
		}
	})
}

func (u *mcpUser) get(path string) *reply {
	return u.do(context.Background(), http.MethodGet, path, "", nil)
}

// do sends a request; change may be nil.
func (u *mcpUser) do(ctx context.Context, method, path, body string, change func(*http.Request)) *reply {
	ctx, cancel := context.WithTimeout(ctx, serveDeadline)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, u.url+path, strings.NewReader(body))
	if err != nil {
		return &reply{err: err}
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if u.token != "" {
		req.Header.Set("Authorization", "Bearer "+u.token)
	}
	if u.session != "" {
		req.Header.Set("Mcp-Session-Id", u.session)
	}
	if change != nil {
		change(req)
	}
	response, err := u.http.Do(req)
	if err != nil {
		return &reply{err: err}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	r := &reply{status: response.StatusCode, header: response.Header, body: string(raw), err: err}
	r.read()
	return r
}

// read finds the answer in the body: the body itself, or its last event.
func (r *reply) read() {
	raw := r.body
	if strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") {
		raw = raw[strings.LastIndex(raw, "data: ")+len("data: "):]
	}
	var read struct {
		ID     json.RawMessage
		Result struct {
			Content []struct{ Text string }
			IsError bool
			Meta    struct{ Code string } `json:"_meta"`
		}
		Error struct{ Code int }
	}
	if json.Unmarshal([]byte(raw), &read) != nil {
		return
	}
	r.id, r.isError, r.code, r.rpc = string(read.ID), read.Result.IsError, read.Result.Meta.Code, read.Error.Code
	if len(read.Result.Content) > 0 {
		r.text = read.Result.Content[0].Text
	}
}
