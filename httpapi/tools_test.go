package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
)

type toolsReply struct {
	Tools []struct {
		Name, Domain, Digest string
		Parameters           json.RawMessage
		Tokens               int
		Source               gongu.Source
		Labels               map[string]string
	}
	Total      int
	NextCursor string
}

func (r toolsReply) names() []string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

func allowAll(o *testOptions) { o.all = true }

func TestListTools(t *testing.T) {
	b := newBackend(t, nil)
	s := start(t, b, allowAll)
	var all toolsReply
	s.get("/tools", &all)
	if want := []string{"read_file", "write_file", "weather__get", "broken"}; !slices.Equal(all.names(), want) || all.Total != 4 {
		t.Fatalf("%v of %d, want %v", all.names(), all.Total, want)
	}
	first, live := all.Tools[0], b.registry.ToolsByName("read_file")[0]
	if string(first.Parameters) != pathSchema || first.Domain != "files" || first.Labels["team"] != "core" || first.Digest != live.Digest() || first.Tokens != live.Tokens() {
		t.Errorf("read_file is %+v", first)
	}
	// A tool that names no domain is in that of its source.
	if placed := all.Tools[2]; placed.Domain != "weather" || placed.Source.Identity() != "McpServer/weather" || string(placed.Parameters) != `{"type":"object","properties":{}}` {
		t.Errorf("weather__get is %+v", placed)
	}
	for query, want := range map[string][]string{
		"domain=files":                          {"read_file", "write_file"},
		"domain=weather":                        {"weather__get"},
		"source=weather":                        {"weather__get"},
		"source=McpServer/weather":              {"weather__get"},
		"agent=reader":                          {"read_file"},
		"agent=forecaster&source=weather":       {"weather__get"},
		"limit=2":                               {"read_file", "write_file"},
		"domain=files&limit=1":                  {"read_file"},
		"source=Go%2F&domain=files&agent=":      {"read_file", "write_file"},
		"domain=weather&source=weather&limit=9": {"weather__get"},
	} {
		var got toolsReply
		s.get("/tools?"+query, &got)
		if !slices.Equal(got.names(), want) {
			t.Errorf("%s: %v, want %v", query, got.names(), want)
		}
	}
}

func TestListToolsRefuses(t *testing.T) {
	s := start(t, newBackend(t, nil), allowAll)
	for query, hint := range map[string]string{
		"domain=file":   "files",
		"domain=f*":     "files",
		"source=wether": "weather",
		"agent=reder":   "reader",
	} {
		if p := s.refuses("GET", "/tools?"+query, "", 404, httpapi.CodeNotFound); !strings.Contains(p.Suggestion, hint) {
			t.Errorf("%s: %q does not name %s", query, p.Suggestion, hint)
		}
	}
	for _, query := range []string{
		"limit=0", "limit=1001", "limit=x", "limit=-1", "cursor=abc", "cursor=%FF", "domian=files", "limit=1&limit=2",
		"domain=" + strings.Repeat("x", 5000),
	} {
		s.refuses("GET", "/tools?"+query, "", 400, httpapi.CodeInvalid)
	}
	if p := s.refuses("GET", "/tools?domian=files", "", 400, httpapi.CodeInvalid); !strings.Contains(p.Suggestion, "domain") {
		t.Errorf("%q does not name domain", p.Suggestion)
	}
}

// A list that is read page by page has every tool, also when tools go
// meanwhile.
func TestPaging(t *testing.T) {
	var more []gongu.Tool
	for i := range 25 {
		more = append(more, gongu.Tool{Name: fmt.Sprintf("extra_%02d", i), Domain: "extra", Invoke: echo})
	}
	b := newBackend(t, nil, more...)
	s := start(t, b, allowAll)
	var seen []string
	next := ""
	for round := 0; ; round++ {
		var got toolsReply
		s.get("/tools?domain=extra&limit=7&cursor="+url.QueryEscape(next), &got)
		seen = append(seen, got.names()...)
		if next = got.NextCursor; next == "" {
			break
		}
		if round == 0 { // one that was shown, not the last: nothing may be skipped
			b.registry.Remove("extra_03")
		}
		if round == 1 { // the last that was shown: its place stands for it
			b.registry.Remove("extra_13")
		}
	}
	for i := range 25 {
		name := fmt.Sprintf("extra_%02d", i)
		if !slices.Contains(seen, name) {
			t.Errorf("%s was never shown: %v", name, seen)
		}
	}
	if len(seen) != 25 {
		t.Errorf("%d were shown: %v", len(seen), seen)
	}
	// A cursor of one list is none of another.
	var first toolsReply
	s.get("/tools?limit=1", &first)
	s.refuses("GET", "/pins?cursor="+first.NextCursor, "", 400, httpapi.CodeInvalid)
}

