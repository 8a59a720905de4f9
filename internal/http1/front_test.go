package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/http1"
)

// fronted serves a handler behind a front, and reports which requests net/http
// read itself.
type fronted struct {
	server *http.Server
	front  *http1.Front
	addr   string
}

func startFront(t *testing.T, handler http.Handler, set func(*http.Server)) *fronted {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fronted{addr: l.Addr().String()}
	f.server = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	if set != nil {
		set(f.server)
	}
	f.front = http1.NewFront(f.server, l)
	ended := make(chan error, 1)
	go func() { ended <- f.server.Serve(f.front) }()
	t.Cleanup(func() {
		_ = f.server.Close()
		<-ended
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := f.front.Wait(ctx); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *fronted) dial(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", f.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil { // it does not hang
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

// receive reads one answer.
func receive(t *testing.T, in *bufio.Reader) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodPost})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", resp.Status, err)
	}
	return resp, string(body)
}

func plainPost(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// echo tells what came, and whether the front brought it: only net/http can be
// hijacked.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	way := "front"
	if _, ok := w.(http.Hijacker); ok {
		way = "server"
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	_, hosted := r.Context().Value(http.ServerContextKey).(*http.Server)
	fmt.Fprintf(w, "%s %s %s %s %d %q %v %v", way, r.Method, r.URL.Path, r.Host, r.ContentLength, body, local != nil && hosted, r.RemoteAddr != "")
})

func TestFrontAnswersPlainRequests(t *testing.T) {
	f := startFront(t, echo, nil)
	conn, in := f.dial(t)
	for i := range 3 {
		body := strings.Repeat("x", i*1000+1)
		send(t, conn, plainPost("/a", body))
		resp, got := receive(t, in)
		if want := fmt.Sprintf("front POST /a localhost %d %q true true", len(body), body); got != want || resp.StatusCode != 200 || resp.Header.Get("Date") == "" {
			t.Errorf("%d: %s %v %s", i, resp.Status, resp.Header, got)
		}
	}
}

// What is not plain is the server's, whole, with all that follows.
func TestFrontPassesOthersOn(t *testing.T) {
	f := startFront(t, echo, nil)
	big := strings.Repeat("y", 100_000)
	for name, tc := range map[string]struct {
		pieces []string
		want   []string
	}{
		"get":          {[]string{"GET /g HTTP/1.1\r\nHost: h\r\n\r\n"}, []string{`server GET /g h 0 ""`}},
		"large":        {[]string{plainPost("/l", big)}, []string{fmt.Sprintf("server POST /l localhost %d %q", len(big), big)}},
		"in pieces":    {[]string{plainPost("/p", "abc")[:20], plainPost("/p", "abc")[20:]}, []string{`server POST /p localhost 3 "abc"`}},
		"body later":   {[]string{strings.TrimSuffix(plainPost("/p", "abc"), "c"), "c"}, []string{`server POST /p localhost 3 "abc"`}},
		"no body":      {[]string{plainPost("/n", "")}, []string{`server POST /n localhost 0 ""`}},
		"chunks":       {[]string{"POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"}, []string{`server POST /c h -1 "ab"`}},
		"query":        {[]string{"POST /q?a=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx"}, []string{`server POST /q h 1 "x"`}},
		"one by one":   {[]string{plainPost("/1", "a") + plainPost("/2", "b")}, []string{`server POST /1 localhost 1 "a"`, `server POST /2 localhost 1 "b"`}},
		"expect":       {[]string{"POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx"}, []string{`server POST /e h 1 "x"`}},
		"after others": {[]string{plainPost("/1", "a"), "", "GET /g HTTP/1.1\r\nHost: h\r\n\r\n", "", plainPost("/2", "b")}, []string{`front POST /1 localhost 1 "a"`, `server GET /g h 0 ""`, `server POST /2 localhost 1 "b"`}},
	} {
		t.Run(name, func(t *testing.T) {
			conn, in := f.dial(t)
			var got []string
			read := func() {
				resp, body := receive(t, in)
				if resp.StatusCode == http.StatusContinue {
					_, body = receive(t, in)
				}
				got = append(got, strings.TrimSuffix(body, " true true"))
			}
			for i, piece := range tc.pieces {
				if piece == "" { // the answer comes first
					read()
					continue
				}
				if i > 0 && tc.pieces[i-1] != "" {
					time.Sleep(20 * time.Millisecond) // so that it comes by itself; the answer is the same if not
				}
				send(t, conn, piece)
			}
			for len(got) < len(tc.want) {
				read()
			}
			for i, want := range tc.want {
				// Pieces that the kernel put together again may be plain.
				if got[i] != want && (!strings.HasPrefix(want, "server") || got[i] != "front"+strings.TrimPrefix(want, "server")) {
					t.Errorf("got %.200s, want %.200s", got[i], want)
				}
			}
		})
	}
}

