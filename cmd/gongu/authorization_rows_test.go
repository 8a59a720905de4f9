//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/toolrequest"
)

const (
	legacy = "legacy"
	modern = "modern"
)

// authBundle is what the servers of the matrix have beside their upstreams.
const authBundle = `---
apiVersion: gongu/v1
kind: Tool
metadata: {name: case}
spec: {entry: "builtin:text-transform", exports: [{name: case}]}
---
apiVersion: gongu/v1
kind: Model
metadata: {name: m}
spec: {provider: anthropic, model: m}
---
apiVersion: gongu/v1
kind: Agent
metadata: {name: helper}
spec: {modelConfig: {modelRef: Model/m}, tools: [McpServer/far]}
---
apiVersion: gongu/v1
kind: Agent
metadata: {name: other}
spec: {modelConfig: {modelRef: Model/m}, tools: [Tool/case]}
`

// authRequest is what somebody asks for.
type authRequest struct {
	era     string // of a message of MCP; "" is a plain request over HTTP
	method  string // of MCP or HTTP
	path    string
	about   string // tells requests apart whose method and path are the same
	members string // of the params of MCP, or the body
	stream  bool   // the answer has no end
	// fresh makes what takes the place of NEW in the path or the body.
	fresh func(m *authMatrix, p *authPrincipal) string
	// others uses the session that the owner has.
	others bool
	// access is what serve's table says of the method.
	access string
}

func (q authRequest) String() string {
	words := []string{q.era, q.method, q.path, q.about}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}

