package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// approvalTime is how long the approvals of the tests wait.
const approvalTime = time.Hour

// askFor opens an approval of a call of agent "editor".
func askFor(t testing.TB, store httpapi.Approvals, id string, change ...func(*state.Approval)) *state.Approval {
	t.Helper()
	preview, err := json.Marshal(policy.Preview{Kind: policy.KindCommand, Command: "rm -rf build", Commands: [][]string{{"rm", "-rf", "build"}}})
	if err != nil {
		t.Fatal(err)
	}
	a := &state.Approval{
		ID: id, Way: state.WaitRecord, Key: "key-" + id, Principal: "laptop", PrincipalKind: "token", Agent: "editor", Instance: "main", CallID: "call_" + id, Tool: "bash__exec",
		Calls: []state.ApprovalCall{{
			CallID: "call_" + id, Tool: "bash__exec", Digest: []byte{0xab}, Args: []byte(`{"command":"rm -rf build"}`), Rule: "user/main/ask-writes", RuleDigest: "sha256:77",
			Message: "Look twice.", Files: []state.ApprovalFile{{Path: "/w/new.txt"}}, Preview: preview, Parameters: []byte(`{"type":"object","properties":{"command":{"type":"string"}}}`),
		}},
	}
	for _, f := range change {
		f(a)
	}
	opened, _, err := store.OpenApproval(t.Context(), a, approvalTime, state.CallLimits{All: 2000, Each: 2000})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

type approval struct {
	ID, State, Tool, Principal, Agent, By, How, Reason, Outcome, Link string
	Version                                                           int64
	Calls                                                             []struct {
		Tool, Rule, Text, Definition string
		Args                         json.RawMessage
		Changed                      bool
		Files                        []struct{ Path string }
	}
}

func withApprovals(store httpapi.Approvals) func(*testOptions) {
	return func(o *testOptions) {
		o.Approvals = store
		o.ApprovalURL = func(id string) string { return "https://gongu.example.com/approvals/" + id }
	}
}

func manager(name string) gongu.Principal {
	return gongu.Principal{Name: name, Kind: "token", Person: true, Manage: "approvals", Allow: []gongu.Rule{}}
}

// session is a person's session; limited to approvals, as gongu token login
// --approvals makes it, or not.
func session(name, manage string) gongu.Principal {
	p := gongu.Principal{Name: name, Kind: "session", Person: true, Manage: manage}
	if manage == "approvals" {
		p.Allow = []gongu.Rule{}
	}
	return p
}

func startApprovals(t testing.TB, who gongu.Principal) (*server, *state.Store) {
	t.Helper()
	store := openStore(t)
	return start(t, newBackend(t, nil), withStore(store), withApprovals(store), as(who)), store
}

func decision(approve bool, a *state.Approval, more string) string {
	return fmt.Sprintf(`{"approve":%t,"version":%d%s}`, approve, a.Version, more)
}

// P7, K10: who may decide about a call over HTTP, and who may see it.
func TestP7_WhoDecides(t *testing.T) {
	for _, tc := range []struct {
		name    string
		who     gongu.Principal
		sees    bool
		decides int
	}{
		{"a manager's token", manager("kim"), true, 200},
		{"a token that manages all", gongu.Principal{Name: "kim", Kind: "token", Person: true, Manage: "all"}, true, 200},
		{"a person's session", session("kim (browser)", "all"), true, 200},
		{"a session for approvals", session("kim (browser)", "approvals"), true, 200},
		{"a session that looks", gongu.Principal{Name: "kim (browser)", Kind: "session"}, false, 403},
		{"a token without limits", whole("other"), false, 403},
		{"a limited token", limited("other"), false, 403},
		{"the caller", limited("laptop"), true, 403},
		{"the caller with a manager's token", manager("laptop"), true, 403},
		{"the caller in a session", session("laptop", "all"), true, 200},
		{"a manager of the agent", gongu.Principal{Name: "kim", Kind: "token", Person: true, Manage: "approvals", Agents: []string{"editor"}}, true, 200},
		{"a manager of another agent", gongu.Principal{Name: "kim", Kind: "token", Person: true, Manage: "approvals", Agents: []string{"other"}}, false, 404},
		{"nobody in particular", gongu.Principal{Kind: "anonymous"}, false, 403},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, store := startApprovals(t, tc.who)
			a := askFor(t, store, "a1")
			var list struct{ Approvals []approval }
			s.get("/approvals", &list)
			if len(list.Approvals) == 1 != tc.sees {
				t.Errorf("%d listed", len(list.Approvals))
			}
			if tc.sees {
				var got approval
				s.get("/approvals/a1", &got)
				if got.State != "pending" || got.Calls[0].Text == "" || got.Link != "https://gongu.example.com/approvals/a1" {
					t.Errorf("%+v", got)
				}
			} else {
				s.refuses("GET", "/approvals/a1", "", 404, httpapi.CodeNotFound)
			}
			got := s.do("POST", "/approvals/a1", decision(true, a, ""), tc.decides, nil)
			after, err := store.GetApproval(t.Context(), "a1")
			if err != nil || after.State == "approved" != (tc.decides == 200) {
				t.Errorf("%s: the approval is %s, %v", got.body, after.State, err)
			}
		})
	}
}

