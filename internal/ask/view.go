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

// View is an approval as JSON, on the command line and over HTTP.
type View struct {
	ID string `json:"id"`
	// State is pending, approved, used, rejected, cancelled or expired.
	State string `json:"state"`
	// Waits is how the call waits: connection, record or permit.
	Waits string `json:"waits"`
	// Version is what a decision names.
	Version       int64  `json:"version"`
	Principal     string `json:"principal,omitempty"`
	PrincipalKind string `json:"principalKind,omitempty"`
	Agent         string `json:"agent,omitempty"`
	Instance      string `json:"instance,omitempty"`
	Turn          string `json:"turn,omitempty"`
	CallID        string `json:"callId,omitempty"`
	Tool          string `json:"tool"`
	// Calls are what is asked about; a list has them without details.
	Calls []ViewCall `json:"calls"`
	// Link is the page of the approval.
	Link string `json:"link,omitempty"`
	// By is who decided, and How: terminal, session, token or client.
	By      string    `json:"by,omitempty"`
	How     string    `json:"how,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	Expires time.Time `json:"expires"`
	Decided time.Time `json:"decided,omitzero"`
}

// ViewCall is one call that is asked about, with everything that the answer
// is bound to.
type ViewCall struct {
	CallID  string `json:"callId,omitempty"`
	Tool    string `json:"tool"`
	Source  string `json:"source,omitempty"`
	Rule    string `json:"rule"`
	Message string `json:"message,omitempty"`
	// Approvers may decide; none means everyone who may decide at all.
	Approvers []string `json:"approvers,omitempty"`
	// Dynamic means that the text of a command does not decide what it runs.
	Dynamic bool `json:"dynamic,omitempty"`
	// Approved means that a person has approved this one.
	Approved bool `json:"approved,omitempty"`
	// Definition and RuleDigest are the digests of the tool and of the rule.
	Definition string          `json:"definition,omitempty"`
	RuleDigest string          `json:"ruleDigest,omitempty"`
	Args       json.RawMessage `json:"args,omitempty"`
	// Changed means that a person wrote the arguments.
	Changed bool                 `json:"changed,omitempty"`
	Files   []state.ApprovalFile `json:"files,omitempty"`
	// Preview is what the call will do, and Text the same for people.
	Preview json.RawMessage `json:"preview,omitempty"`
	Text    string          `json:"text,omitempty"`
}

// ViewOf returns an approval as JSON.
func ViewOf(a *state.Approval) View {
	v := View{
		ID: a.ID, State: a.State, Waits: a.Way, Version: a.Version, Principal: a.Principal, PrincipalKind: a.PrincipalKind,
		Agent: a.Agent, Instance: a.Instance, Turn: a.Turn, CallID: a.CallID, Tool: a.Tool, Calls: []ViewCall{},
		By: a.By, How: a.ByKind, Reason: a.Reason, Created: a.Created.UTC(), Updated: a.Updated.UTC(), Expires: a.Expires.UTC(),
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
