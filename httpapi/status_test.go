package httpapi_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/source"
)

func (s *server) page(query string, header http.Header) (string, reply) {
	s.t.Helper()
	got := s.raw(http.MethodGet, "/"+query, header, nil)
	if got.status != 200 {
		s.t.Fatalf("%d %s", got.status, got.body)
	}
	return string(got.body), got
}

// text is what a reader sees, in one line.
func text(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "title" {
			out.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

func TestPage(t *testing.T) {
	b := newBackend(t, nil)
	ask(t, b.store, 3)
	s := start(t, b)
	page, got := s.page("", nil)
	seen := text(t, page)
	for _, want := range []string{
		"gongu v1.2.3 running", "3 of 4 tools offered", "2 Sources · 1 need attention", "3 Open tool requests", "1 Tools held back",
		s.URL + "/mcp", s.URL + "/mcp/reader", "gongu connect claude",
		"weather McpServer/weather ready 1 0", "git McpServer/git failed 0 0 connection refused",
		"files 1 Reading and writing files. read_file",
	} {
		if !strings.Contains(seen, want) {
			t.Errorf("no %q in %q", want, seen)
		}
	}
	if strings.Contains(page, "http-equiv") || strings.Contains(seen, "write_file") {
		t.Error("the page has what it must not have")
	}
	if got.header.Get("Content-Type") != "text/html; charset=utf-8" || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", got.header)
	}
	s.api.Drain()
	if page, _ = s.page("?refresh=10", nil); !strings.Contains(page, `<meta http-equiv="refresh" content="10">`) || !strings.Contains(text(t, page), "shutting down") {
		t.Error("no refresh, or it does not say that it ends")
	}
	for _, query := range []string{"?refresh=0", "?refresh=x", "?refresh=10;url=https://evil.example", "?refresh=99999"} {
		if page, _ = s.page(query, nil); strings.Contains(page, "http-equiv") {
			t.Errorf("%s was taken", query)
		}
	}
}

func TestPageLanguages(t *testing.T) {
	s := start(t, newBackend(t, nil))
	korean, _ := s.page("?lang=ko", nil)
	preferred, _ := s.page("", http.Header{"Accept-Language": {"ko-KR"}})
	for _, page := range []string{korean, preferred} {
		if !strings.Contains(page, `<html lang="ko">`) || !strings.Contains(text(t, page), "열린 도구 요청") {
			t.Error("not in Korean")
		}
	}
	if page, _ := s.page("?lang=en", http.Header{"Accept-Language": {"ko"}}); !strings.Contains(page, `<html lang="en">`) {
		t.Error("not in English")
	}
}

// The policy lets the one style through, and nothing else.
func TestPagePolicy(t *testing.T) {
	s := start(t, newBackend(t, nil))
	page, got := s.page("", nil)
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)
	if style == nil {
		t.Fatal("no style")
	}
	sum := sha256.Sum256([]byte(style[1]))
	policy := got.header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}
	for _, bad := range []string{"<script", " style=", " on", "javascript:", "<img", "<link", "<iframe"} {
		body := regexp.MustCompile(`(?s)<body>.*`).FindString(page)
		if bad == " on" {
			if regexp.MustCompile(`<[^>]* on[a-z]+=`).MatchString(body) {
				t.Error("a handler in the page")
			}
			continue
		}
		if strings.Contains(body, bad) {
			t.Errorf("%s in the page", bad)
		}
	}
}