// The approvers of a rule are the only ones who decide.
func TestP7_Approvers(t *testing.T) {
	s, store := startApprovals(t, manager("kim"))
	a := askFor(t, store, "a1", func(a *state.Approval) { a.Calls[0].Approvers = []string{"lee*"} })
	s.refuses("POST", "/approvals/a1", decision(true, a, ""), 403, httpapi.CodeForbidden)
	s.who = new(manager("lee-phone"))
	s.do("POST", "/approvals/a1", decision(true, a, ""), 200, nil)
}

// Case 153: the same submit twice is one result, and the second one says so. A
// decision of another, or about what was shown before, is refused with the truth.
func TestDecideOnce(t *testing.T) {
	s, store := startApprovals(t, manager("kim"))
	a := askFor(t, store, "a1")
	var first, second approval
	s.do("POST", "/approvals/a1", decision(true, a, `,"request":"r-1","reason":"fine"`), 200, &first)
	s.do("POST", "/approvals/a1", decision(true, a, `,"request":"r-1","reason":"fine"`), 200, &second)
	if first.Outcome != "decided" || second.Outcome != "duplicate" || first.By != "kim" || first.How != "token" || second.Version != first.Version || second.Reason != "fine" {
		t.Errorf("%+v, %+v", first, second)
	}
	rows, err := store.AuditAfter(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	decisions := slices.DeleteFunc(rows, func(r *state.AuditRow) bool { return r.Kind != state.AuditDecision })
	if len(decisions) != 1 || decisions[0].Subject != "a1" {
		t.Errorf("%d decisions in the audit", len(decisions))
	}
	for _, body := range []string{decision(false, a, `,"request":"r-1"`), decision(true, a, `,"request":"r-2"`), decision(false, a, "")} {
		if p := s.refuses("POST", "/approvals/a1", body, 409, httpapi.CodeConflict); !strings.Contains(p.Message, "approved already, by kim") {
			t.Errorf("%s: %s", body, p.Message)
		}
	}
	s.who = new(manager("lee"))
	if p := s.refuses("POST", "/approvals/a1", decision(true, a, `,"request":"r-1"`), 409, httpapi.CodeConflict); !strings.Contains(p.Message, "by kim") {
		t.Error(p.Message)
	}
	askFor(t, store, "a2")
	if p := s.refuses("POST", "/approvals/a2", `{"approve":true,"version":77}`, 409, httpapi.CodeConflict); !strings.Contains(p.Message, "its version is 1 now") {
		t.Error(p.Message)
	}
	if _, cancelled, err := store.CancelApproval(t.Context(), "a2"); err != nil || !cancelled {
		t.Fatal(cancelled, err)
	}
	// Case 159: the stored transition wins.
	if p := s.refuses("POST", "/approvals/a2", `{"approve":true,"version":1}`, 409, httpapi.CodeConflict); !strings.Contains(p.Message, "is cancelled") {
		t.Error(p.Message)
	}
}

// Case 161: a decision for another agent or conversation is refused, and the
// state is unchanged.
func TestDecideForAnotherConversation(t *testing.T) {
	s, store := startApprovals(t, manager("kim"))
	a := askFor(t, store, "a1")
	for _, more := range []string{`,"agent":"other"`, `,"instance":"second"`, `,"agent":"editor","instance":""`} {
		s.refuses("POST", "/approvals/a1", decision(true, a, more), 409, httpapi.CodeConflict)
	}
	if after, err := store.GetApproval(t.Context(), "a1"); err != nil || after.State != "pending" || after.Version != a.Version {
		t.Errorf("%+v, %v", after, err)
	}
	s.do("POST", "/approvals/a1", decision(true, a, `,"agent":"editor","instance":"main"`), 200, nil)
}

// A yes names what was shown, and other arguments fit the schema.
func TestDecideChecksTheAnswer(t *testing.T) {
	s, store := startApprovals(t, manager("kim"))
	a := askFor(t, store, "a1")
	s.refuses("POST", "/approvals/a1", `{"approve":true}`, 400, httpapi.CodeInvalid)
	s.refuses("POST", "/approvals/a1", `{"version":1}`, 400, httpapi.CodeInvalid)
	s.refuses("POST", "/approvals/a1", decision(true, a, `,"request":"`+strings.Repeat("x", 129)+`"`), 400, httpapi.CodeInvalid)
	s.refuses("POST", "/approvals/a1", decision(true, a, `,"args":{"command":7}`), 422, httpapi.CodeRefused)
	s.refuses("POST", "/approvals/none", decision(true, a, ""), 404, httpapi.CodeNotFound)
	var got approval
	s.do("POST", "/approvals/a1", decision(true, a, `,"args":{"command":"ls"}`), 200, &got)
	if len(got.Calls) != 1 || !got.Calls[0].Changed || string(got.Calls[0].Args) != `{"command":"ls"}` || strings.Contains(got.Calls[0].Text, "rm") {
		t.Errorf("%+v", got)
	}
	askFor(t, store, "a2")
	s.do("POST", "/approvals/a2", `{"approve":false,"reason":"not today"}`, 200, &got)
	if got.State != "rejected" || got.Reason != "not today" {
		t.Errorf("%+v", got)
	}
}

// Two people race: one decision counts, and both are told the truth.
func TestDecideRace(t *testing.T) {
	s, store := startApprovals(t, manager("kim"))
	for i := range 20 {
		a := askFor(t, store, fmt.Sprint("a", i))
		answers := make([]reply, 4)
		var all sync.WaitGroup
		for n := range answers {
			all.Go(func() {
				answers[n] = s.raw("POST", httpapi.Prefix+"/approvals/"+a.ID, sendsJSON, strings.NewReader(decision(n%2 == 0, a, fmt.Sprintf(`,"request":"r%d"`, n))))
			})
		}
		all.Wait()
		after, err := store.GetApproval(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		won := 0
		for n, got := range answers {
			if got.status == 200 {
				won++
				if after.Request != fmt.Sprint("r", n) {
					t.Errorf("r%d was told that it decided, and %s did", n, after.Request)
				}
			} else if got.status != 409 || !strings.Contains(string(got.body), after.State+" already") {
				t.Errorf("%d %s", got.status, got.body)
			}
		}
		if won != 1 {
			t.Errorf("%d decisions count", won)
		}
	}
}

// What waits comes first, whatever its age; filters and pages work.
func TestListApprovals(t *testing.T) {
	s, store := startApprovals(t, manager("kim"))
	for i := range 7 {
		a := askFor(t, store, fmt.Sprint("a", i), func(a *state.Approval) {
			if i == 5 {
				a.Agent = "other"
			}
		})
		if i%2 == 1 {
			s.do("POST", "/approvals/"+a.ID, decision(i == 1, a, ""), 200, nil)
		}
	}
	for path, want := range map[string]string{
		"/approvals?":                             "a6 a4 a2 a0 a5 a3 a1",
		"/approvals?state=pending":                "a6 a4 a2 a0",
		"/approvals?state=rejected":               "a5 a3",
		"/approvals?state=rejected&agent=other":   "a5",
		"/approvals?agent=editor":                 "a6 a4 a2 a0 a3 a1",
		"/approvals?state=expired":                "",
		"/approvals?limit=2":                      "a6 a4 a2 a0 a5 a3 a1",
		"/approvals?limit=4":                      "a6 a4 a2 a0 a5 a3 a1",
		"/approvals?limit=3&state=pending":        "a6 a4 a2 a0",
		"/approvals?limit=1&agent=other":          "a5",
		"/approvals?limit=1000&agent=none":        "",
		"/approvals?limit=1&state=approved&agent": "",
	} {
		if strings.HasSuffix(path, "&agent") {
			path = strings.TrimSuffix(path, "&agent")
			want = "a1"
		}
		var got []string
		for cursor := ""; ; {
			var page struct {
				Approvals  []approval
				NextCursor string
			}
			s.get(path+cursor, &page)
			for _, a := range page.Approvals {
				got = append(got, a.ID)
				if len(a.Calls) != 1 || a.Calls[0].Args != nil || a.Calls[0].Text != "" {
					t.Errorf("the list has details: %+v", a)
				}
			}
			if page.NextCursor == "" || len(got) > 20 {
				break
			}
			cursor = "&cursor=" + page.NextCursor
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", path, got, want)
		}
	}
	for _, path := range []string{"/approvals?state=maybe", "/approvals?cursor=x", "/approvals?cursor=p.x", "/approvals?state=pending&cursor=x", "/approvals?limit=0"} {
		s.refuses("GET", path, "", 400, httpapi.CodeInvalid)
	}
}

// P12: a session for approvals reaches approvals and nothing else.
func TestP12_SessionForApprovals(t *testing.T) {
	s, store := startApprovals(t, session("kim (browser)", "approvals"))
	askFor(t, store, "a1")
	for _, r := range every {
		want := 403
		if strings.HasPrefix(r.path, "/approvals") {
			continue
		}
		if got := s.raw(r.method, httpapi.Prefix+r.path, sendsJSON, strings.NewReader(r.body)); got.status != want {
			t.Errorf("%s %s: %d", r.method, r.path, got.status)
		}
	}
	for path, want := range map[string]int{"/metrics": 404, "/approvals": 200, "/approvals/a1": 200, "/": 303} {
		if got := s.noRedirect("GET", path, nil, ""); got.status != want {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}

// K13: no secret is shown, in JSON or on the page.
func TestK13_ApprovalsAreRedacted(t *testing.T) {
	const value = "hunter2-<very>-secret"
	vault := &secret.Vault{}
	vault.Remember("TOKEN", value)
	store := openStore(t)
	s := start(t, newBackend(t, nil), withStore(store), withApprovals(store), as(session("kim", "all")), func(o *testOptions) { o.Secrets = vault })
	quoted, _ := json.Marshal(value)
	askFor(t, store, "a1", func(a *state.Approval) {
		a.Calls[0].Args = []byte(`{"command":` + string(quoted) + `}`)
		a.Calls[0].Message = value
		a.Calls[0].Preview, _ = json.Marshal(policy.Preview{Kind: policy.KindCommand, Command: "curl " + value})
	})
	for _, path := range []string{httpapi.Prefix + "/approvals/a1", httpapi.Prefix + "/approvals", "/approvals", "/approvals/a1"} {
		got := string(s.raw("GET", path, nil, nil).body)
		if strings.Contains(got, "very") || strings.Contains(path, "a1") && !strings.Contains(got, "[secret TOKEN]") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// A person's session counts as present, at most once in 20 seconds; others never.
func TestP3_SessionsArePresent(t *testing.T) {
	for _, tc := range []struct {
		who  gongu.Principal
		path string
		seen bool
	}{
		{session("kim", "all"), "/api/v1/tools", true},
		{session("kim", "all"), "/", true},
		{session("kim", "approvals"), "/approvals", true},
		{session("kim", "approvals"), "/approvals/none", true},
		{gongu.Principal{Name: "kim", Kind: "session"}, "/api/v1/tools", false},
		{manager("kim"), "/api/v1/approvals", false},
		{whole("model"), "/api/v1/tools", false},
	} {
		store := &countingApprovals{Store: openStore(t)}
		s := start(t, newBackend(t, nil), withApprovals(store), as(tc.who))
		for range 3 {
			s.raw("GET", tc.path, nil, nil)
		}
		if got := len(store.seen); tc.seen != (got == 1) || got > 1 {
			t.Errorf("%s as %+v: seen %d times", tc.path, tc.who, got)
		}
		seen, err := store.SeenPerson(t.Context(), policy.Presence)
		if err != nil || seen != tc.seen {
			t.Errorf("%s as %+v: present %t, %v", tc.path, tc.who, seen, err)
		}
	}
}

// Without a store the routes say so.
func TestNoApprovals(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for _, path := range []string{"/approvals", "/approvals/a1"} {
		s.refuses("GET", path, "", 404, httpapi.CodeNotFound)
	}
	s.refuses("POST", "/approvals/a1", `{"approve":true,"version":1}`, 404, httpapi.CodeNotFound)
}

// Events tell of approvals: a manager of all of them, a caller of its own.
func TestApprovalEvents(t *testing.T) {
	for _, tc := range []struct {
		who  gongu.Principal
		want string
	}{
		{manager("kim"), "approval.opened a1,approval.opened a2,approval.approve a1"},
		{limited("laptop"), "approval.opened a1"},
		{limited("other"), ""},
	} {
		s, store := startApprovals(t, tc.who)
		a := askFor(t, store, "a1")
		askFor(t, store, "a2", func(a *state.Approval) { a.Principal = "desktop" })
		if _, _, err := policy.Resolve(t.Context(), store, "a1", policy.Decider{Name: "lee", Kind: policy.ByTerminal}, policy.Answer{Approve: true}, a.Version, ""); err != nil {
			t.Fatal(err)
		}
		write(t, store, callRow("call_last", "", tc.who.Name, "last"))
		stream := s.events("/events?after=0", "")
		var got []string
		for stream.lines.Scan() {
			data, ok := strings.CutPrefix(stream.lines.Text(), "data: ")
			if !ok {
				continue
			}
			var v struct{ Kind, Action, Subject, Tool, Agent string }
			if err := json.Unmarshal([]byte(data), &v); err != nil {
				t.Fatal(err)
			}
			if v.Kind == "call" {
				break
			}
			if v.Tool != "bash__exec" || v.Agent != "editor" {
				t.Error(data)
			}
			got = append(got, v.Action+" "+v.Subject)
		}
		stream.close()
		if strings.Join(got, ",") != tc.want {
			t.Errorf("%s gets %v", tc.who.Name, got)
		}
	}
}
