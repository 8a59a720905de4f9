package httpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// countingApprovals counts how often a person was recorded as present.
type countingApprovals struct {
	*state.Store
	mu   sync.Mutex
	seen []string
}

func (c *countingApprovals) SeePerson(ctx context.Context, kind, name string) error {
	c.mu.Lock()
	c.seen = append(c.seen, kind+" "+name)
	c.mu.Unlock()
	return c.Store.SeePerson(ctx, kind, name)
}

// noRedirect sends a request and does not follow its answer.
func (s *server) noRedirect(method, path string, header http.Header, body string) reply {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	client := *s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, raw}
}

var sendsForm = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}

// form is what a browser sends for a button of a page.
func form(t *testing.T, page, button, reason string) string {
	t.Helper()
	values := url.Values{"approve": {button}, "reason": {reason}}
	for _, hidden := range regexp.MustCompile(`<input type="hidden" name="(\w+)" value="(\w+)">`).FindAllStringSubmatch(page, -1) {
		values.Set(hidden[1], hidden[2])
	}
	if values.Get("version") == "" || values.Get("request") == "" {
		t.Fatalf("no form in %s", page)
	}
	return values.Encode()
}

// P12, P7: the page shows what will happen with all that is bound, and its form
// decides without a script.
func TestP12_ApprovalPage(t *testing.T) {
	s, store := startApprovals(t, session("kim (browser)", "approvals"))
	askFor(t, store, "a1")
	askFor(t, store, "a2", func(a *state.Approval) { a.Calls[0].Dynamic = true })
	list := text(t, string(s.raw("GET", "/approvals", nil, nil).body))
	if !strings.Contains(list, "Waiting for an answer bash__exec waits for an answer laptop · editor") {
		t.Error(list)
	}
	page := string(s.raw("GET", "/approvals/a1", nil, nil).body)
	seen := text(t, page)
	for _, want := range []string{
		"May this call run? bash__exec", "laptop (token)", "Agent editor", "Instance main", "rm -rf build", "user/main/ask-writes sha256:77", "Look twice.",
		"/w/new.txt · does not exist yet", "sha256:ab", "call_a1", `{"command":"rm -rf build"}`, "Approve Decline Version 1",
	} {
		if !strings.Contains(seen, want) {
			t.Errorf("no %q in %q", want, seen)
		}
	}
	got := s.noRedirect("POST", "/approvals/a1", sendsForm, form(t, page, "yes", "go on"))
	if got.status != 303 || got.header.Get("Location") != "/approvals/a1?lang=en" {
		t.Fatalf("%d %v %s", got.status, got.header, got.body)
	}
	after := text(t, string(s.raw("GET", "/approvals/a1", nil, nil).body))
	if !strings.Contains(after, "approved") || !strings.Contains(after, "By kim (browser) (session)") || !strings.Contains(after, "Reason go on") || strings.Contains(after, "Decline") {
		t.Error(after)
	}
	// A second click sends the same form.
	if got := s.noRedirect("POST", "/approvals/a1", sendsForm, form(t, page, "yes", "go on")); got.status != 303 {
		t.Errorf("%d %s", got.status, got.body)
	}
	// Another page that was open all the time learns the truth.
	s.who = new(session("lee (browser)", "all"))
	got = s.noRedirect("POST", "/approvals/a1", sendsForm, strings.Replace(form(t, page, "no", ""), "request=", "request=x", 1))
	if seen := text(t, string(got.body)); got.status != 409 || !strings.Contains(seen, "the approval a1 is approved already, by kim (browser). Your decision changed nothing.") {
		t.Errorf("%d %s", got.status, seen)
	}
	page = string(s.raw("GET", "/approvals/a2", nil, nil).body)
	if !strings.Contains(text(t, page), "does not decide everything") {
		t.Error("no warning of a dynamic command")
	}
	if got := s.noRedirect("POST", "/approvals/a2", sendsForm, form(t, page, "no", "")); got.status != 303 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if a, err := store.GetApproval(t.Context(), "a2"); err != nil || a.State != "rejected" || a.By != "lee (browser)" || a.ByKind != "session" {
		t.Errorf("%+v, %v", a, err)
	}
}

