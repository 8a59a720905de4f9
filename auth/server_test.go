package auth_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/auth"
)

// What follows is what callers can see of the server that [auth.NewServer]
// makes, with the handler of [auth.New] in it.

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

// answerOf reads one answer to a POST.
func answerOf(t *testing.T, in *bufio.Reader) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodPost})
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

// timedServer serves a handler with the options of a server.
func timedServer(t *testing.T, handler http.HandlerFunc, opts auth.ServerOptions) *httptest.Server {
	t.Helper()
	opts.Logger = quiet()
	server := httptest.NewUnstartedServer(nil)
	server.Config = auth.NewServer(handler, &opts)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// A handler that has read its body learns that its caller has left.
func TestCallerLeaves(t *testing.T) {
	left := make(chan error, 1)
	server := start(t, auth.Options{NoAuth: true}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
			left <- r.Context().Err()
		case <-time.After(30 * time.Second):
			left <- errors.New("the handler was not told")
		}
	}))
	conn := dial(t, server)
	write(t, conn, post("/", "x"))
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A request that comes while the one before it is being answered waits for its
// turn. It neither looks like a caller who leaves, nor meets the write deadline
// of the one before.
func TestPipelining(t *testing.T) {
	const writeTime = 200 * time.Millisecond
	begun, proceed := make(chan bool, 1), make(chan bool)
	server := start(t, auth.Options{NoAuth: true, Limits: auth.Limits{WriteTime: writeTime}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/slow" {
			begun <- true
			<-proceed
		}
		if r.Context().Err() != nil {
			t.Error("the caller is still there")
		}
		fmt.Fprintf(w, "%s %s", r.URL.Path, body)
	}))
	conn := dial(t, server)
	in := bufio.NewReader(conn)
	for range 2 {
		write(t, conn, post("/slow", "a"))
		<-begun
		write(t, conn, post("/next", "b"))
		time.Sleep(2 * writeTime) // longer than one write may take
		proceed <- true
		for _, want := range []string{"/slow a", "/next b"} {
			if _, got := answerOf(t, in); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

// The time for headers holds for the first request and for one that stops in
// the middle, the idle time between two requests.
func TestServerEndsSilentConnections(t *testing.T) {
	const short, long = 200 * time.Millisecond, time.Minute
	for name, tc := range map[string]struct {
		header, idle time.Duration
		before, then string
	}{
		"first":   {short, long, "", ""},
		"between": {long, short, post("/", "x"), ""},
		"half":    {short, long, post("/", "x"), "POST / HTTP/1.1\r\nHo"},
	} {
		t.Run(name, func(t *testing.T) {
			server := timedServer(t, func(http.ResponseWriter, *http.Request) {}, auth.ServerOptions{ReadHeaderTime: tc.header, IdleTime: tc.idle})
			conn := dial(t, server)
			in := bufio.NewReader(conn)
			if tc.before != "" {
				write(t, conn, tc.before)
				answerOf(t, in)
			}
			write(t, conn, tc.then)
			if _, err := io.ReadAll(in); err != nil {
				t.Errorf("the connection is kept: %v", err)
			}
		})
	}
}

// Each header has its whole time, however old its connection is.
func TestHeaderTimeBeginsWithTheHeader(t *testing.T) {
	server := timedServer(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) }, auth.ServerOptions{ReadHeaderTime: 500 * time.Millisecond})
	conn := dial(t, server)
	in := bufio.NewReader(conn)
	for range 4 {
		write(t, conn, post("/", "x"))
		answerOf(t, in)
		time.Sleep(200 * time.Millisecond) // longer in all than one header may take
	}
	write(t, conn, "GET /late HTTP/1.1\r\n")
	time.Sleep(50 * time.Millisecond)
	write(t, conn, "Host: h\r\n\r\n")
	if _, got := answerOf(t, in); got != "/late" {
		t.Error(got)
	}
}

// Headers have a size that they may not exceed.
func TestHeaderBytes(t *testing.T) {
	for size, want := range map[int]int{32 << 10: http.StatusOK, 128 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		server := timedServer(t, func(http.ResponseWriter, *http.Request) {}, auth.ServerOptions{})
		conn := dial(t, server)
		// The server may answer and stop reading before all of it is written.
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\nX: "+strings.Repeat("x", size)+"\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%d bytes: HTTP %d, want %d", size, resp.StatusCode, want)
		}
	}
}

// Shutdown ends idle connections at once and lets running requests finish.
func TestShutdown(t *testing.T) {
	begun, proceed := make(chan bool, 1), make(chan bool)
	server := start(t, auth.Options{NoAuth: true}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			begun <- true
			<-proceed
		}
		_, _ = io.WriteString(w, r.URL.Path)
	}))
	idle, busy := dial(t, server), dial(t, server)
	idleIn, busyIn := bufio.NewReader(idle), bufio.NewReader(busy)
	write(t, idle, post("/", "x"))
	answerOf(t, idleIn)
	write(t, busy, post("/slow", "y"))
	<-begun
	ended := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		ended <- server.Config.Shutdown(ctx)
	}()
	if _, err := idleIn.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the idle connection: %v", err)
	}
	select {
	case err := <-ended:
		t.Errorf("it did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	proceed <- true
	if resp, got := answerOf(t, busyIn); got != "/slow" || !resp.Close {
		t.Errorf("%s; the last answer of the connection: %v", got, resp.Close)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The context of a request ends when its caller does not take the answer.
func TestCallerDoesNotRead(t *testing.T) {
	told := make(chan error, 1)
	server := start(t, auth.Options{NoAuth: true, Limits: auth.Limits{WriteTime: 100 * time.Millisecond}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				break
			}
		}
		told <- r.Context().Err()
	}))
	write(t, dial(t, server), post("/", "x"))
	if err := <-told; !errors.Is(err, context.Canceled) {
		t.Errorf("its context: %v", err)
	}
}

// An answer that the handler did not finish does not look whole.
func TestBrokenAnswersAreCut(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte("abc"))
		},
		"aborted": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, 9000))
			panic(http.ErrAbortHandler)
		},
		"crashed": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, 9000))
			panic("a mistake")
		},
		"at once": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			server := start(t, auth.Options{NoAuth: true}, handler)
			conn := dial(t, server)
			write(t, conn, post("/", "x"))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
				t.Errorf("it looks whole: %v", err)
			}
		})
	}
}
