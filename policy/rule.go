package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/gongu-ai/gongu"
)

// Effect is what a rule does with a call.
type Effect string

// The effects.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

func (e Effect) known() bool { return e == Allow || e == Ask || e == Deny }

// Tier says who wrote a set of rules. A lower value is stronger.
type Tier int

// The tiers.
const (
	Admin   Tier = iota // the administrator of the machine
	User                // the person who runs gongu
	Bundle              // the author of the bundle
	BuiltIn             // gongu itself
)

// String returns the name of the tier.
func (t Tier) String() string {
	return [...]string{"admin", "user", "bundle", "built-in"}[t]
}

// Set is the rules of one Policy resource or file.
type Set struct {
	Tier Tier
	// Name is how people find the set: the name of the resource, or the file.
	Name  string
	Rules []Rule
	// Default decides the calls that no rule of the tier matches; empty leaves
	// them to the next tier.
	Default Effect
}

// Rule decides about the calls that match.
type Rule struct {
	Name  string `json:"name,omitempty"`
	Match Match  `json:"match,omitzero"`
	// When is a condition in CEL; empty is always true.
	When   string `json:"when,omitempty"`
	Effect Effect `json:"effect"`
	// Message is added to the refusal, or to the question.
	Message string `json:"message,omitempty"`
	// Approvers are globs for the names of those who may answer; empty is
	// everyone who may decide.
	Approvers []string `json:"approvers,omitempty"`
	Limits    Limits   `json:"limits,omitzero"`
}

// Match selects calls by globs. A field that is empty selects everything; one of
// the globs of each other field must match.
type Match struct {
	Tools      []string `json:"tools,omitempty"`
	Domains    []string `json:"domains,omitempty"`
	Sources    []string `json:"sources,omitempty"`
	Agents     []string `json:"agents,omitempty"`
	Principals []string `json:"principals,omitempty"`
	Hints      Hints    `json:"hints,omitzero"`
}

// Hints compares the annotations of a tool; nil compares nothing.
type Hints struct {
	ReadOnly    *bool `json:"readOnly,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	OpenWorld   *bool `json:"openWorld,omitempty"`
}

// Limits bounds the calls that a rule decided, for each host.
type Limits struct {
	// Rate is the number of calls in a duration, such as 10/1m.
	Rate       Rate          `json:"rate,omitzero"`
	Concurrent int           `json:"concurrent,omitempty"`
	Timeout    time.Duration `json:"timeout,omitempty"`
	Output     int           `json:"output,omitempty"`
}

// Rate is a number of calls in a duration.
type Rate struct {
	Calls int
	In    time.Duration
}

// Ref names a rule in decisions, approvals and audit rows.
type Ref struct {
	Tier Tier   `json:"-"`
	Set  string `json:"set"`
	Name string `json:"name"`
	// Digest is the SHA-256 of the rule: an approval holds for this rule only.
	Digest string `json:"digest"`
}

// String returns the rule as people write it: tier/set/name.
func (r Ref) String() string {
	if r.Set == "" {
		return r.Tier.String() + "/" + r.Name
	}
	return r.Tier.String() + "/" + r.Set + "/" + r.Name
}

func refOf(s *Set, name string, r Rule) Ref {
	encoded, err := json.Marshal(r)
	if err != nil { // only strings, numbers and pointers to bool
		panic(err)
	}
	sum := sha256.Sum256(encoded)
	return Ref{Tier: s.Tier, Set: s.Name, Name: name, Digest: hex.EncodeToString(sum[:])}
}

// holds compares the hints of a tool with those that a rule asks for.
func (h Hints) holds(a gongu.Annotations) bool {
	same := func(want *bool, is bool) bool { return want == nil || *want == is }
	return same(h.ReadOnly, a.IsReadOnly()) && same(h.Destructive, a.IsDestructive()) &&
		same(h.Idempotent, a.IsIdempotent()) && same(h.OpenWorld, a.IsOpenWorld())
}
