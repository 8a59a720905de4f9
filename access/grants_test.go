package access_test

import (
	"slices"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
)

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
