//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
)

// authorizationFile has a line for each request and principal, with what the
// server answers. GONGU_UPDATE_SCRIPTS=1 writes it anew; read the diff.
const authorizationFile = "testdata/authorization.golden"

// authorizationHead explains the file.
const authorizationHead = `# K10: who may use which method and route of gongu serve. Each line: the request | the answer | who gets it.
# The server offers read-only tools and far__echo (--offer). far__big is not offered. Agent helper has far, agent other has case.
# Principals:
#   none       no token                            wrong     a token that does not exist
#   expired    a token whose time is over          full      the token that the server made first
#   unnamed    gongu token new without flags       tools     --tools far__look
#   explore    far__look, call_tool, list_tools    agent     --agent helper
#   reader     --resources far:test://note         prompter  --prompts far__hello
#   logger     --tools far__look --logs far        asks      --ask 'far__*', not attended
#   attended   --ask far__echo --tools far__look --attended, a client without forms
#   approver   --manage approvals                  manage    --manage all
#   issuer     an issuer's token without scopes    scopes    gongu:tools:far__look gongu:resources:far
#   steward    an issuer's token with gongu:manage:all
#   looker     a browser session made without a terminal
#   person     a session made at a terminal        anonymous everyone, with --no-auth
#   decider    a session of gongu token login --approvals
# full, and anonymous on its own server, have made the call call_seen.
# A token that is limited to tools reads no resources and prompts.
`