// build makes the request of somebody.
func (q *authRequest) build(ctx context.Context, m *authMatrix, p *authPrincipal) *http.Request {
	m.t.Helper()
	method, path, body := q.method, q.path, q.members
	if q.fresh != nil {
		made := q.fresh(m, p)
		path, body = strings.ReplaceAll(path, "NEW", made), strings.ReplaceAll(body, "NEW", made)
		if strings.Contains(body, "DIGEST") {
			request, err := toolrequest.NewFile(filepath.Join(p.server.dir, toolrequest.FileName), nil).Get(ctx, made)
			if err != nil {
				m.t.Fatal(err)
			}
			body = strings.ReplaceAll(body, "DIGEST", request.Digest())
		}
	}
	if q.era != "" {
		method, body = http.MethodPost, q.message(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, p.server.url+path, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.path == "/api/v1/calls" {
		// The sessions of people are there, so a call that asks would wait.
		r.Header.Set("Prefer", "respond-async")
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	session := p.sessions[q.path]
	if q.others {
		session = p.owner.sessions[q.path]
	}
	if session != "" && q.era != modern && q.method != "initialize" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	if q.era == modern {
		var named struct {
			Params struct{ Name, URI, TaskID string }
		}
		if err := json.Unmarshal([]byte(body), &named); err != nil {
			m.t.Fatalf("%s: %v", q, err)
		}
		r.Header.Set("MCP-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", q.method)
		if name := named.Params.Name + named.Params.URI + named.Params.TaskID; name != "" {
			r.Header.Set("Mcp-Name", name)
		}
	}
	return r
}

// message is a request of MCP with these members of its params.
func (q *authRequest) message(members string) string {
	if q.era == modern {
		if members != "" {
			members += ","
		}
		members += `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
			`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, q.method, members)
}

// authRequests are all rows. What changes the server comes last.
func authRequests() []authRequest {
	var all []authRequest
	for _, era := range []string{legacy, modern} {
		all = append(all, methodRequests(era, "/mcp/helper")...)
		for _, path := range []string{"/mcp", "/mcp/other", "/mcp/unknown"} {
			all = append(all, pathRequests(era, path)...)
		}
	}
	all = append(all, plainRequests()...)
	all = append(all, apiRequests()...)
	return append(all, changingRequests()...)
}

// beginning opens the session that the legacy era needs.
func beginning(era, path string) []authRequest {
	if era == modern {
		return []authRequest{{era: era, method: "server/discover", path: path}}
	}
	return []authRequest{
		{era: era, method: "initialize", path: path, members: `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}`},
	}
}

func toolCall(era, path, tool, args string) authRequest {
	return authRequest{era: era, method: "tools/call", path: path, about: tool, members: fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args)}
}

// sample is a request of a method; a method may have several.
type sample struct{ about, members string }

// methodSamples has the requests of each method of serve's table. A method
// without one fails the test.
func methodSamples() map[string][]sample {
	return map[string][]sample{
		"initialize":       {{members: `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}`}},
		"ping":             {{}},
		"server/discover":  {{}},
		"logging/setLevel": {{members: `"level":"info"`}},
		"tools/list":       {{}},
		"tools/call":       toolSamples(),
		"tasks/get":        {{about: "that does not exist", members: `"taskId":"none"`}},
		"tasks/update":     {{about: "that does not exist", members: `"taskId":"none","inputResponses":{}`}},
		"tasks/cancel":     {{about: "that does not exist", members: `"taskId":"none"`}},
		"subscriptions/listen": {
			{members: `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://note"]}`},
		},
		"resources/subscribe":      {{about: "note", members: `"uri":"test://note"`}, {about: "other", members: `"uri":"test://other"`}},
		"resources/unsubscribe":    {{about: "note", members: `"uri":"test://note"`}},
		"resources/list":           {{}},
		"resources/templates/list": {{}},
		"resources/read": {
			{about: "note", members: `"uri":"test://note"`},
			{about: "other", members: `"uri":"test://other"`},
			{about: "note/../other", members: `"uri":"test://note/../other"`},
			{about: "note and URI other", members: `"uri":"test://note","URI":"test://other"`},
		},
		"prompts/list": {{}},
		"prompts/get":  {{about: "far__hello", members: `"name":"far__hello"`}, {about: "far__bye", members: `"name":"far__bye"`}},
		"completion/complete": {
			{about: "of far__hello", members: `"ref":{"type":"ref/prompt","name":"far__hello"},"argument":{"name":"who","value":"w"}`},
			{about: "of far__bye", members: `"ref":{"type":"ref/prompt","name":"far__bye"},"argument":{"name":"who","value":"w"}`},
			{about: "of a template", members: `"ref":{"type":"ref/resource","uri":"test://{name}"},"argument":{"name":"name","value":"w"}`},
			{about: "of a template with the name of a prompt", members: `"ref":{"type":"ref/resource","uri":"test://{name}","name":"far__hello"},"argument":{"name":"name","value":"w"}`},
		},
	}
}

// toolSamples are calls of tools and of discovery tools.
func toolSamples() []sample {
	var all []sample
	call := func(about, tool, args string) {
		all = append(all, sample{about, fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args)})
	}
	for _, tool := range []string{"far__look", "far__echo", "far__big", "case__case", "no_such_tool"} {
		call(tool, tool, `{"text":"x","to":"upper"}`)
	}
	for _, tool := range slices.Sorted(maps.Keys(exploreCalls())) {
		call(tool, tool, exploreCalls()[tool])
	}
	for _, tool := range []string{"far__look", "far__echo", "far__big", "case__case"} {
		call("call_tool of "+tool, "call_tool", fmt.Sprintf(`{"name":%q,"arguments":{"text":"x"}}`, tool))
	}
	return all
}

// methodRequests are all methods of serve's table at one path.
func methodRequests(era, path string) []authRequest {
	var all []authRequest
	samples := methodSamples()
	for _, m := range serve.Methods() {
		if era == legacy && !m.Legacy || era == modern && !m.Modern {
			continue
		}
		for _, one := range samples[m.Name] {
			all = append(all, authRequest{
				era: era, method: m.Name, path: path, about: one.about, members: one.members,
				stream: m.Name == "subscriptions/listen", access: string(m.Access),
			})
		}
	}
	if era == legacy {
		return append(all, authRequest{era: era, method: "tools/list", path: path, about: "in the owner's session", others: true})
	}
	return append(all, taskRequests()...)
}

// exploreCalls are harmless calls of the discovery tools.
func exploreCalls() map[string]string {
	return map[string]string{
		"list_domains":       `{}`,
		"list_tools":         `{}`,
		"search_tools":       `{"query":"note"}`,
		"get_tool_schema":    `{"name":"far__look"}`,
		"list_tool_requests": `{}`,
		"run_code":           `{"code":"1"}`, // not offered without --mode code
	}
}

// taskRequests are about a task that the owner started at /mcp. Cancelling it
// is left to another row of those that change the server.
func taskRequests() []authRequest {
	task := func(m *authMatrix, p *authPrincipal) string { return m.tasks[p.server] }
	return []authRequest{
		{era: modern, method: "tasks/get", path: "/mcp", about: "of the owner", members: `"taskId":"NEW"`, fresh: task},
		{era: modern, method: "tasks/update", path: "/mcp", about: "of the owner", members: `"taskId":"NEW","inputResponses":{"no-such-question":{"action":"decline"}}`, fresh: task},
	}
}

// pathRequests show what there is at a path.
func pathRequests(era, path string) []authRequest {
	return append(beginning(era, path),
		authRequest{era: era, method: "tools/list", path: path},
		toolCall(era, path, "far__echo", `{"text":"x"}`),
		toolCall(era, path, "case__case", `{"text":"x","to":"upper"}`),
		toolCall(era, path, "list_tools", `{}`),
		authRequest{era: era, method: "resources/list", path: path},
		authRequest{era: era, method: "resources/read", path: path, members: `"uri":"test://note"`},
		authRequest{era: era, method: "prompts/list", path: path},
	)
}

// plainRequests are the routes beside the HTTP API.
func plainRequests() []authRequest {
	get := func(path string) authRequest { return authRequest{method: http.MethodGet, path: path} }
	stream := func(path string) authRequest {
		return authRequest{method: http.MethodGet, path: path, stream: true}
	}
	return []authRequest{
		stream("/mcp"), stream("/mcp/helper"), stream("/mcp/other"), stream("/sse"), stream("/sse/helper"), stream("/sse/other"),
		get("/"), get("/approvals"), get("/approvals/ap-none"), get("/metrics"), get("/healthz"), get("/readyz"), get("/no-such-page"),
		get("/.well-known/oauth-protected-resource"), get("/.well-known/oauth-protected-resource/mcp"),
	}
}

// apiRequests are the routes of the HTTP API that change nothing.
func apiRequests() []authRequest {
	get := func(path string) authRequest {
		return authRequest{method: http.MethodGet, path: "/api/v1" + path}
	}
	call := func(about, body string) authRequest {
		return authRequest{method: http.MethodPost, path: "/api/v1/calls", about: about, members: body}
	}
	why := func(about, body string) authRequest {
		return authRequest{method: http.MethodPost, path: "/api/v1/why", about: about, members: body}
	}
	return []authRequest{
		get("/tools"), get("/tools?agent=helper"), get("/tools?agent=other"), get("/tools?agent=unknown"),
		get("/tools/far__look"), get("/tools/far__look?agent=helper"), get("/tools/far__echo"), get("/tools/far__echo?agent=helper"),
		get("/tools/far__big"), get("/tools/list_tools"), get("/tools/request_tool"), get("/tools/case__case?agent=helper"),
		get("/domains"), get("/domains?agent=helper"), get("/agents"),
		get("/search?q=note"), get("/search?q=note&agent=helper"), get("/search?q=note&agent=other"),
		get("/declarations?dialect=anthropic"), get("/declarations?dialect=anthropic&agent=helper"), get("/declarations?dialect=anthropic&agent=other"),
		call("far__look", `{"name":"far__look","arguments":{"text":"x"}}`),
		call("far__look of helper", `{"name":"far__look","arguments":{"text":"x"},"agent":"helper"}`),
		call("far__echo of helper", `{"name":"far__echo","arguments":{"text":"x"},"agent":"helper"}`),
		call("far__big of helper", `{"name":"far__big","arguments":{},"agent":"helper"}`),
		call("case__case of other", `{"name":"case__case","arguments":{"text":"x","to":"upper"},"agent":"other"}`),
		call("list_tools of helper", `{"name":"list_tools","agent":"helper"}`),
		call("request_tool of helper", `{"name":"request_tool","arguments":{"name":"x","description":"x","suggested_params":[]},"agent":"helper","dryRun":true}`),
		call("call_tool of far__look of helper", `{"name":"call_tool","arguments":{"name":"far__look","arguments":{"text":"x"}},"agent":"helper"}`), // one that asks would wait for the people who are there
		get("/calls?trace=" + seenTrace), get("/calls/" + seenCall), get("/calls/call_none"), get("/audit?trace=" + seenTrace), get("/audit/head"), get("/audit/verify"),
		get("/approvals"), get("/approvals/ap-none"),
		{method: http.MethodGet, path: "/api/v1/events", stream: true},
		get("/requests"), get("/requests/req_001"), get("/requests/req_999"), get("/pins"), get("/sources"), get("/status"), get("/policy"),
		why("far__look of helper", `{"name":"far__look","agent":"helper"}`), why("far__echo of helper", `{"name":"far__echo","agent":"helper"}`),
		why("case__case of helper", `{"name":"case__case","agent":"helper"}`), why("far__look of other", `{"name":"far__look","agent":"other"}`),
		why("far__look as another", `{"name":"far__look","as":"anonymous"}`), get("/openapi.json"), get("/no-such-route"),
		{method: http.MethodDelete, path: "/api/v1/tools"},
	}
}

// changingRequests decide, end something, or log in and out.
func changingRequests() []authRequest {
	post := func(path, body string) authRequest {
		return authRequest{method: http.MethodPost, path: "/api/v1" + path, members: body}
	}
	wanted := func(q authRequest) authRequest {
		q.fresh = func(m *authMatrix, p *authPrincipal) string { return m.newRequest(p.owner) }
		return q
	}
	macro := `{"digest":"DIGEST","reason":"useful","macro":{"name":"made_NEW","description":"Is made.","steps":[{"tool":"case__case","params":{"text":"x","to":"upper"}}]}}`
	approve := wanted(post("/requests/NEW/approve", macro))
	link := func(m *authMatrix, p *authPrincipal) string {
		if p.name == "anonymous" {
			return "NONE" // there is nothing to log in to
		}
		_, code, _ := strings.Cut(p.server.run("token", "login"), "code=")
		return code
	}
	task := func(m *authMatrix, p *authPrincipal) string { return m.tasks[p.server] }
	return []authRequest{
		{era: modern, method: "tasks/cancel", path: "/mcp", about: "of the owner", members: `"taskId":"NEW"`, fresh: task},
		post("/requests/req_999/approve", `{}`), approve,
		wanted(post("/requests/NEW/reject", `{"reason":"no"}`)),
		post("/approvals/ap-none", `{"approve":true,"version":1}`),
		{method: http.MethodPost, path: "/approvals/ap-none", about: "without a form"},
		post("/pins/accept", `{"names":["nothing@sha256:00"]}`), post("/sources/refresh", `{}`),
		toolCall(modern, "/mcp/helper", "request_tool", `{"name":"again","description":"x","suggested_params":[]}`),
		toolCall(modern, "/mcp/helper", "register_tool", `{"name":"macro","description":"x","steps":[{"tool":"far__look","params":{}}]}`),
		{method: http.MethodDelete, path: "/mcp/helper"},
		{method: http.MethodPost, path: "/login"}, {method: http.MethodGet, path: "/logout"},
		{method: http.MethodPost, path: "/logout"},
		{method: http.MethodGet, path: "/api/v1/agents", about: "after POST /logout"},
		{method: http.MethodGet, path: "/login", about: "with no code"},
		{method: http.MethodGet, path: "/login?code=NEW", fresh: link},
	}
}

// authUpstream is an MCP server with tools, resources, prompts and
// completions.
func authUpstream(t *testing.T) string { return newAnswering(t).url }

// answering is an MCP server of the modern era with one answer for each method.
type answering struct {
	url string

	mu      sync.Mutex
	results map[string]string
	got     map[string][]string // the messages, by method
}

func newAnswering(t *testing.T) *answering {
	tool := func(name, hints string) string {
		return fmt.Sprintf(`{"name":%q,"description":"A note.","inputSchema":{"type":"object","properties":{"text":{"type":"string"},"to":{"type":"string"}}},"annotations":{%s}}`, name, hints)
	}
	tools := strings.Join([]string{tool("look", `"readOnlyHint":true`), tool("echo", ""), tool("big", "")}, ",")
	u := &answering{got: map[string][]string{}, results: map[string]string{
		"server/discover":          `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}}`,
		"tools/list":               `"ttlMs":0,"cacheScope":"private","tools":[` + tools + `]`,
		"tools/call":               `"content":[{"type":"text","text":"done"}]`,
		"resources/list":           `"ttlMs":0,"cacheScope":"private","resources":[{"uri":"test://note","name":"note"},{"uri":"test://other","name":"other"}]`,
		"resources/templates/list": `"ttlMs":0,"cacheScope":"private","resourceTemplates":[{"uriTemplate":"test://{name}","name":"notes"}]`,
		"resources/read":           `"ttlMs":0,"cacheScope":"private","contents":[{"uri":"test://note","text":"secret"}]`,
		"resources/subscribe":      ``,
		"resources/unsubscribe":    ``,
		"prompts/list":             `"ttlMs":0,"cacheScope":"private","prompts":[{"name":"hello","arguments":[{"name":"who"}]},{"name":"bye","arguments":[{"name":"who"}]}]`,
		"prompts/get":              `"messages":[{"role":"user","content":{"type":"text","text":"hello"}}]`,
		"completion/complete":      `"completion":{"values":["world"]}`,
	}}
	server := httptest.NewServer(u)
	t.Cleanup(server.Close)
	u.url = server.URL
	return u
}

// set changes the answer to a method.
func (u *answering) set(method, result string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.results[method] = result
}

// messages are the requests of a method so far.
func (u *answering) messages(method string) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.got[method])
}

func (u *answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var message struct {
		ID     json.RawMessage
		Method string
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(raw, &message) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	u.mu.Lock()
	u.got[message.Method] = append(u.got[message.Method], string(raw))
	result, known := u.results[message.Method]
	u.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case message.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case !known:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, message.ID)
	default:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete"%s}}`, message.ID, strings.TrimSuffix(","+result, ","))
	}
}
