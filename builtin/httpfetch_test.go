package builtin_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
)

type fetchAnswer struct {
	URL, Method, StatusText, Body string
	Status                        int
	Headers                       map[string]string
	Truncated                     bool
	DurationMs                    int64
}

// serve is a server on loopback.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// local lets requests reach loopback.
func local(t *testing.T) *gongu.Executor {
	t.Helper()
	executor, _ := newSystem(t, builtin.Options{AllowPrivate: []string{"127.0.0.1"}})
	return executor
}

// TestGet is case 135, field by field.
func TestGet(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-Many"] = []string{"a", "b"}
		w.Header()["Date"] = nil
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, r.Method+" "+r.Header.Get("X-Asked")+" "+r.Header.Get("X-Number")+" "+r.Host)
	})
	executor := local(t)
	host := strings.TrimPrefix(base, "http://")
	r := ask(t, executor, "http-fetch__get", map[string]any{"url": base + "/missing", "headers": map[string]any{"X-Asked": "yes", "X-Number": 1.50}})
	got := answer[fetchAnswer](t, r)
	if got.URL != base+"/missing" || got.Method != "GET" || got.Status != 404 || got.StatusText != "Not Found" || got.Truncated {
		t.Errorf("%+v", got)
	}
	if got.Body != "GET yes 1.5 "+host || got.Headers["x-many"] != "a, b" || got.Headers["content-type"] != "text/plain" {
		t.Errorf("%+v", got)
	}
	if order := `{"url":"` + base + `/missing","method":"GET","status":404,"statusText":"Not Found","headers":{`; !strings.HasPrefix(string(r.Output), order) {
		t.Errorf("output %s", r.Output)
	}
	if got := answer[fetchAnswer](t, ask(t, executor, "http-fetch__get", map[string]any{"url": base, "headers": map[string]any{"host": "other.example"}})); got.Status != 200 || !strings.HasSuffix(got.Body, "other.example") {
		t.Errorf("%+v", got)
	}
}

func TestURLs(t *testing.T) {
	executor := local(t)
	for url, message := range map[string]string{
		"file:///etc/hostname": "Unsupported protocol: file:",
		"FTP://example.com":    "Unsupported protocol: ftp:",
		"data:text/plain,x":    "Unsupported protocol: data:",
		"not a url":            "Invalid URL: not a url",
		"example.com/x":        "Invalid URL: example.com/x",
		"http://":              "Invalid URL: http://",
		"http://[::1":          "Invalid URL: http://[::1",
		"":                     "Invalid URL: ",
		"http://127.0.0.1:1/":  "The request to http://127.0.0.1:1/ failed: ",
	} {
		wantMessage(t, ask(t, executor, "http-fetch__get", map[string]any{"url": url}), message)
	}
	wantMessage(t, ask(t, executor, "http-fetch__get", map[string]any{"url": "http://127.0.0.1:1/", "headers": map[string]any{"a b": "c"}}), "invalid header field name")
	wantMessage(t, ask(t, executor, "http-fetch__get", map[string]any{"url": "http://127.0.0.1:1/", "timeoutMs": 0}), "args.timeoutMs")
}

func TestPost(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+" "+r.Header.Get("Content-Type")+" "+string(body))
	})
	executor := local(t)
	for args, want := range map[string]string{
		`{"url":"` + base + `","body":{"b":1.50,"a":[12345678901234567890]}}`:                     `POST application/json {"b":1.50,"a":[12345678901234567890]}`,
		`{"url":"` + base + `","bodyString":"x=1"}`:                                               `POST text/plain;charset=UTF-8 x=1`,
		`{"url":"` + base + `","body":{},"bodyString":"ignored"}`:                                 `POST application/json {}`,
		`{"url":"` + base + `","bodyString":"<a/>","headers":{"content-type":"application/xml"}}`: `POST application/xml <a/>`,
		`{"url":"` + base + `"}`: `POST  `,
	} {
		got := answer[fetchAnswer](t, raw(t, executor, "http-fetch__post", args))
		if got.Body != want || got.Method != "POST" {
			t.Errorf("%s: %q, want %q", args, got.Body, want)
		}
	}
	wantMessage(t, raw(t, executor, "http-fetch__post", `{"url":"`+base+`","body":"text"}`), "args.body: expected object")
}