// TestAuthorizationMatrix asks the shipped program for every method of MCP and
// every route, as every kind of principal, and compares the answers with a
// file (K10). It fails for a method or a route that has no line.
func TestAuthorizationMatrix(t *testing.T) {
	t.Parallel()
	m := newAuthMatrix(t)
	var out strings.Builder
	out.WriteString(authorizationHead)
	for _, q := range authRequests() {
		out.WriteString("\n")
		var answers []string
		who := map[string][]string{}
		for _, p := range m.principals {
			answer := m.ask(&q, p)
			if who[answer] == nil {
				answers = append(answers, answer)
			}
			who[answer] = append(who[answer], p.name)
			m.checkAccess(t, &q, p.name, answer)
		}
		for _, answer := range answers {
			fmt.Fprintf(&out, "%s | %s | %s\n", q, answer, strings.Join(who[answer], " "))
		}
	}
	got := out.String()
	if os.Getenv("GONGU_UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(authorizationFile, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(authorizationFile)
	if err != nil {
		t.Fatal(err)
	}
	diffLines(t, string(want), got)
	m.checkMethods(t)
	m.checkRoutes(t)
}

// diffLines reports the lines that one text has and the other does not.
func diffLines(t *testing.T, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	wanted, gotten := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range wanted {
		if !slices.Contains(gotten, line) {
			t.Errorf("- %s", line)
		}
	}
	for _, line := range gotten {
		if !slices.Contains(wanted, line) {
			t.Errorf("+ %s", line)
		}
	}
	t.Errorf("%s is not what the server answers; if the change is meant, run GONGU_UPDATE_SCRIPTS=1 go test ./cmd/gongu -run Authorization", authorizationFile)
}

// authPrincipal is somebody who asks.
type authPrincipal struct {
	name   string
	token  string
	server *served
	http   *http.Client
	// sessions are the legacy sessions, by path.
	sessions map[string]string
	// owner has the task and the requests of the same server.
	owner *authPrincipal
}

// authMatrix is two servers of the same bundle, with and without
// authentication, and everybody who can ask them.
type authMatrix struct {
	t          *testing.T
	principals []*authPrincipal
	asked      int
	tasks      map[*served]string
}

func newAuthMatrix(t *testing.T) *authMatrix {
	m := &authMatrix{t: t, tasks: map[*served]string{}}
	yaml := httpServer("far", authUpstream(t), "") + pipesServer("near", filepath.Join(t.TempDir(), "journal"), "") + authBundle
	issuer := newIssuer()
	t.Cleanup(issuer.Close)
	flags := []string{"--mode", "direct", "--legacy-sse", "--offer", "read-only", "--offer", "far__echo", "--offer", "near__ask"}
	s := startServe(t, yaml, append(flags, "--issuer", issuer.URL, "--audience", "gongu", "--issuer-manage")...)
	token := func(name string, flags ...string) {
		m.add(name, s, s.decide(append([]string{"token", "new", "--name", name}, flags...)...))
	}
	full := m.add("full", s, s.secret)
	m.add("none", s, "")
	m.add("wrong", s, "gongu_"+strings.Repeat("W", 43))
	token("expired", "--expires", "1s")
	token("unnamed")
	token("tools", "--tools", "far__look")
	token("explore", "--tools", "far__look", "--tools", "call_tool", "--tools", "list_tools")
	token("agent", "--agent", "helper")
	token("reader", "--resources", "far:test://note")
	token("prompter", "--prompts", "far__hello")
	token("logger", "--tools", "far__look", "--logs", "far")
	token("asks", "--ask", "far__*")
	token("attended", "--tools", "far__look", "--ask", "far__echo", "--attended")
	token("approver", "--manage", "approvals")
	token("manage", "--manage", "all")
	for name, scope := range map[string]string{"issuer": "", "scopes": "gongu:tools:far__look gongu:resources:far", "steward": "gongu:manage:all"} {
		m.add(name, s, jwtOf(issuer.URL, "gongu", name, scope, time.Hour))
	}
	slices.SortStableFunc(m.principals[len(m.principals)-3:], func(a, b *authPrincipal) int { return strings.Compare(a.name, b.name) })
	m.logIn(m.add("looker", s, ""), s.run("token", "login"))
	logins := auth.NewLogins(&auth.LoginOptions{Dir: filepath.Join(s.run("state", "path"), auth.LoginsName)})
	login, err := logins.IssueLogin(&gongu.Principal{Name: "person", Kind: auth.KindSession, Person: true, Manage: "all"})
	if err != nil {
		t.Fatal(err)
	}
	m.logIn(m.add("person", s, ""), s.url+login.Path)
	login, err = logins.IssueLogin(&gongu.Principal{Name: "decider", Kind: auth.KindSession, Person: true, Manage: "approvals", Allow: []gongu.Rule{}})
	if err != nil {
		t.Fatal(err)
	}
	m.logIn(m.add("decider", s, ""), s.url+login.Path)
	for _, p := range m.principals {
		p.owner = full
	}
	open := startServe(t, yaml, append(flags, "--no-auth", "--permission", "bypass")...)
	anonymous := m.add("anonymous", open, "")
	anonymous.owner = anonymous
	waitFor(t, "for the end of a token", func() bool {
		return m.ask(&authRequest{method: http.MethodGet, path: "/api/v1/agents"}, m.principals[3]) == "401 unauthorized"
	})
	for _, owner := range []*authPrincipal{full, anonymous} {
		m.newRequest(owner) // req_001, to be looked at
		m.tasks[owner.server] = m.newTask(owner)
		m.recordCall(owner)
	}
	return m
}

func (m *authMatrix) add(name string, s *served, token string) *authPrincipal {
	jar, err := cookiejar.New(nil)
	if err != nil {
		m.t.Fatal(err)
	}
	transport := &http.Transport{}
	m.t.Cleanup(transport.CloseIdleConnections)
	p := &authPrincipal{name: name, token: token, server: s, sessions: map[string]string{}, http: &http.Client{Transport: transport, Jar: jar, Timeout: serveDeadline}}
	m.principals = append(m.principals, p)
	return p
}

// logIn exchanges a link for a session, as a browser does.
func (m *authMatrix) logIn(p *authPrincipal, link string) {
	m.t.Helper()
	response, err := p.http.Get(link)
	if err != nil {
		m.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		m.t.Fatalf("%s cannot log in: %s", p.name, response.Status)
	}
}

// newRequest queues a request for a tool and returns its id.
func (m *authMatrix) newRequest(owner *authPrincipal) string {
	m.t.Helper()
	m.asked++
	id := m.made(owner, &authRequest{era: modern, method: "tools/call", path: "/mcp", members: fmt.Sprintf(
		`"name":"request_tool","arguments":{"name":"wanted_%d","description":"Is wanted.","suggested_params":["text"]}`, m.asked)}, "req_")
	return "req_" + id
}

// seenCall and seenTrace are those of a call that the owner has made.
const (
	seenCall  = "call_seen"
	seenTrace = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
)

// recordCall makes a call of the owner and waits until it is in the history.
func (m *authMatrix) recordCall(owner *authPrincipal) {
	m.t.Helper()
	call := authRequest{method: http.MethodPost, path: "/api/v1/calls", members: `{"name":"far__look","arguments":{"text":"x"},"id":"` + seenCall + `"}`}
	r := call.build(m.t.Context(), m, owner)
	r.Header.Set("Traceparent", "00-"+seenTrace+"-b1b1b1b1b1b1b1b1-01")
	response, err := owner.http.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	_ = response.Body.Close()
	waitFor(m.t, "for the call in the history", func() bool {
		_, body := m.send(&authRequest{method: http.MethodGet, path: "/api/v1/calls?trace=" + seenTrace}, owner)
		return strings.Contains(body, seenCall)
	})
}

// newTask starts a task that waits for an answer and returns its id.
func (m *authMatrix) newTask(owner *authPrincipal) string {
	m.t.Helper()
	return m.made(owner, &authRequest{era: modern, method: "tools/call", path: "/mcp", members: `"name":"near__ask","arguments":{}`}, `"taskId":"`)
}

// made is the word in an answer that comes after a mark.
func (m *authMatrix) made(p *authPrincipal, q *authRequest, mark string) string {
	m.t.Helper()
	_, body := m.send(q, p)
	_, rest, found := strings.Cut(body, mark)
	if !found {
		m.t.Fatalf("%s: no %s in %s", q, mark, body)
	}
	return rest[:strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("-_", r) && !isWordRune(r) })]
}

