package auth_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/auth"
)

// waiting is a handler that says when it is in and waits to be let out.
type waiting struct{ in, out chan struct{} }

func newWaiting() waiting {
	return waiting{make(chan struct{}, 100), make(chan struct{})}
}

func (h waiting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.in <- struct{}{}
	select {
	case <-h.out:
	case <-r.Context().Done():
	}
	w.WriteHeader(http.StatusNoContent)
}

func TestRunningAtATime(t *testing.T) {
	tokens, one := openTokens(t, auth.NewToken{Name: "one"}, nil)
	two, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "two"})
	if err != nil {
		t.Fatal(err)
	}
	handler := newWaiting()
	server := start(t, auth.Options{
		Tokens: tokens, Public: []string{"/healthz"},
		Limits: auth.Limits{Running: 3, RunningEach: 2},
	}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			handler.ServeHTTP(w, r)
		}
	}))
	var group sync.WaitGroup
	begin := func(token string) {
		group.Go(func() {
			if resp, _ := ask(t, server, "GET", "/mcp", "Authorization", "Bearer "+token); resp.StatusCode != 204 {
				t.Errorf("got %d", resp.StatusCode)
			}
		})
		<-handler.in
	}
	begin(one)
	begin(one)
	resp, body := ask(t, server, "GET", "/mcp", "Authorization", "Bearer "+one)
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, "too_many_requests") {
		t.Errorf("a third one: %d %s", resp.StatusCode, body)
	}
	begin(two)
	for _, token := range []string{one, two, "wrong"} {
		resp, body = ask(t, server, "GET", "/mcp", "Authorization", "Bearer "+token)
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, `"busy"`) {
			t.Errorf("a fourth one: %d %s", resp.StatusCode, body)
		}
	}
	// A full server can still say that it is alive.
	if resp, _ := ask(t, server, "GET", "/healthz"); resp.StatusCode != 200 {
		t.Errorf("got %d", resp.StatusCode)
	}
	close(handler.out)
	group.Wait()
	// All places are free again, those of refused ones too.
	for range 5 {
		if resp, _ := ask(t, server, "GET", "/mcp", "Authorization", "Bearer "+one); resp.StatusCode != 204 {
			t.Errorf("got %d", resp.StatusCode)
		}
	}
}

// A handler that panics gives its place back, too.
func TestPanics(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{}, nil)
	server := start(t, auth.Options{Tokens: tokens, Limits: auth.Limits{Running: 1, RunningEach: 1}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Language", "ko")
		switch r.URL.Path {
		case "/late":
			_, _ = io.WriteString(w, strings.Repeat("data: x\n\n", 1000))
			panic("late")
		case "/abort":
			panic(http.ErrAbortHandler)
		case "/early":
			panic(errors.New("early"))
		}
	}))
	auth := []string{"Authorization", "Bearer " + secret}
	for range 3 {
		resp, body := ask(t, server, "GET", "/early", auth...)
		if resp.StatusCode != 500 || !strings.Contains(body, `"internal"`) || strings.Contains(body, "early") ||
			resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Content-Language") != "" || !strings.Contains(body, resp.Header.Get("X-Request-Id")) {
			t.Errorf("got %d %s", resp.StatusCode, body)
		}
	}
	for _, path := range []string{"/late", "/abort"} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+secret)
		resp, err := server.Client().Do(req)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if err == nil {
			t.Errorf("%s: half an answer looks whole", path)
		}
	}
	if resp, _ := ask(t, server, "GET", "/", auth...); resp.StatusCode != 200 {
		t.Errorf("got %d", resp.StatusCode)
	}
}

func TestBodyIsBounded(t *testing.T) {
	opts := auth.Options{NoAuth: true, Limits: auth.Limits{Body: 10}}
	server := start(t, opts, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		fmt.Fprintf(w, "%d %v", len(data), err)
	}))
	post := "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
	for request, want := range map[string]int{
		post + "Content-Length: 10\r\n\r\n0123456789":                             200,
		post + "Content-Length: 11\r\n\r\n0123456789a":                            413,
		post + "Content-Length: 9000000000000\r\n\r\n0":                           413,
		post + "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n":   200,
		post + "Transfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n":  418,
		post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": 200, // Go takes the second
	} {
		if resp, body := raw(t, server, request); resp.StatusCode != want {
			t.Errorf("%q: got %d, want %d: %s", request, resp.StatusCode, want, body)
		}
	}
}

// A caller who sends slowly holds nothing for long, and one who is not let in
// neither.
func TestBodyTime(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{}, nil)
	server := start(t, auth.Options{Tokens: tokens, Limits: auth.Limits{BodyTime: 50 * time.Millisecond}}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
	}))
	for _, token := range []string{secret, "wrong"} {
		conn := dial(t, server)
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\nContent-Length: 100\r\n\r\nx"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); err != nil { // until the server closes
			t.Errorf("%v", err)
		}
	}
}

// A body that came in time is no reason to end a call that takes longer.
func TestBodyTimeEndsWithTheBody(t *testing.T) {
	for name, request := range map[string]string{
		"length":  "Content-Length: 2\r\n\r\n{}",
		"chunked": "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, auth.Options{NoAuth: true, Limits: auth.Limits{BodyTime: 300 * time.Millisecond}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				select {
				case <-r.Context().Done():
					w.WriteHeader(http.StatusTeapot)
				case <-time.After(700 * time.Millisecond): // longer than the limit
				}
			}))
			if resp, body := raw(t, server, "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"+request); resp.StatusCode != 200 {
				t.Errorf("got %d %s", resp.StatusCode, body)
			}
		})
	}
}