func TestGetTool(t *testing.T) {
	s := start(t, newBackend(t, nil), allowAll)
	var got struct {
		Name   string
		Hidden bool
	}
	s.get("/tools/write_file", &got)
	if got.Name != "write_file" || got.Hidden {
		t.Errorf("got %+v", got)
	}
	if p := s.refuses("GET", "/tools/raed_file", "", 404, httpapi.CodeNotFound); !strings.Contains(p.Suggestion, "read_file") {
		t.Errorf("suggestion %q", p.Suggestion)
	}
	s.refuses("GET", "/tools/write_file?agent=reader", "", 404, httpapi.CodeNotFound)
	s.refuses("GET", "/tools/"+url.PathEscape("<script>/../x"), "", 404, httpapi.CodeNotFound)
}

// promise V6: what changes something is offered only when it was named.
func TestV6OnlyReadOnlyToolsAreOffered(t *testing.T) {
	for _, tc := range []struct {
		allow []string
		want  []string
	}{
		{nil, []string{"read_file", "weather__get", "broken"}},
		{[]string{"write_*"}, []string{"read_file", "write_file", "weather__get", "broken"}},
		{[]string{"other"}, []string{"read_file", "weather__get", "broken"}},
	} {
		s := start(t, newBackend(t, nil), func(o *testOptions) { o.offer = tc.allow })
		var got toolsReply
		s.get("/tools", &got)
		if !slices.Equal(got.names(), tc.want) {
			t.Errorf("allow %v: %v, want %v", tc.allow, got.names(), tc.want)
		}
		if slices.Contains(tc.want, "write_file") {
			continue
		}
		var result gongu.Result
		s.do("POST", "/calls", `{"name":"write_file","arguments":{"path":"x"}}`, 200, &result)
		if !result.Failed() || result.Error.Code != gongu.CodeNotInCatalog {
			t.Errorf("allow %v: the call answered %+v", tc.allow, result)
		}
	}
}

// promise V5: the effective catalog is what the token may and the agent has.
func TestV5Principal(t *testing.T) {
	s := start(t, newBackend(t, nil), allowAll, as(gongu.Principal{
		Name: "ci", Agents: []string{"reader", "forecaster"}, Allow: []gongu.Rule{{Domain: "files"}},
	}))
	s.refuses("GET", "/tools", "", 403, httpapi.CodeForbidden)
	s.refuses("POST", "/calls", `{"name":"read_file","arguments":{"path":"x"}}`, 403, httpapi.CodeForbidden)
	var got toolsReply
	s.get("/tools?agent=reader", &got)
	if !slices.Equal(got.names(), []string{"read_file"}) {
		t.Errorf("reader: %v", got.names())
	}
	s.get("/tools?agent=forecaster", &got)
	if len(got.names()) != 0 {
		t.Errorf("forecaster: %v", got.names())
	}
	var result gongu.Result
	s.do("POST", "/calls", `{"name":"weather__get","agent":"forecaster"}`, 200, &result)
	if !result.Failed() || result.Error.Code != gongu.CodeNotInCatalog {
		t.Errorf("the call answered %+v", result)
	}
	// An agent that is not theirs looks the same, whether it exists or not.
	if a, b := s.refuses("GET", "/tools?agent=x", "", 403, httpapi.CodeForbidden), s.refuses("GET", "/domains?agent=", "", 403, httpapi.CodeForbidden); a.Title != b.Title {
		t.Errorf("%+v and %+v", a, b)
	}
	// What is about all of the server is not for a part of it.
	for _, path := range []string{"/pins", "/sources", "/status"} {
		s.refuses("GET", path, "", 403, httpapi.CodeForbidden)
	}
	var agents struct{ Agents []string }
	s.get("/agents", &agents)
	if !slices.Equal(agents.Agents, []string{"forecaster", "reader"}) {
		t.Errorf("agents %v", agents.Agents)
	}
}