// TestFetchTimeout: before the headers and in the middle of the body.
func TestFetchTimeout(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			_, _ = io.WriteString(w, "beginning")
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	})
	executor := local(t)
	for _, path := range []string{"/", "/body"} {
		began := time.Now()
		r := ask(t, executor, "http-fetch__get", map[string]any{"url": base + path, "timeoutMs": 100})
		wantMessage(t, r, base+path, "did not finish within 100 ms")
		if r.Error == nil || r.Error.Code != gongu.CodeTimeout || time.Since(began) > 5*time.Second {
			t.Errorf("%+v after %s", r.Error, time.Since(began))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	r := executor.Call(ctx, gongu.Call{Name: "http-fetch__get", Args: []byte(`{"url":"` + base + `"}`)})
	if r.Error == nil || r.Error.Code != gongu.CodeTimeout {
		t.Errorf("%+v", r.Error)
	}
}

// TestBodyLimit is case 136 and W14: the server counts what is taken from it.
func TestBodyLimit(t *testing.T) {
	var taken atomic.Int64
	done := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer func() { done <- struct{}{} }()
		piece := bytes.Repeat([]byte("가"), 10_000)
		for range 1000 {
			n, err := w.Write(piece)
			taken.Add(int64(n))
			if err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}))
	// What lies in the server's own buffer was not taken by anybody.
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(64 << 10)
		}
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	got := answer[fetchAnswer](t, ask(t, local(t), "http-fetch__get", map[string]any{"url": server.URL, "maxBytes": 1000}))
	if !got.Truncated || got.Body != strings.Repeat("가", 333) {
		t.Errorf("truncated %v, %d bytes", got.Truncated, len(got.Body))
	}
	<-done
	if n := taken.Load(); n > 1_200_000 {
		t.Errorf("%d bytes were taken from the server", n)
	}
}

func TestBodyText(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bytes":
			_, _ = w.Write([]byte("a\xff\xfeb\xea\xb0"))
		case "/exact":
			_, _ = io.WriteString(w, "0123456789")
		}
	})
	executor := local(t)
	got := answer[fetchAnswer](t, ask(t, executor, "http-fetch__get", map[string]any{"url": base + "/bytes"}))
	if got.Body != "a\ufffdb\ufffd" {
		t.Errorf("%q", got.Body)
	}
	for maxBytes, truncated := range map[int]bool{9: true, 10: false, 11: false} {
		got := answer[fetchAnswer](t, ask(t, executor, "http-fetch__get", map[string]any{"url": base + "/exact", "maxBytes": maxBytes}))
		if got.Truncated != truncated || len(got.Body) != min(maxBytes, 10) {
			t.Errorf("%d: %+v", maxBytes, got)
		}
	}
}

// TestGzip: the limit counts what was unpacked, so a bomb is cut, too.
func TestGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(bytes.Repeat([]byte("x"), 8<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("asked for %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	})
	got := answer[fetchAnswer](t, ask(t, local(t), "http-fetch__get", map[string]any{
		"url": base, "maxBytes": 1000, "headers": map[string]any{"accept-encoding": "br"},
	}))
	if got.Body != strings.Repeat("x", 1000) || !got.Truncated {
		t.Errorf("%d bytes, truncated %v", len(got.Body), got.Truncated)
	}
}

// TestGoondanW14_PrivateAddresses: without permission nothing private is reached, by
// whatever name. The server would answer.
func TestGoondanW14_PrivateAddresses(t *testing.T) {
	var reached atomic.Bool
	base := serve(t, func(http.ResponseWriter, *http.Request) { reached.Store(true) })
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HTTP_PROXY", base) // would answer for everybody
	executor, _ := newSystem(t, builtin.Options{AllowPrivate: []string{"10.0.0.0/8", "other.example"}})
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "[::1]", "169.254.169.254", "[64:ff9b::7f00:1]", "100.64.0.1"} {
		for _, tool := range []string{"http-fetch__get", "http-fetch__post"} {
			r := ask(t, executor, tool, map[string]any{"url": "http://" + host + ":" + target.Port() + "/"})
			wantMessage(t, r, "not a public address", "AllowPrivate")
		}
	}
	if reached.Load() {
		t.Error("the server was reached")
	}
	allowed, _ := newSystem(t, builtin.Options{AllowPrivate: []string{"localhost"}})
	if r := ask(t, allowed, "http-fetch__get", map[string]any{"url": "http://localhost:" + target.Port()}); r.Failed() || !reached.Load() {
		t.Errorf("%+v", r.Error)
	}
}

// TestGoondanW14_RedirectToPrivate: a public page cannot send us to a private one.
// Here localhost is public by permission and 127.0.0.1 is not.
func TestGoondanW14_RedirectToPrivate(t *testing.T) {
	var reached atomic.Bool
	private := serve(t, func(http.ResponseWriter, *http.Request) { reached.Store(true) })
	public := serve(t, func(w http.ResponseWriter, r *http.Request) {
		target := private
		if r.URL.Path == "/file" {
			target = "file:///etc/hostname"
		}
		http.Redirect(w, r, target, http.StatusFound)
	})
	public = strings.Replace(public, "127.0.0.1", "localhost", 1)
	executor, _ := newSystem(t, builtin.Options{AllowPrivate: []string{strings.TrimPrefix(public, "http://")}})
	wantMessage(t, ask(t, executor, "http-fetch__get", map[string]any{"url": public}), "127.0.0.1", "not a public address")
	wantMessage(t, ask(t, executor, "http-fetch__get", map[string]any{"url": public + "/file"}), "Unsupported protocol: file:")
	if reached.Load() {
		t.Error("the private server was reached")
	}
}

// mapped sends every request to one server, whatever its host.
type mapped struct {
	t    *testing.T
	to   string
	mu   sync.Mutex
	seen []*http.Request
}

func (m *mapped) RoundTrip(req *http.Request) (*http.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, req.Clone(context.Background()))
	if len(m.seen) > 50 {
		return nil, errors.New("too many requests")
	}
	next := req.Clone(req.Context())
	next.URL.Scheme, next.URL.Host, next.Host = "http", m.to, req.URL.Host
	transport := &http.Transport{DisableKeepAlives: true}
	return transport.RoundTrip(next)
}