func isWordRune(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// ask sends a request as somebody and says in short what came back.
func (m *authMatrix) ask(q *authRequest, p *authPrincipal) string {
	m.t.Helper()
	response, body := m.send(q, p)
	answer := fmt.Sprint(response.StatusCode)
	if q.stream && isStream(response) {
		return answer + " stream"
	}
	if q.era == legacy && q.method == "initialize" {
		p.sessions[q.path] = response.Header.Get("Mcp-Session-Id")
	}
	return strings.TrimSpace(answer + " " + inShort(response.Header.Get("Content-Type"), body))
}

// send makes the request. The body of a stream is not read.
func (m *authMatrix) send(q *authRequest, p *authPrincipal) (*http.Response, string) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), serveDeadline)
	defer cancel()
	r := q.build(ctx, m, p)
	response, err := p.http.Do(r)
	if err != nil {
		m.t.Fatalf("%s as %s: %v", q, p.name, err)
	}
	defer response.Body.Close()
	if q.stream && isStream(response) {
		return response, ""
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		m.t.Fatalf("%s as %s: %v", q, p.name, err)
	}
	return response, string(raw)
}

func isStream(response *http.Response) bool {
	return strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")
}

// inShort is what of an answer matters here: the code of a refusal, or the
// names in a list, or that there is a result.
func inShort(contentType, body string) string {
	if strings.HasPrefix(contentType, "text/event-stream") {
		body = body[strings.LastIndex(body, "data: ")+len("data: "):]
	}
	var top map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &top) != nil {
		kind, _, _ := strings.Cut(contentType, ";")
		return kind
	}
	var known struct {
		Error json.RawMessage
		Code  string
	}
	_ = json.Unmarshal([]byte(body), &known) // what is of another type is not known
	switch {
	case top["jsonrpc"] != nil && known.Error != nil:
		var failed struct{ Code int }
		if json.Unmarshal(known.Error, &failed) != nil {
			return "unreadable error"
		}
		return fmt.Sprintf("rpc %d", failed.Code)
	case top["jsonrpc"] != nil:
		return resultInShort(top["result"])
	case known.Code != "":
		return known.Code
	case bytes.HasPrefix(known.Error, []byte(`"`)):
		return strings.Trim(string(known.Error), `"`)
	}
	return resultInShort([]byte(body))
}

// resultInShort reads a result of MCP or of the HTTP API.
func resultInShort(raw []byte) string {
	var result struct {
		IsError bool
		Meta    struct{ Code string } `json:"_meta"`
		Status  string
		Error   struct{ Code string }
	}
	_ = json.Unmarshal(raw, &result) // as above
	switch {
	case result.IsError:
		return "tool error " + result.Meta.Code
	case result.Error.Code != "":
		return "tool error " + result.Error.Code
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil {
		return "unreadable result"
	}
	var content []struct{ Text string }
	if json.Unmarshal(top["content"], &content) == nil && len(content) > 0 && strings.HasPrefix(content[0].Text, `{"`) {
		return resultInShort([]byte(content[0].Text))
	}
	for _, list := range []string{"tools", "prompts", "resources", "resourceTemplates", "agents", "domains", "requests", "pins", "sources", "calls", "approvals", "rows"} {
		var items []json.RawMessage
		if json.Unmarshal(top[list], &items) == nil && top[list] != nil {
			return list + " " + cmp.Or(strings.Join(namesOf(items), " "), "(none)")
		}
	}
	return strings.TrimSpace("result " + result.Status)
}

// namesOf are the names, ids or addresses of the items of a list.
func namesOf(items []json.RawMessage) []string {
	var names []string
	for _, item := range items {
		var text string
		if json.Unmarshal(item, &text) == nil {
			names = append(names, text)
			continue
		}
		var named struct{ ID, URI, URITemplate, Name, Domain string }
		_ = json.Unmarshal(item, &named) // what has no name is listed as such
		var approval struct{ Principal string }
		if json.Unmarshal(item, &approval) == nil && strings.HasPrefix(named.ID, "ap-") {
			named.ID = "of-" + approval.Principal // the id is random
			if strings.HasSuffix(approval.Principal, "(browser)") {
				named.ID = "of-session" // its name has that of the user
			}
		}
		names = append(names, cmp.Or(named.ID, named.URI, named.URITemplate, named.Name, named.Domain, "(no name)"))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
