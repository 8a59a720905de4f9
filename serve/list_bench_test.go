package serve_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/serve"
)

// manyTools are read-only tools whose declarations have about 550 bytes each.
func manyTools(n int) []gongu.Tool {
	tools := make([]gongu.Tool, n)
	for i := range tools {
		tools[i] = gongu.Tool{
			Name: fmt.Sprintf("many_%d", i), Description: "One of many tools. " + strings.Repeat("It does something useful. ", 8),
			Parameters:  gongu.Schema(fmt.Sprintf(`{"type":"object","properties":{"path":{"type":"string","description":"Where to look."},"limit":{"type":"integer","minimum":1,"maximum":%d},"mode":{"enum":["a","b","c"]}},"required":["path"]}`, 100+i)),
			Annotations: gongu.Annotations{ReadOnly: new(true)},
			Invoke:      func(context.Context, gongu.Call) gongu.Result { return gongu.OK("ok") },
		}
	}
	return tools
}

// openHost is a host with these tools beside the starter ones.
func openHost(t testing.TB, tools ...gongu.Tool) *host.Host {
	t.Helper()
	return openHostOffering(t, nil, tools...)
}

// openHostOffering opens a host that offers the read-only tools, the discovery
// tools and those that the globs name.
func openHostOffering(t testing.TB, globs []string, tools ...gongu.Tool) *host.Host {
	t.Helper()
	offered, err := access.New(access.Options{Offer: access.ReadOnlyAnd(globs), Always: []gongu.Rule{explore.Rule()}, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.Open(t.Context(), "", &host.Options{StateRoot: t.TempDir(), Logger: slog.New(slog.DiscardHandler), Access: offered})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := h.Registry().Add(tools...); err != nil {
		t.Fatal(err)
	}
	return h
}

// firstBytes reads a whole answer again and again, and reports when its first
// byte came.
func firstBytes(b *testing.B, c *client, body string) {
	var first []time.Duration
	list := func() {
		var began time.Time
		ctx := httptrace.WithClientTrace(b.Context(), &httptrace.ClientTrace{
			WroteRequest:         func(httptrace.WroteRequestInfo) { began = time.Now() },
			GotFirstResponseByte: func() { first = append(first, time.Since(began)) },
		})
		resp := c.send(ctx, http.MethodPost, body)
		n, err := io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil || n < 4_000_000 {
			b.Fatal(n, err)
		}
	}
	list()
	first = nil
	b.ReportAllocs()
	for b.Loop() {
		list()
	}
	slices.Sort(first)
	b.ReportMetric(float64(first[len(first)/2].Microseconds()), "first-p50-µs")
	b.ReportMetric(float64(first[len(first)*99/100].Microseconds()), "first-p99-µs")
}

// BenchmarkList10000 is a list of 10,000 tools that was asked for before, in
// each era, beside a server that has nothing to do but to send as many bytes.
func BenchmarkList10000(b *testing.B) {
	legacy := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	modern := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + transcriptMeta + `{}}}}`
	b.Run("floor", func(b *testing.B) {
		bytes := make([]byte, 5_600_000)
		firstBytes(b, newLocal(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Length", strconv.Itoa(len(bytes)))
			_, _ = w.Write(bytes)
		})), legacy)
	})
	s := newServer(b, serve.Options{Backend: openHost(b, manyTools(10_000)...), Mode: serve.ModeDirect})
	b.Run("legacy", func(b *testing.B) { firstBytes(b, as(b, s, gongu.Principal{Name: "p"}).begin("{}"), legacy) })
	b.Run("modern", func(b *testing.B) { firstBytes(b, as(b, s, gongu.Principal{Name: "p"}), modern) })
}

// nowhere takes an answer and forgets it.
type nowhere struct {
	header http.Header
	size   int
}

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) WriteHeader(int)             {}
func (n *nowhere) Write(p []byte) (int, error) { n.size += len(p); return len(p), nil }

// BenchmarkListHandler10000 is the same list without a network and a client.
func BenchmarkListHandler10000(b *testing.B) {
	s := newServer(b, serve.Options{Backend: openHost(b, manyTools(10_000)...), Mode: serve.ModeDirect})
	ctx := gongu.WithPrincipal(b.Context(), &gongu.Principal{Name: "p", Allow: []gongu.Rule{{Name: "many_*"}}})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + transcriptMeta + `{}}}}`
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/list"}}
	list := func() {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header = header
		w := &nowhere{header: http.Header{}}
		s.MCP().ServeHTTP(w, r)
		if w.size < 4_000_000 {
			b.Fatal(w.size)
		}
	}
	list()
	b.ReportAllocs()
	for b.Loop() {
		list()
	}
}
