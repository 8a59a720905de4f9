package gateway_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/clients"
)

// P2, P4: who a client on stdio is comes from its entry alone, and its flags can only
// make it stricter.
func TestP2_StdioPrincipal(t *testing.T) {
	entry := &clients.Entry{Client: "claude", Ask: clients.AskClient}
	asks := &clients.Entry{Client: "claude", Ask: clients.AskGongu, Permission: "edits", Offer: []string{"a__*"}}
	for _, tc := range []struct {
		name  string
		entry *clients.Entry
		said  attach.Client
		want  gongu.Principal
	}{
		{"unknown", nil, attach.Client{ID: "x"}, gongu.Principal{Name: "stdio", Kind: "stdio", Permission: "default"}},
		{"unknown, bypass", nil, attach.Client{Permission: "bypass"}, gongu.Principal{Name: "stdio", Kind: "stdio", Permission: "default"}},
		{"unknown, plan", nil, attach.Client{Permission: "plan"}, gongu.Principal{Name: "stdio", Kind: "stdio", Permission: "plan"}},
		{"started by gongu", entry, attach.Client{Started: true}, gongu.Principal{Name: "stdio", Kind: "stdio", Permission: "default"}},
		{"connected", entry, attach.Client{}, gongu.Principal{Name: "claude", Kind: "stdio", Attended: true, Permission: "default"}},
		{"connected, bypass", entry, attach.Client{Permission: "bypass"}, gongu.Principal{Name: "claude", Kind: "stdio", Attended: true, Permission: "default"}},
		{"gongu asks", asks, attach.Client{}, gongu.Principal{Name: "claude", Kind: "stdio", Attended: true, Permission: "edits",
			Ask: []gongu.Rule{{ReadOnly: new(false)}}, Offer: []gongu.Rule{{Name: "a__*"}}}},
		{"gongu asks, plan", asks, attach.Client{Permission: "plan"}, gongu.Principal{Name: "claude", Kind: "stdio", Attended: true, Permission: "plan",
			Ask: []gongu.Rule{{ReadOnly: new(false)}}, Offer: []gongu.Rule{{Name: "a__*"}}}},
	} {
		if diff := cmp.Diff(tc.want, *gateway.StdioPrincipal(tc.entry, tc.said)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}