// The page is about one version: what was asked later is not approved with it.
func TestP12_ApprovalPageVersion(t *testing.T) {
	s, store := startApprovals(t, session("kim (browser)", "all"))
	a := askFor(t, store, "a1", func(a *state.Approval) { a.Way = state.WaitConnection })
	page := string(s.raw("GET", "/approvals/a1", nil, nil).body)
	more := a.Calls[0]
	more.CallID, more.Tool = "call_b", "file-system__write"
	if _, err := store.JoinApproval(t.Context(), "a1", more, approvalTime); err != nil {
		t.Fatal(err)
	}
	got := s.noRedirect("POST", "/approvals/a1", sendsForm, form(t, page, "yes", ""))
	seen := text(t, string(got.body))
	if got.status != 409 || !strings.Contains(seen, "has changed since it was shown; its version is 2 now") || !strings.Contains(seen, "Call 2 of 2: file-system__write") {
		t.Errorf("%d %s", got.status, seen)
	}
	if got := s.noRedirect("POST", "/approvals/a1", sendsForm, form(t, string(got.body), "yes", "")); got.status != 303 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// What a page refuses: requests of other sites, other bodies, and those who may
// not decide.
func TestP12_ApprovalPageRefuses(t *testing.T) {
	s, store := startApprovals(t, session("kim (browser)", "all"))
	askFor(t, store, "a1")
	page := string(s.raw("GET", "/approvals/a1", nil, nil).body)
	good := form(t, page, "yes", "")
	headers := func(pairs ...string) http.Header {
		h := sendsForm.Clone()
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	for _, tc := range []struct {
		name, method, body string
		header             http.Header
		status             int
	}{
		{"another site", "POST", good, headers("Sec-Fetch-Site", "cross-site"), 403},
		{"a site below", "POST", good, headers("Sec-Fetch-Site", "same-site"), 403},
		{"another origin", "POST", good, http.Header{"Content-Type": sendsForm["Content-Type"], "Origin": {"https://evil.example"}}, 403},
		{"JSON", "POST", `{"approve":true}`, headers("Content-Type", "application/json"), 415},
		{"text", "POST", good, headers("Content-Type", "text/plain"), 415},
		{"no button", "POST", strings.Replace(good, "approve=yes", "", 1), sendsForm, 400},
		{"no version", "POST", "approve=yes", sendsForm, 400},
		{"a version of zero", "POST", "approve=yes&version=0", sendsForm, 400},
		{"large", "POST", good + "&x=" + strings.Repeat("x", 70<<10), sendsForm, 413},
		{"in the query", "POST", "", sendsForm, 400},
		{"another method", "DELETE", "", sendsForm, 405},
		{"HEAD", "HEAD", "", nil, 200},
	} {
		path := "/approvals/a1"
		if tc.name == "in the query" {
			path += "?" + good
		}
		if got := s.noRedirect(tc.method, path, tc.header, tc.body); got.status != tc.status {
			t.Errorf("%s: %d %s", tc.name, got.status, got.body)
		}
	}
	for _, who := range []gongu.Principal{{Name: "kim", Kind: "session"}, whole("laptop"), limited("laptop")} {
		s.who = &who
		if got := s.noRedirect("POST", "/approvals/a1", sendsForm, good); got.status != 403 && got.status != 404 {
			t.Errorf("%s: %d %s", who.Name, got.status, got.body)
		}
	}
	if seen := text(t, string(s.raw("GET", "/approvals/a1", nil, nil).body)); !strings.Contains(seen, "This session cannot decide") || strings.Contains(seen, "Decline Version") {
		t.Error(seen)
	}
	if a, err := store.GetApproval(t.Context(), "a1"); err != nil || a.State != "pending" {
		t.Errorf("%+v, %v", a, err)
	}
	if got := s.raw("GET", "/approvals/none", nil, nil); got.status != 404 || !strings.Contains(string(got.body), "<!doctype html>") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// Whatever a model writes stays text, and the headers allow no script.
func TestP12_ApprovalPageHostile(t *testing.T) {
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>' {{.W}} </style></pre>` + "\u202Egnp.exe\x1b[2J\x01\x02\x03"
	s, store := startApprovals(t, session("kim (browser)", "all"))
	quoted, _ := json.Marshal(evil)
	askFor(t, store, "a1", func(a *state.Approval) {
		a.Tool, a.Agent, a.Instance, a.Principal = evil, evil, evil, evil
		a.Calls[0].Tool, a.Calls[0].Message, a.Calls[0].Rule = evil, evil, evil
		a.Calls[0].Args = []byte(`{"x":` + string(quoted) + `}`)
		a.Calls[0].Preview, _ = json.Marshal(policy.Preview{Kind: policy.KindEdit, Files: []gongu.FileChange{{Path: evil, Action: "change", Diff: "@@ -1 +1 @@\n-" + evil + "\n+x\n"}}})
	})
	for _, path := range []string{"/approvals", "/approvals/a1", "/approvals/a1?lang=ko"} {
		got := s.raw("GET", path, nil, nil)
		page := string(got.body)
		body := regexp.MustCompile(`(?s)<body>.*`).FindString(page)
		for _, bad := range []string{"<script", "<img", "\u202E", "\x1b", "\x01", " style=", "javascript:"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %q", path, bad)
			}
		}
		policy := got.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || !strings.Contains(policy, "form-action 'self'; frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Error(policy)
		}
		if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%v", got.header)
		}
		if !strings.Contains(page, `<meta name="viewport" content="width=device-width`) {
			t.Error("not for a phone")
		}
	}
	if page := string(s.raw("GET", "/approvals/a1", http.Header{"Accept-Language": {"ko"}}, nil).body); !strings.Contains(page, "이 호출을 실행해도 될까요?") {
		t.Error("not in Korean")
	}
}