// TestRedirectHeaders: what was meant for one host is not sent to another,
// also when the way leads back.
func TestRedirectHeaders(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if next := r.URL.Query().Get("next"); next != "" {
			http.Redirect(w, r, next, http.StatusTemporaryRedirect)
			return
		}
		_, _ = io.WriteString(w, "end")
	})
	for name, tc := range map[string]struct {
		hops []string
		kept bool
	}{
		"same host":        {[]string{"http://a.example/x", "http://a.example/y"}, true},
		"to https":         {[]string{"http://a.example/", "https://a.example/"}, true},
		"other host":       {[]string{"http://a.example/", "http://b.example/"}, false},
		"below":            {[]string{"http://a.example/", "http://x.a.example/"}, false},
		"other port":       {[]string{"http://a.example/", "http://a.example:8080/"}, false},
		"from https":       {[]string{"https://a.example/", "http://a.example/"}, false},
		"there and back":   {[]string{"http://a.example/", "http://b.example/", "http://a.example/"}, false},
		"to https on 8443": {[]string{"http://a.example/", "https://a.example:8443/"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			transport := &mapped{t: t, to: strings.TrimPrefix(base, "http://")}
			executor, _ := newSystem(t, builtin.Options{Transport: transport})
			address := ""
			for i := len(tc.hops) - 1; i >= 0; i-- {
				if address != "" {
					address = "?next=" + url.QueryEscape(address)
				}
				address = tc.hops[i] + address
			}
			r := ask(t, executor, "http-fetch__post", map[string]any{
				"url": address, "bodyString": "data",
				"headers": map[string]any{"Authorization": "Bearer s3cret", "X-Api-Key": "s3cret", "Cookie": "s=s3cret", "Accept": "text/plain"},
			})
			got := answer[fetchAnswer](t, r)
			if got.Body != "end" || got.URL != address || len(transport.seen) != len(tc.hops) {
				t.Fatalf("%+v after %d requests", got, len(transport.seen))
			}
			last := transport.seen[len(transport.seen)-1]
			for _, secret := range []string{"Authorization", "X-Api-Key", "Cookie"} {
				if kept := last.Header.Get(secret) != ""; kept != tc.kept {
					t.Errorf("%s is kept: %v", secret, kept)
				}
			}
			if last.Header.Get("Accept") != "text/plain" || !tc.kept && last.Header.Get("Referer") != "" {
				t.Errorf("headers %v", last.Header)
			}
		})
	}
}

func TestRedirectsEnd(t *testing.T) {
	var count atomic.Int64
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		http.Redirect(w, r, "/", http.StatusFound)
	})
	wantMessage(t, ask(t, local(t), "http-fetch__get", map[string]any{"url": base}), "stopped after 10 redirects")
	if n := count.Load(); n != 11 {
		t.Errorf("%d requests", n)
	}
}

// Seed 001 §14.2: url is required.
func TestSeed001_URLIsRequired(t *testing.T) {
	registry := gongu.NewRegistry(nil)
	tools, _ := builtin.Resource("http-fetch", nil)
	if err := registry.Add(tools...); err != nil {
		t.Fatal(err)
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	for _, name := range []string{"http-fetch__get", "http-fetch__post"} {
		result := executor.Call(t.Context(), gongu.Call{Name: name, Args: []byte(`{}`)})
		if result.Error == nil || result.Error.Code != gongu.CodeInvalidArgs || !strings.Contains(result.Error.Message, "args.url: required property is missing") {
			t.Errorf("%s without url: %+v", name, result.Error)
		}
	}
}
