package access_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
)

// K10: asking needs an attended principal whose client can show a form, and all
// arguments in the question; the tool runs after a yes alone.
func TestK10AskGuard(t *testing.T) {
	ran := false
	r := gongu.NewRegistry(nil)
	type args struct {
		What string `json:"what"`
	}
	wipe := gongu.Func("wipe", "Wipes.", func(context.Context, args) (string, error) {
		ran = true
		return "gone", nil
	})
	if err := r.Add(wipe); err != nil {
		t.Fatal(err)
	}
	x := gongu.NewExecutor(r, &gongu.ExecutorOptions{Guards: []gongu.Guard{access.AskGuard("en")}, Catalog: gongu.Everything(r)})
	asked := []gongu.Rule{{Name: "wi*"}}
	ended, end := context.WithCancel(t.Context())
	interrupted := gongu.Caller{Elicit: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		end()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	kim := &gongu.Principal{Name: "kim", Ask: asked, Attended: true}
	says := func(answer string) gongu.Caller {
		return gongu.Caller{Elicit: func(_ context.Context, from string, question json.RawMessage) (json.RawMessage, error) {
			if from != "" || !strings.Contains(string(question), "wipe") || !strings.Contains(string(question), "disk") || !strings.Contains(string(question), `"required":["answer"]`) {
				t.Errorf("%q asks %s", from, question)
			}
			return json.RawMessage(answer), nil
		}}
	}
	slowNo := gongu.Caller{Elicit: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		time.Sleep(320 * time.Millisecond)
		return json.RawMessage(`{"action":"decline"}`), nil
	}}
	broken := gongu.Caller{Elicit: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("gone")
	}}
	yes := says(`{"action":"accept","content":{"answer":"yes"}}`)
	for _, tc := range []struct {
		name      string
		principal *gongu.Principal
		caller    gongu.Caller
		call      gongu.Call
		ctx       context.Context
		code      string
	}{
		{name: "the program itself"},
		{name: "nothing to ask", principal: &gongu.Principal{Name: "lee"}},
		{name: "another tool", principal: &gongu.Principal{Name: "lee", Ask: []gongu.Rule{{Name: "look"}}}},
		{name: "yes", principal: kim, caller: yes},
		{name: "not attended", principal: &gongu.Principal{Name: "lee", Ask: asked}, caller: yes, code: gongu.CodeDenied},
		{name: "no form", principal: kim, code: gongu.CodeDenied},
		{name: "no answer", principal: kim, caller: broken, code: gongu.CodeDenied},
		{name: "too long to show", principal: kim, caller: yes, call: gongu.Call{Args: json.RawMessage(`{"what":"disk` + strings.Repeat("x", 9000) + `"}`)}, code: gongu.CodeDenied},
		{name: "no at once", principal: kim, caller: says(`{"action":"decline"}`), code: gongu.CodeDenied},
		{name: "no", principal: kim, caller: slowNo, code: gongu.CodeRejected},
		{name: "the other answer", principal: kim, caller: says(`{"action":"accept","content":{"answer":"no"}}`), code: gongu.CodeDenied},
		{name: "yes declined", principal: kim, caller: says(`{"action":"decline","content":{"answer":"yes"}}`), code: gongu.CodeDenied},
		{name: "nothing said", principal: kim, caller: says(`{"action":"accept"}`), code: gongu.CodeDenied},
		{name: "ended meanwhile", principal: kim, caller: interrupted, ctx: ended, code: gongu.CodeCancelled},
		{name: "not JSON", principal: kim, caller: says(`yes`), code: gongu.CodeDenied},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ran = false
			base := t.Context()
			if tc.ctx != nil {
				base = tc.ctx
			}
			ctx := gongu.WithPrincipal(base, tc.principal)
			about := *gongu.ContextOf(ctx)
			about.AgentName, about.InstanceKey, about.Caller = "a", "i", tc.caller
			ctx, err := gongu.WithContext(ctx, about)
			if err != nil {
				t.Fatal(err)
			}
			tc.call.Name = "wipe"
			if tc.call.Args == nil {
				tc.call.Args = json.RawMessage(`{"what":"disk"}`)
			}
			result := x.Call(ctx, tc.call)
			code := ""
			if result.Error != nil {
				code = result.Error.Code
			}
			if code != tc.code || ran != (tc.code == "") {
				t.Errorf("ran %t: %+v", ran, result.Error)
			}
		})
	}
}

// K10: a dry run asks no person: nothing would happen after the yes.
func TestK10AskGuardOfADryRun(t *testing.T) {
	r := gongu.NewRegistry(nil)
	if err := r.Add(gongu.Func("wipe", "Wipes.", func(context.Context, struct{}) (string, error) { return "gone", nil })); err != nil {
		t.Fatal(err)
	}
	x := gongu.NewExecutor(r, &gongu.ExecutorOptions{Guards: []gongu.Guard{access.AskGuard("en")}, Catalog: gongu.Everything(r)})
	ctx := gongu.WithPrincipal(t.Context(), &gongu.Principal{Name: "lee", Ask: []gongu.Rule{{Name: "wipe"}}})
	if result := x.DryRun(ctx, gongu.Call{Name: "wipe"}); result.Error != nil {
		t.Errorf("%+v", result.Error)
	}
	if result := x.Call(ctx, gongu.Call{Name: "wipe"}); result.Error == nil {
		t.Error("the call was made")
	}
}

