package ask

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// View is an approval as JSON, with the names of the HTTP API.
type View struct {
	ID            string     `json:"id"`
	State         string     `json:"state"`
	Waits         string     `json:"waits"`
	Version       int64      `json:"version"`
	Principal     string     `json:"principal,omitempty"`
	PrincipalKind string     `json:"principalKind,omitempty"`
	Agent         string     `json:"agent,omitempty"`
	Instance      string     `json:"instance,omitempty"`
	Turn          string     `json:"turn,omitempty"`
	CallID        string     `json:"callId,omitempty"`
	Tool          string     `json:"tool"`
	Calls         []ViewCall `json:"calls"`
	By            string     `json:"by,omitempty"`
	How           string     `json:"how,omitempty"`
	Reason        string     `json:"reason,omitempty"`
	Created       time.Time  `json:"created"`
	Expires       time.Time  `json:"expires"`
	Decided       time.Time  `json:"decided,omitzero"`
}

// ViewCall is one call of a [View].
type ViewCall struct {
	CallID     string               `json:"callId,omitempty"`
	Tool       string               `json:"tool"`
	Source     string               `json:"source,omitempty"`
	Rule       string               `json:"rule"`
	Message    string               `json:"message,omitempty"`
	Approvers  []string             `json:"approvers,omitempty"`
	Dynamic    bool                 `json:"dynamic,omitempty"`
	Approved   bool                 `json:"approved,omitempty"`
	Changed    bool                 `json:"changed,omitempty"`
	Definition string               `json:"definition,omitempty"`
	RuleDigest string               `json:"ruleDigest,omitempty"`
	Args       json.RawMessage      `json:"args,omitempty"`
	Files      []state.ApprovalFile `json:"files,omitempty"`
	Preview    json.RawMessage      `json:"preview,omitempty"`
}

// ViewOf returns an approval as JSON.
func ViewOf(a *state.Approval) View {
	v := View{
		ID: a.ID, State: a.State, Waits: a.Way, Version: a.Version, Principal: a.Principal, PrincipalKind: a.PrincipalKind,
		Agent: a.Agent, Instance: a.Instance, Turn: a.Turn, CallID: a.CallID, Tool: a.Tool, Calls: []ViewCall{},
		By: a.By, How: a.ByKind, Reason: a.Reason, Created: a.Created.UTC(), Expires: a.Expires.UTC(),
	}
	if !a.Decided.IsZero() {
		v.Decided = a.Decided.UTC()
	}
	for i := range a.Calls {
		c := &a.Calls[i]
		v.Calls = append(v.Calls, ViewCall{
			CallID: c.CallID, Tool: c.Tool, Source: c.Source, Rule: c.Rule, Message: c.Message, Approvers: c.Approvers, Dynamic: c.Dynamic,
			Approved: c.Approved, Changed: c.Changed, Definition: hex.EncodeToString(c.Digest), RuleDigest: c.RuleDigest,
			Args: valid(c.Args), Files: c.Files, Preview: valid(c.Preview),
		})
	}
	return v
}

// valid leaves out what is not JSON.
func valid(raw []byte) json.RawMessage {
	if !json.Valid(raw) {
		return nil
	}
	return raw
}

// Summary returns what the calls of an approval do, in a few words.
func Summary(a *state.Approval) string {
	var all []string
	for i := range a.Calls {
		c := &a.Calls[i]
		p := PreviewOf(c)
		text := string(compacted(c.Args))
		switch {
		case c.Changed:
		case p.Kind == policy.KindCommand:
			text = p.Command
		case p.Kind == policy.KindEdit && len(p.Files) > 0:
			text = p.Files[0].Path
		case p.Kind == policy.KindRequest:
			text = p.Method + " " + p.URL
		}
		if len(a.Calls) > 1 {
			text = c.Tool + " " + text
		}
		all = append(all, text)
	}
	return cmp.Or(strings.Join(all, "; "), "-")
}