// Whatever a server calls itself and its tools, it stays text.
func TestPageHostileNames(t *testing.T) {
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>' {{.W}} </style>`
	yes := true
	b := newBackend(t, nil, gongu.Tool{Name: "fine", Domain: evil, Annotations: gongu.Annotations{ReadOnly: &yes}, Invoke: echo})
	b.registry.Domain(evil, "<b>bold</b> \u202Egnp.exe\u200B "+evil)
	b.agents[evil] = nil
	b.sources = []source.Status{{Name: evil, Identity: "McpServer/" + evil, State: source.State(evil), Reason: "\u202E\x00" + evil}}
	s := start(t, b, func(o *testOptions) { o.Version = evil })
	page, _ := s.page("", http.Header{"Accept-Language": {evil}})
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var elements []string
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && !slices.Contains(elements, n.Data) {
			elements = append(elements, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || strings.Contains(a.Val, "alert") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	for _, bad := range []string{"script", "img"} {
		if slices.Contains(elements, bad) {
			t.Errorf("the page has an element %s: %v", bad, elements)
		}
	}
	if strings.ContainsAny(page, "\u202E\u200B\x00") {
		t.Error("the page has what turns around or hides text")
	}
	if seen := text(t, page); strings.Count(seen, "<script>alert(1)</script>") < 4 || !strings.Contains(seen, "{{.W}}") {
		t.Errorf("the names are not shown as they are: %s", seen)
	}
}

// The address is copied into shells: a host that is more than a host is not
// shown.
func TestPageAddress(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for host, want := range map[string]string{
		"localhost:7410": "http://localhost:7410/mcp", "[::1]:7410": "http://[::1]:7410/mcp",
		"x;rm -rf ~": "", "$(id)": "", "a`id`": "", "a/b": "", "a:b": "",
	} {
		r, err := http.NewRequest(http.MethodGet, s.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		w := newRecorder()
		s.api.Page().ServeHTTP(w, r)
		if want == "" {
			want = "http://127.0.0.1:7410/mcp"
		}
		if !strings.Contains(w.Body.String(), "<pre>"+want+"</pre>") {
			t.Errorf("%q is not shown as %s", host, want)
		}
	}
}

// A large server has a small page.
func TestPageIsBounded(t *testing.T) {
	var tools []gongu.Tool
	yes := true
	for i := range 5000 {
		tools = append(tools, gongu.Tool{Name: fmt.Sprintf("t%d", i), Domain: fmt.Sprintf("d%d", i%100), Annotations: gongu.Annotations{ReadOnly: &yes}, Invoke: echo})
	}
	s := start(t, newBackend(t, nil, tools...))
	page, _ := s.page("", nil)
	if seen := text(t, page); !strings.Contains(seen, "5003 of 5004 tools offered") || !strings.Contains(seen, "and 43 more domains") || !strings.Contains(seen, "and 10 more") {
		t.Errorf("%.300s", seen)
	}
	if len(page) > 300<<10 {
		t.Errorf("%d bytes", len(page))
	}
}

func TestPageOfAPart(t *testing.T) {
	s := start(t, newBackend(t, nil), as(gongu.Principal{Agents: []string{"reader"}}))
	page, _ := s.page("", nil)
	seen := text(t, page)
	for _, hidden := range []string{"forecaster", "weather", "git", "Sources", "held back", "Open tool requests"} {
		if strings.Contains(seen, hidden) {
			t.Errorf("%s is shown: %s", hidden, seen)
		}
	}
	if !strings.Contains(seen, "/mcp/reader") {
		t.Errorf("%s", seen)
	}
}

func TestPageOtherPaths(t *testing.T) {
	s := start(t, newBackend(t, nil))
	if got := s.raw("GET", "/other", nil, nil); got.status != 404 {
		t.Errorf("/other: %d", got.status)
	}
	if got := s.raw("POST", "/", nil, nil); got.status != 405 {
		t.Errorf("POST: %d", got.status)
	}
	b := newBackend(t, nil)
	b.stepErr, b.pinsErr, b.store = errTest, errTest, nil
	broken := start(t, b)
	page, _ := broken.page("", nil)
	if seen := text(t, page); strings.Contains(seen, "secret") || !strings.Contains(seen, "– Open tool requests") || !strings.Contains(seen, "– Tools held back") || !strings.Contains(seen, "the server failed to handle the request") {
		t.Errorf("%s", seen)
	}
}

// K3: the page shows a change that is held back and the command that accepts it,
// to those who may see the whole server.
func TestK3_PageShowsHeldChanges(t *testing.T) {
	held := &httpapi.HeldChange{Accept: "gongu trust /srv/b", Error: "line 3 is wrong", Changes: []bundle.Change{
		{Label: "hello.ts", Kind: bundle.Changed, Summary: "Tool/hello", By: "painter"}, {Label: "<b>x</b>.yaml", Kind: bundle.Added},
	}}
	for i := range 50 {
		held.Changes = append(held.Changes, bundle.Change{Label: fmt.Sprintf("f%d", i), Kind: bundle.Removed})
	}
	s := start(t, newBackend(t, nil), func(o *testOptions) {
		o.Bundle = func() httpapi.BundleStatus { return httpapi.BundleStatus{Held: held} }
	})
	page, _ := s.page("", nil)
	seen := text(t, page)
	for _, want := range []string{"A change of the bundle is held back", "changed hello.ts Tool/hello (change by painter)", "added <b>x</b>.yaml", "removed f37 and 12 more", "line 3 is wrong", "run at a terminal gongu trust /srv/b"} {
		if !strings.Contains(seen, want) {
			t.Errorf("no %q in %q", want, seen)
		}
	}
	held.Waiting = true
	if page, _ := s.page("", nil); !strings.Contains(text(t, page), "The bundle has no consent yet") {
		t.Error(text(t, page))
	}
	limited := start(t, newBackend(t, nil), func(o *testOptions) {
		o.Bundle = func() httpapi.BundleStatus { return httpapi.BundleStatus{Held: held} }
		o.who = &gongu.Principal{Name: "part", Allow: []gongu.Rule{{Name: "x"}}}
	})
	if page, _ := limited.page("", nil); strings.Contains(page, "hello.ts") {
		t.Error("a limited principal sees the change")
	}
}