// K10: a resource glob selects what it says, whatever a server makes of "..".
func TestK10Item(t *testing.T) {
	limited := func(rules ...gongu.Rule) *gongu.Principal {
		return &gongu.Principal{Name: "a", Allow: []gongu.Rule{}, Resources: rules, Prompts: []gongu.Rule{{Name: "far__*"}}}
	}
	below := gongu.Rule{Source: "*/far", Name: "file:///data/*"}
	for _, tc := range []struct {
		name      string
		principal *gongu.Principal
		kind      access.Kind
		item      string
		allowed   bool
	}{
		{"inside", limited(below), access.Resources, "file:///data/a/b", true},
		{"outside", limited(below), access.Resources, "file:///etc/passwd", false},
		{"up", limited(below), access.Resources, "file:///data/../etc/passwd", false},
		{"up, encoded", limited(below), access.Resources, "file:///data/%2e%2E/etc/passwd", false},
		{"up, encoded twice", limited(below), access.Resources, "file:///data/%252e%252e/etc/passwd", false},
		{"up, encoded slash", limited(below), access.Resources, "file:///data/..%2fetc/passwd", false},
		{"up, backslash", limited(below), access.Resources, `file:///data/..\etc`, false},
		{"encoded without end", limited(below), access.Resources, "file:///data/%25252525252e", false},
		{"broken encoding", limited(below), access.Resources, "file:///data/%zz", false},
		{"dots in a name", limited(below), access.Resources, "file:///data/a..b", true},
		{"up, with the whole source", limited(gongu.Rule{Source: "*/far"}), access.Resources, "file:///data/../x", true},
		{"another source", limited(gongu.Rule{Source: "*/near"}), access.Resources, "file:///data/a", false},
		{"a rule for tools", limited(gongu.Rule{Domain: "x"}), access.Resources, "file:///data/a", false},
		{"a prompt", limited(), access.Prompts, "far__hello", true},
		{"another prompt", limited(), access.Prompts, "near__hello", false},
		{"no limits", &gongu.Principal{}, access.Resources, "file:///data/../x", true},
		{"of no kind", limited(below), access.Logs, "", false},
		{"linked", limited(), access.Linked, "x", true},
	} {
		if err := access.Item(tc.principal, "", "McpServer/far", tc.kind, tc.item); (err == nil) != tc.allowed {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	only := limited(below)
	if !access.Any(only, access.Resources) || access.Any(only, access.Logs) || !access.Any(nil, access.Logs) || !access.Any(&gongu.Principal{}, access.Logs) {
		t.Error("any")
	}
}

// K10, V5: the server's --sampling is for principals without limits; a limited
// one needs its own.
func TestK10Sampling(t *testing.T) {
	limited := []gongu.Rule{}
	for _, tc := range []struct {
		principal *gongu.Principal
		server    bool
		want      bool
	}{
		{&gongu.Principal{}, false, false},
		{&gongu.Principal{}, true, true},
		{&gongu.Principal{Allow: limited}, true, false},
		{&gongu.Principal{Allow: limited, Sampling: true}, false, true},
	} {
		if got := access.Sampling(tc.principal, tc.server); got != tc.want {
			t.Errorf("%+v, server %t: %t", tc.principal, tc.server, got)
		}
	}
}

// K10: who approves decides about requests and sees them, and nothing else of
// the whole server.
func TestK10Approvals(t *testing.T) {
	approver := &gongu.Principal{Name: "p", Manage: access.ManageApprovals}
	if access.Decide(approver, access.ApproveRequest) != nil || access.Decide(approver, access.RejectRequest) != nil || access.Requests(approver) != nil {
		t.Error("an approver may not approve")
	}
	if access.Decide(approver, "acceptPins") == nil || access.Whole(approver) == nil {
		t.Error("an approver may do more")
	}
	if access.Requests(&gongu.Principal{Agents: []string{"a"}}) == nil || access.Requests(&gongu.Principal{Allow: []gongu.Rule{}}) == nil || access.Requests(&gongu.Principal{}) != nil {
		t.Error("requests")
	}
}

// K10: tools to ask about are in the catalog, and read-only tools come with the
// discovery tools, which tools named one by one do not.
func TestK10CatalogOfTokens(t *testing.T) {
	a := newAccess(t, "*")
	for _, tc := range []struct {
		principal gongu.Principal
		want      []string
	}{
		{gongu.Principal{Allow: access.ReadOnlyAnd(nil)}, []string{"look", "find"}},
		{gongu.Principal{Allow: []gongu.Rule{{Name: "look"}}}, []string{"look"}},
		{gongu.Principal{Allow: []gongu.Rule{{Name: "look"}}, Ask: []gongu.Rule{{Name: "erase"}}}, []string{"look", "erase"}},
		{gongu.Principal{Allow: []gongu.Rule{}, Ask: []gongu.Rule{{Name: "erase"}}}, []string{"erase"}},
		{gongu.Principal{Ask: []gongu.Rule{{Name: "erase"}}}, []string{"look", "write", "erase", "find"}},
	} {
		got, err := a.Catalog(&tc.principal, "", catalog(t))
		if err != nil || !slices.Equal(names(got), tc.want) {
			t.Errorf("%+v: %v, %v", tc.principal, names(got), err)
		}
	}
}
