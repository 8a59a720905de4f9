package auth_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
)

// childMode makes the test binary play another process.
const childMode = "GONGU_GATE_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childMode) != "" {
		os.Exit(addInChild(os.Args[len(os.Args)-1]))
	}
	goleak.VerifyTestMain(m)
}

// addInChild makes tokens in a process of its own and prints their secrets.
func addInChild(path string) int {
	tokens, err := auth.OpenTokens(path, nil)
	for i := 0; err == nil && i < childTokens; i++ {
		var secret string
		secret, _, err = tokens.Create(context.Background(), auth.NewToken{Name: fmt.Sprintf("child-%d-%d", os.Getpid(), i)})
		fmt.Println(secret)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

const childTokens = 5

// logged is a log that tests can read.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// openTokens is a file of tokens with one token in it.
func openTokens(t *testing.T, n auth.NewToken, opts *auth.TokensOptions) (*auth.Tokens, string) {
	t.Helper()
	tokens, err := auth.OpenTokens(filepath.Join(t.TempDir(), auth.TokensName), opts)
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := tokens.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return tokens, secret
}

// agentOf is the rule of the paths /mcp and /mcp/AGENT.
func agentOf(r *http.Request) (string, bool) {
	if r.URL.Path == "/mcp" {
		return "", true
	}
	return strings.CutPrefix(r.URL.Path, "/mcp/")
}

// whoami answers with what came through the gate.
func whoami(w http.ResponseWriter, r *http.Request) {
	who := gongu.PrincipalOf(r.Context())
	known := who != nil
	if !known {
		who = &gongu.Principal{}
	}
	allow := globsOf(who.Allow)
	fmt.Fprintf(w, "%t name=%s kind=%s agents=%q allow=%q auth=%q cookie=%q", known, who.Name, who.Kind, who.Agents, allow,
		r.Header["Authorization"], r.Header["Cookie"])
}

// start serves a gate on loopback.
func start(t *testing.T, opts auth.Options, next http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	opts.Addr = server.Listener.Addr().String()
	if opts.Logger == nil {
		opts.Logger = quiet()
	}
	handler, err := auth.New(opts, next)
	if err != nil {
		_ = server.Listener.Close()
		t.Fatal(err)
	}
	server.Config = auth.NewServer(handler, &auth.ServerOptions{Logger: opts.Logger})
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// raw sends bytes and reads one answer.
func raw(t *testing.T, server *httptest.Server, request string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second)) // does not hang
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	return readAnswer(t, bufio.NewReader(conn))
}

func readAnswer(t *testing.T, r *bufio.Reader) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// lines joins the lines of a request without a body.
func lines(first string, headers ...string) string {
	return first + "\r\n" + strings.Join(append(headers, "Connection: close"), "\r\n") + "\r\n\r\n"
}

// ask sends a request with headers given as pairs.
func ask(t *testing.T, server *httptest.Server, method, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}
