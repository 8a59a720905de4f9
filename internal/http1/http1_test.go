package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu/internal/http1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// other refuses what the transport was expected to take.
type other struct{ t *testing.T }

func (o other) RoundTrip(req *http.Request) (*http.Response, error) {
	o.t.Errorf("%s %s was left to the other transport", req.Method, req.URL)
	return nil, errors.New("not taken")
}

// transport counts the connections it makes.
func transport(t *testing.T) (*http1.Transport, *atomic.Int32) {
	t.Helper()
	made := new(atomic.Int32)
	tr := &http1.Transport{MaxIdle: 64, Other: other{t}, Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		made.Add(1)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return tr, made
}

func server(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

func post(t *testing.T, ctx context.Context, tr http.RoundTripper, url, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return tr.RoundTrip(req)
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Many at a time get their own answers, over few connections.
func TestAnswersAndReuse(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil || r.Host == "" || r.Header.Get("Content-Type") != "application/json" || r.ContentLength != int64(len(raw)) {
			t.Errorf("%v: %s %v", err, r.Host, r.Header)
		}
		if strings.HasPrefix(string(raw), "chunked") {
			_ = http.NewResponseController(w).Flush()
		}
		fmt.Fprintf(w, "%s %s", r.URL.RequestURI(), raw)
	})
	tr, made := transport(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 50 {
				body := fmt.Sprintf("%d-%d %s", i, n, strings.Repeat("x", n*997))
				if n%2 == 1 {
					body = "chunked " + body
				}
				resp, err := post(t, t.Context(), tr, s.URL+"/a?b=c", body)
				if err != nil {
					t.Error(err)
					return
				}
				if got := text(t, resp); got != "/a?b=c "+body {
					t.Errorf("got %.40s", got)
				}
			}
		})
	}
	group.Wait()
	if n := made.Load(); n > 8 {
		t.Errorf("%d connections for 8 callers", n)
	}
}

// A connection that its server has closed meanwhile is not used.
func TestClosedByTheServer(t *testing.T) {
	var conns sync.Map
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "ok") }))
	s.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateIdle {
			conns.Store(c, true)
		}
	}
	s.Start()
	defer s.Close()
	tr, made := transport(t)
	for round := range 3 {
		resp, err := post(t, t.Context(), tr, s.URL, "x")
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		text(t, resp)
		// The server sees the connection idle a moment after the answer.
		for found := false; !found; {
			conns.Range(func(c, _ any) bool {
				found = true
				if conn, ok := c.(net.Conn); ok {
					_ = conn.Close()
				}
				conns.Delete(c)
				return true
			})
			if t.Context().Err() != nil {
				t.Fatal("the connection was never idle")
			}
		}
	}
	if made.Load() != 3 {
		t.Errorf("%d connections for 3 that were closed", made.Load())
	}
}

// raw is a server that writes what it likes.
func raw(t *testing.T, serve func(net.Conn, *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer c.Close()
				serve(c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); group.Wait() })
	return "http://" + l.Addr().String()
}

func TestOddAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer, want, fails string
	}{
		"informational":  {answer: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", want: "ok"},
		"no length":      {answer: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok", want: "ok"},
		"version 1.0":    {answer: "HTTP/1.0 200 OK\r\n\r\nok", want: "ok"},
		"nothing":        {answer: "", fails: "before its answer"},
		"half a header":  {answer: "HTTP/1.1 200 OK\r\nContent-", fails: "malformed"},
		"not HTTP":       {answer: "220 smtp ready\r\n", fails: "malformed"},
		"endless header": {answer: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 3<<20), fails: "too large"},
		"no content":     {answer: "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			at := raw(t, func(w net.Conn, r *bufio.Reader) {
				req, err := http.ReadRequest(r)
				if err != nil {
					return // the transport gave up
				}
				_, _ = io.Copy(io.Discard, req.Body)
				_, _ = io.WriteString(w, c.answer) // it may be gone
			})
			tr, _ := transport(t)
			resp, err := post(t, t.Context(), tr, at, "x")
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := text(t, resp); got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A body that is shorter than it said is an error, and not the end.
func TestCutOff(t *testing.T) {
	at := raw(t, func(w net.Conn, r *bufio.Reader) {
		if _, err := http.ReadRequest(r); err == nil {
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok")
		}
	})
	tr, _ := transport(t)
	resp, err := post(t, t.Context(), tr, at, "x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v", got, err)
	}
}

// A server that does not want the body answers before it has read it.
func TestAnswerBeforeTheBody(t *testing.T) {
	at := raw(t, func(w net.Conn, _ *bufio.Reader) {
		_, _ = io.WriteString(w, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
		if half, ok := w.(*net.TCPConn); ok {
			_ = half.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, w)
	})
	tr, made := transport(t)
	for range 2 {
		resp, err := post(t, t.Context(), tr, at, strings.Repeat("x", 900<<10))
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, resp); resp.StatusCode != 413 || got != "no" {
			t.Errorf("%d %s", resp.StatusCode, got)
		}
	}
	if made.Load() != 2 {
		t.Errorf("%d connections: one was used again although it was to be closed", made.Load())
	}
}