// What handlers do must come out as net/http would write it.
func TestFrontWritesAsNetHTTPDoes(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789"), 5000)
	handlers := map[string]func(w http.ResponseWriter, r *http.Request){
		"nothing":    func(http.ResponseWriter, *http.Request) {},
		"small":      func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hello") },
		"two writes": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a")); _, _ = w.Write([]byte("b")) },
		"typed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "x/y")
			_, _ = w.Write([]byte("a"))
		},
		"not typed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = w.Write([]byte("a"))
		},
		"large": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(large) },
		"large, known": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "50000")
			_, _ = w.Write(large)
		},
		"status": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			w.WriteHeader(500)
			_, _ = w.Write([]byte("no"))
		},
		"odd status":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(799) },
		"no content":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
		"not modified": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Etag", "x"); w.WriteHeader(304) },
		"accepted":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) },
		"flushed": func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write([]byte("event"))
			w.(http.Flusher).Flush()
			_, _ = w.Write([]byte{})
			_, _ = w.Write([]byte("event"))
		},
		"flushed, known": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "2")
			_, _ = w.Write([]byte("a"))
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write([]byte("b"))
		},
		"body of none": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(204)
			if _, err := w.Write([]byte("abc")); !errors.Is(err, http.ErrBodyNotAllowed) {
				panic(err)
			}
		},
		"late header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1")
			w.WriteHeader(200)
			w.Header().Set("X-Late", "1")
			_, _ = w.Write([]byte("a"))
		},
		"split": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-A", "b\r\nX-Evil: 1\nc")
			w.Header()["X B"] = []string{"d"}
		},
		"several": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["X-A"] = []string{"1", "2"}
			w.Header().Add("Vary", "a")
		},
		"bad length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "x")
			_, _ = w.Write([]byte("a"))
		},
		"last": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			_, _ = w.Write([]byte("a"))
		},
		"dated": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", "today")
			_, _ = w.Write([]byte("a"))
		},
		"deadlines": func(w http.ResponseWriter, _ *http.Request) {
			rc := http.NewResponseController(w)
			if err := errors.Join(rc.SetWriteDeadline(time.Now().Add(time.Minute)), rc.SetReadDeadline(time.Now().Add(time.Minute))); err != nil {
				panic(err)
			}
		},
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		handlers[r.Header.Get("X-Do")](w, r)
	})
	f := startFront(t, handler, nil)
	for name := range handlers {
		t.Run(name, func(t *testing.T) {
			ask := func(how string) (string, bool) {
				conn, in := f.dial(t)
				send(t, conn, "POST "+how+" HTTP/1.1\r\nHost: localhost\r\nX-Do: "+name+"\r\nContent-Length: 1\r\n\r\nx")
				resp, body := receive(t, in)
				if len(resp.Header["Date"]) != 1 {
					t.Errorf("%s: %v", how, resp.Header)
				}
				if resp.Header.Get("Date") != "today" {
					resp.Header.Del("Date")
				}
				text := fmt.Sprintf("%s %s %v %v %v %d bytes %.100q", resp.Proto, resp.Status, resp.Header, resp.TransferEncoding, resp.Close, len(body), body)
				if resp.Close {
					_, err := in.ReadByte()
					return text, errors.Is(err, io.EOF)
				}
				send(t, conn, plainPost("/again", "x")[:10]) // the connection is still there
				return text, true
			}
			got, ended := ask("/front")
			want, _ := ask("/server?") // a query is not plain
			if got != want || !ended {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
		})
	}
}

// An answer that is shorter than it said must not look whole.
func TestFrontCutsBrokenAnswers(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte("abc"))
		},
		"long": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "2")
			if _, err := w.Write([]byte("abc")); !errors.Is(err, http.ErrContentLength) {
				t.Errorf("too much: %v", err)
			}
		},
		"aborted": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, 9000))
			panic(http.ErrAbortHandler)
		},
		"crashed": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 9000)); panic("oh") },
		"at once": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			f := startFront(t, handler, nil)
			conn, in := f.dial(t)
			send(t, conn, plainPost("/", "x"))
			resp, err := http.ReadResponse(in, nil)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
			}
			if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
				t.Errorf("it looks whole: %v", err)
			}
		})
	}
}