// A token that is for calling tools decides nothing: a model that has it could
// approve its own requests.
func TestOnlyManagersDecide(t *testing.T) {
	b := newBackend(t, nil)
	s := start(t, b, as(gongu.Principal{Name: "model"}))
	for path, body := range map[string]string{
		"/requests/req_001/approve": `{}`, "/requests/req_001/reject": `{"reason":"x"}`,
		"/pins/accept": `{"names":["McpServer/git/log@sha256:bb"]}`, "/sources/refresh": `{}`,
	} {
		if p := s.refuses("POST", path, body, 403, httpapi.CodeForbidden); !strings.Contains(p.Suggestion, "gongu token new --manage") {
			t.Errorf("%s: %s", path, p.Suggestion)
		}
	}
	if len(b.accepted)+len(b.refreshed)+len(b.installed) != 0 {
		t.Error("something was done")
	}
}

func TestDomainsAndSearch(t *testing.T) {
	s := start(t, newBackend(t, nil))
	var domains struct{ Domains []gongu.Domain }
	s.get("/domains", &domains)
	if len(domains.Domains) != 3 || domains.Domains[0] != (gongu.Domain{Name: "files", Count: 1, Description: "Reading and writing files."}) {
		t.Errorf("domains %+v", domains.Domains)
	}
	var found struct{ Tools []struct{ Name string } }
	s.get("/search?q=weather+in+a+city", &found)
	if len(found.Tools) == 0 || found.Tools[0].Name != "weather__get" {
		t.Errorf("found %+v", found.Tools)
	}
	s.get("/search?q=write+a+file", &found)
	for _, hit := range found.Tools {
		if hit.Name == "write_file" {
			t.Error("a search found a tool that is not offered")
		}
	}
	s.refuses("GET", "/search", "", 400, httpapi.CodeInvalid)
	s.refuses("GET", "/search?q=+", "", 400, httpapi.CodeInvalid)
	s.refuses("GET", "/search?q=x&limit=51", "", 400, httpapi.CodeInvalid)
}

func TestETag(t *testing.T) {
	b := newBackend(t, nil)
	s := start(t, b)
	for _, path := range []string{"/tools", "/tools/read_file", "/domains", "/agents", "/search?q=file", "/requests", "/pins", "/sources", "/status", "/openapi.json"} {
		tag := s.get(path, nil).header.Get("ETag")
		for _, sent := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
			got := s.raw(http.MethodGet, httpapi.Prefix+path, http.Header{"If-None-Match": {sent}}, nil)
			if got.status != http.StatusNotModified || len(got.body) > 0 || got.header.Get("ETag") != tag {
				t.Errorf("%s with %s: %d %s", path, sent, got.status, got.body)
			}
			s.doc.check(t, "GET", path, got)
		}
		if got := s.raw(http.MethodGet, httpapi.Prefix+path, http.Header{"If-None-Match": {`"other"`}}, nil); got.status != 200 {
			t.Errorf("%s with another tag: %d", path, got.status)
		}
	}
	before := s.get("/tools", nil).header.Get("ETag")
	b.registry.Remove("broken")
	if s.get("/tools", nil).header.Get("ETag") == before {
		t.Error("the list has changed and its tag has not")
	}
}

func TestDeclarations(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for _, dialect := range []string{"mcp", "openai", "openai-responses", "openai-strict", "anthropic", "gemini", "aisdk"} {
		var got struct {
			Dialect string
			Tools   json.RawMessage
		}
		s.get("/declarations?dialect="+dialect+"&agent=reader", &got)
		if got.Dialect != dialect || !strings.Contains(string(got.Tools), "read_file") || strings.Contains(string(got.Tools), "weather__get") {
			t.Errorf("%s: %+v", dialect, got)
		}
	}
	if p := s.refuses("GET", "/declarations?dialect=opnai", "", 400, httpapi.CodeInvalid); !strings.Contains(p.Suggestion, "openai") {
		t.Errorf("%+v", p)
	}
	s.refuses("GET", "/declarations", "", 400, httpapi.CodeInvalid)
}