// The end of the context ends the waiting for an answer, and the reading of it.
func TestCancel(t *testing.T) {
	started := make(chan struct{}, 8)
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			_, _ = io.WriteString(w, "begin")
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.Copy(io.Discard, r.Body)
		started <- struct{}{}
		<-r.Context().Done()
	})
	tr, made := transport(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := post(t, ctx, tr, s.URL+"/header", "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	resp, err := post(t, ctx, tr, s.URL+"/body", "x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	go func() { <-started; cancel() }()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("reading: %v", err)
	}
	if _, err := post(t, ctx, tr, s.URL, "x"); !errors.Is(err, context.Canceled) || made.Load() != 2 {
		t.Errorf("too late: %v, %d connections", err, made.Load())
	}
}

// Values that would end their line never reach a server as they are.
func TestNoSmuggling(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Evil") != "" || r.URL.Path != "/" {
			t.Errorf("%s: %v", r.URL, r.Header)
		}
		_, _ = io.WriteString(w, "ok")
	})
	tr, _ := transport(t)
	for _, value := range []string{"a\r\nEvil: 1", "a\nEvil: 1", "a\rEvil: 1", "a\x00b"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Value", value)
		if resp, err := tr.RoundTrip(req); err == nil {
			text(t, resp)
		}
		req.Header = http.Header{"X\r\nEvil": {value}}
		req.Body = io.NopCloser(strings.NewReader("x"))
		if resp, err := tr.RoundTrip(req); err == nil {
			text(t, resp)
		}
	}
}

// recorder is the other transport.
type recorder struct{ got []string }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.got = append(r.got, req.Method+" "+req.URL.Scheme)
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	return nil, errors.New("recorded")
}

func TestWhatItLeavesAlone(t *testing.T) {
	rec := &recorder{}
	tr := &http1.Transport{Other: rec, Direct: func(r *http.Request) bool { return r.URL.Host != "proxied" }}
	for _, c := range []struct {
		method, url string
		body        io.Reader
		header      string
	}{
		{"GET", "http://h/", nil, ""}, {"POST", "https://h/", strings.NewReader("x"), ""}, {"POST", "http://h/", nil, ""},
		{"POST", "http://h/", io.LimitReader(strings.NewReader("x"), 1), ""}, {"POST", "http://h/", bytes.NewReader(make([]byte, 2<<20)), ""},
		{"POST", "http://h/", strings.NewReader("x"), "Expect"}, {"POST", "http://proxied/", strings.NewReader("x"), ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, c.url, c.body)
		if err != nil {
			t.Fatal(err)
		}
		if c.header != "" {
			req.Header.Set(c.header, "100-continue")
		}
		before := len(rec.got)
		if _, err := tr.RoundTrip(req); err == nil || len(rec.got) != before+1 {
			t.Errorf("%s %s %s: %v", c.method, c.url, c.header, err)
		}
	}
}

// errand is told when the request may have been seen.
type errand struct {
	context.Context
	sent atomic.Bool
	end  func()
}

func (e *errand) Sent() { e.sent.Store(true) }
func (e *errand) AfterFunc(do func()) func() bool {
	e.end = do
	return func() bool { return true }
}
func (e *errand) Value(key any) any {
	if _, ok := key.(http1.Key); ok {
		return e
	}
	return nil
}

func TestErrand(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	_ = l.Close()
	s := server(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "ok") })
	tr, _ := transport(t)
	e := &errand{Context: t.Context()}
	if _, err := post(t, e, tr, nobody, "x"); err == nil || e.sent.Load() {
		t.Errorf("nobody there: %v, sent %v", err, e.sent.Load())
	}
	resp, err := post(t, e, tr, s.URL, "x")
	if err != nil {
		t.Fatal(err)
	}
	if text(t, resp); !e.sent.Load() || e.end == nil {
		t.Error("the errand was not told of its sending")
	}
	rec := &recorder{}
	other := &errand{Context: t.Context()}
	if _, err := post(t, other, &http1.Transport{Other: rec}, "https://h/", "x"); err == nil || !other.sent.Load() {
		t.Errorf("by the other transport: %v, sent %v", err, other.sent.Load())
	}
}

// What is idle for long is closed, without anybody asking.
func TestIdle(t *testing.T) {
	closed := make(chan struct{}, 8)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "ok") }))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	s.Start()
	defer s.Close()
	tr, _ := transport(t)
	tr.IdleTime = 10 * time.Millisecond
	resp, err := post(t, t.Context(), tr, s.URL, "x")
	if err != nil {
		t.Fatal(err)
	}
	text(t, resp)
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Error("the connection was kept")
	}
}
