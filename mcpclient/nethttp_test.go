package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
)

// fine answers a call.
func fine(w io.Writer, id json.RawMessage) {
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine"}]}}`, id)
}

// watched is a server that reports the states of its connections.
func watched(t *testing.T, handler http.Handler, report func(net.Conn, http.ConnState)) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = report
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// TestConnectionsAreReused: as many callers as the server takes at a time need
// no more connections than that, however often they call, and ask for no
// compression.
func TestConnectionsAreReused(t *testing.T) {
	const callers = 32
	var made atomic.Int32
	handler := lies(func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
		if got := r.Header["Accept-Encoding"]; len(got) > 0 {
			t.Errorf("Accept-Encoding: %q", got)
		}
		time.Sleep(5 * time.Millisecond) // so that all run at a time
		fine(w, id)
	})
	web := watched(t, handler, func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			made.Add(1)
		}
	})
	c := client(t, mcpclient.Config{Name: "web", URL: web.URL, MaxConcurrent: callers}, nil)
	list(t, c)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for range 10 {
				wantOutput(t, invoke(t, t.Context(), c, "x", `{}`), `"fine"`)
			}
		})
	}
	all.Wait()
	// net/http may dial one that it does not need, while another becomes free.
	if n := made.Load(); n > 2*callers {
		t.Errorf("%d connections for %d callers", n, callers)
	}
	c.Close()
}

// TestServerClosesIdleConnections: a connection that the server has closed
// meanwhile costs no call, and no call is sent twice.
func TestServerClosesIdleConnections(t *testing.T) {
	var calls atomic.Int32
	idle := make(chan net.Conn, 64)
	handler := lies(func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
		calls.Add(1)
		fine(w, id)
	})
	web := watched(t, handler, func(c net.Conn, state http.ConnState) {
		if state == http.StateIdle {
			idle <- c
		}
	})
	c := client(t, mcpclient.Config{Name: "web", URL: web.URL}, nil)
	list(t, c)
	for range 5 {
		wantOutput(t, invoke(t, t.Context(), c, "x", `{}`), `"fine"`)
		_ = (<-idle).Close()
		for len(idle) > 0 {
			_ = (<-idle).Close()
		}
		time.Sleep(50 * time.Millisecond) // the client reads the end
	}
	if n := calls.Load(); n != 5 {
		t.Errorf("5 calls reached the server %d times", n)
	}
	c.Close()
}

// TestOddHTTP: answers that net/http does not take, or that are cut off. The
// call may have been carried out in each case, and the next call works.
func TestOddHTTP(t *testing.T) {
	for name, tc := range map[string]struct {
		answer, code, text string
	}{
		"nothing":        {"", gongu.CodeOutcomeUnknown, "EOF"},
		"half a header":  {"HTTP/1.1 200 OK\r\nContent-", gongu.CodeOutcomeUnknown, "malformed"},
		"not HTTP":       {"220 smtp ready\r\n", gongu.CodeOutcomeUnknown, "malformed"},
		"endless header": {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 3<<20), gongu.CodeOutcomeUnknown, "headers exceeded 1048576"},
		"cut off":        {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", gongu.CodeOutcomeUnknown, "cut off"},
		"too early":      {"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", gongu.CodeUnavailable, "413"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var good atomic.Bool
			web := liar(t, func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
				if good.Load() {
					fine(w, id)
					return
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(conn, tc.answer) // the client may have gone
				_ = conn.Close()
			})
			c := client(t, mcpclient.Config{Name: "web", URL: web.URL}, nil)
			r := invoke(t, t.Context(), c, "x", `{}`)
			wantCode(t, r, tc.code)
			if r.Error != nil && !strings.Contains(r.Error.Message, tc.text) {
				t.Errorf("%q has no %q", r.Error.Message, tc.text)
			}
			good.Store(true)
			wantOutput(t, invoke(t, t.Context(), c, "x", `{}`), `"fine"`)
			c.Close()
		})
	}
}

// TestEarlyHints: an answer with a status below 200 is not the answer.
func TestEarlyHints(t *testing.T) {
	web := liar(t, func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
		w.WriteHeader(http.StatusEarlyHints)
		fine(w, id)
	})
	c := client(t, mcpclient.Config{Name: "web", URL: web.URL}, nil)
	wantOutput(t, invoke(t, t.Context(), c, "x", `{}`), `"fine"`)
	c.Close()
}

// TestNotSent: a call that cannot be sent any more, because the server has gone
// since, has a known outcome.
func TestNotSent(t *testing.T) {
	web := liar(t, func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) { fine(w, id) })
	c := client(t, mcpclient.Config{Name: "web", URL: web.URL}, nil)
	wantOutput(t, invoke(t, t.Context(), c, "x", `{}`), `"fine"`)
	web.CloseClientConnections()
	web.Close()
	await(t, func() bool { // the client notices the end of its idle connection
		r := invoke(t, t.Context(), c, "x", `{}`)
		return r.Error != nil && r.Error.Code == gongu.CodeUnavailable
	})
	c.Close()
}

// TestIdempotencyKey: net/http sends a request with such a header a second time
// when its connection breaks. A call must not be made twice.
func TestIdempotencyKey(t *testing.T) {
	for _, name := range []string{"Idempotency-Key", "idempotency-key", "X-Idempotency-Key"} {
		_, err := mcpclient.New(mcpclient.Config{Name: "web", URL: "http://localhost/", Headers: map[string]string{name: "1"}}, nil)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGivenUpBeforeItWasSent: a call whose connection cannot be made in time was
// not carried out.
func TestGivenUpBeforeItWasSent(t *testing.T) {
	var stuck atomic.Bool
	web := liar(t, func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) { fine(w, id) })
	own := &http.Client{Transport: roundTripFunc(func(r *http.Request) (*http.Response, error) {
		if stuck.Load() {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return http.DefaultTransport.RoundTrip(r)
	})}
	c := client(t, mcpclient.Config{Name: "web", URL: web.URL, Timeouts: mcpclient.Timeouts{Call: 300 * time.Millisecond}}, &mcpclient.Options{HTTPClient: own})
	list(t, c)
	stuck.Store(true)
	wantCode(t, invoke(t, t.Context(), c, "x", `{}`), gongu.CodeUnavailable)
	c.Close()
	http.DefaultClient.CloseIdleConnections()
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