// The same over HTTP/2, where a stream has the deadline.
func TestBodyTimeEndsWithTheBodyHTTP2(t *testing.T) {
	handler, err := auth.New(auth.Options{NoAuth: true, Addr: "127.0.0.1:1", Logger: quiet(), Limits: auth.Limits{BodyTime: 300 * time.Millisecond}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		select {
		case <-r.Context().Done():
			w.WriteHeader(http.StatusTeapot)
		case <-time.After(700 * time.Millisecond): // longer than the limit
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	resp, err := server.Client().Post(server.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.ProtoMajor != 2 {
		t.Errorf("got %d %s", resp.StatusCode, resp.Proto)
	}
}

// A stream may be silent for longer than a write may take.
func TestWriteTimeLetsStreamsLive(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		flusher, ok := w.(http.Flusher)
		if !ok {
			t.Error("no flusher")
			return
		}
		for i := range 2 {
			if _, err := fmt.Fprintf(w, "data: %d\n\n", i); err != nil {
				t.Error(err)
			}
			flusher.Flush()
			time.Sleep(450 * time.Millisecond) // longer than the limit
		}
		if err := r.Context().Err(); err != nil {
			t.Error(err)
		}
	})
	opts := auth.Options{NoAuth: true, Limits: auth.Limits{WriteTime: 300 * time.Millisecond}}
	t.Run("1.1", func(t *testing.T) {
		t.Parallel()
		server := start(t, opts, handler)
		conn := dial(t, server)
		reader := bufio.NewReader(conn)
		for range 2 { // the connection stays good
			if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if resp, body := readAnswer(t, reader); resp.StatusCode != 200 || strings.Count(body, "data:") != 2 {
				t.Errorf("got %d %q", resp.StatusCode, body)
			}
		}
	})
	t.Run("2", func(t *testing.T) {
		t.Parallel()
		opts := opts
		opts.Addr, opts.Logger = "127.0.0.1:1", quiet()
		gated, err := auth.New(opts, handler)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(gated)
		server.EnableHTTP2 = true
		server.StartTLS()
		defer server.Close()
		resp, body := ask(t, server, "GET", "/")
		if resp.ProtoMajor != 2 || strings.Count(body, "data:") != 2 {
			t.Errorf("got %s %q", resp.Proto, body)
		}
	})
}

// A caller who does not read is not waited for, nor one who did so before: the
// server takes the deadline of an answer away at its end.
func TestWriteTimeEndsStuckWrites(t *testing.T) {
	ended := make(chan error, 1)
	server := start(t, auth.Options{NoAuth: true, Limits: auth.Limits{WriteTime: 500 * time.Millisecond}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.URL.Path == "/stuck" {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return
			}
		}
	}))
	conn := dial(t, server)
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /stuck HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the write never ends")
	}
}

// A handler that sets deadlines itself is not overruled.
func TestWriteTimeOfTheHandler(t *testing.T) {
	ended := make(chan error, 1)
	server := start(t, auth.Options{NoAuth: true, Limits: auth.Limits{WriteTime: time.Hour}}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Error(err)
		}
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return
			}
		}
	}))
	conn := dial(t, server)
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the deadline was overruled")
	}
}

// A connection without headers is not kept.
func TestServerTimes(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.Config = auth.NewServer(http.NotFoundHandler(), &auth.ServerOptions{ReadHeaderTime: 50 * time.Millisecond, IdleTime: 50 * time.Millisecond, Logger: quiet()})
	server.Start()
	defer server.Close()
	conn := dial(t, server)
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: loc"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Error(err)
	}
	config := auth.NewServer(http.NotFoundHandler(), nil)
	if config.ReadHeaderTimeout <= 0 || config.IdleTimeout <= 0 || config.MaxHeaderBytes != 64<<10 {
		t.Errorf("got %+v", config)
	}
	if config.WriteTimeout != 0 || config.ReadTimeout != 0 {
		t.Error("a limit on the whole answer kills streams")
	}
}

func dial(t *testing.T, server *httptest.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second)) // does not hang
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// K12: a body that stalls is ended long before the time of a whole body, and one
// that comes slowly but steadily is not.
func TestK12BodyStalls(t *testing.T) {
	const stall = 200 * time.Millisecond
	server := start(t, auth.Options{NoAuth: true, Limits: auth.Limits{BodyStall: stall, BodyTime: time.Hour}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d %t", len(body), err == nil)
	}))
	head := "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n"
	stalled := dial(t, server)
	write(t, stalled, head+"abc")
	began := time.Now()
	if _, err := io.ReadAll(stalled); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < stall/2 || took > 50*stall {
		t.Errorf("ended after %s", took)
	}
	steady := dial(t, server)
	write(t, steady, head)
	for range 8 {
		time.Sleep(stall / 4) // twice the stall in all
		write(t, steady, "x")
	}
	if resp, body := answerOf(t, bufio.NewReader(steady)); resp.StatusCode != 200 || body != "8 true" {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
}

// K12: one connection more than allowed is refused at once, and takes the place
// of one that ends.
func TestK12Connections(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := auth.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), &auth.ServerOptions{Logger: quiet()})
	go func() { _ = server.Serve(auth.LimitConnections(listener, auth.Limits{Connections: 3}, quiet())) }()
	defer func() { _ = server.Close() }()
	connect := func() (net.Conn, int) {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		write(t, conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return conn, 0 // the refusal may be lost with the unread request
		}
		_ = resp.Body.Close()
		return conn, resp.StatusCode
	}
	var open []net.Conn
	for range 3 {
		conn, status := connect()
		if status != http.StatusOK {
			t.Fatalf("%d after %d connections", status, len(open))
		}
		open = append(open, conn)
	}
	if _, status := connect(); status == http.StatusOK {
		t.Error("a fourth connection was served")
	}
	_ = open[0].Close()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, status := connect(); status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the place of a connection that ended stays taken")
		}
	}
}
