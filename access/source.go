package access

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
)

// Kind is a kind of thing that a source has beside tools.
type Kind string

// The kinds. Completions follow the prompt or resource they complete, and
// subscriptions the resource.
const (
	Resources Kind = "resources"
	Prompts   Kind = "prompts"
	Logs      Kind = "logs"
	// Tasks are those of calls that the principal made, and Linked are resources
	// that a result linked, so they have no rule beside the tool's.
	Tasks  Kind = "tasks"
	Linked Kind = "linked resources"
)

// rulesFor returns the rules of a kind. Everything reports that the principal
// has none and needs none: one that is limited to some tools needs them.
func rulesFor(p *gongu.Principal, kind Kind) (rules []gongu.Rule, everything bool) {
	switch kind {
	case Resources:
		rules = p.Resources
	case Prompts:
		rules = p.Prompts
	case Logs:
		rules = p.Logs
	case Tasks, Linked:
		return nil, true
	}
	return rules, rules == nil && p.Allow == nil
}

// Source reports whether a principal may use anything of a kind that a source
// has. The source is an identity such as McpServer/github.
func Source(p *gongu.Principal, agent, source string, kind Kind) error {
	return check(p, agent, source, kind, func(r gongu.Rule) bool { return r.MatchesSource(source) })
}

// Item reports whether a principal may use one resource, by its URI, or one
// prompt, by its name.
func Item(p *gongu.Principal, agent, source string, kind Kind, name string) error {
	climbing := kind == Resources && climbs(name)
	return check(p, agent, source, kind, func(r gongu.Rule) bool {
		if climbing && r.Name != "" && r.Name != "*" {
			return false
		}
		return r.MatchesItem(source, name)
	})
}

func check(p *gongu.Principal, agent, source string, kind Kind, matches func(gongu.Rule) bool) error {
	if p == nil {
		return nil
	}
	if err := Agent(p, agent); err != nil {
		return err
	}
	rules, everything := rulesFor(p, kind)
	if everything || slices.ContainsFunc(rules, matches) {
		return nil
	}
	return forbidden(p, fmt.Sprintf("use the %s of %s", kind, source))
}

// Any reports whether a principal may use a kind of any source at all.
func Any(p *gongu.Principal, kind Kind) bool {
	if p == nil {
		return true
	}
	rules, everything := rulesFor(p, kind)
	return everything || len(rules) > 0
}

// maxEscapes is how many layers of percent-encoding are undone.
const maxEscapes = 4

// climbs reports whether a URI has a path segment "..", also percent-encoded: a
// server may resolve it to a resource outside of what a glob selects.
func climbs(uri string) bool {
	for range maxEscapes {
		for part := range strings.FieldsFuncSeq(uri, func(r rune) bool { return strings.ContainsRune(`/\:?#`, r) }) {
			if part == ".." {
				return true
			}
		}
		decoded, err := url.PathUnescape(uri)
		if err != nil || decoded == uri {
			return err != nil
		}
		uri = decoded
	}
	return true
}

// Sampling reports whether tools may use the model of a principal's client. The
// server's own setting counts for principals that are not limited to some tools.
func Sampling(p *gongu.Principal, server bool) bool {
	return p == nil || p.Sampling || server && p.Allow == nil
}

// The values of [gongu.Principal].Manage.
const (
	ManageApprovals = "approvals"
	ManageAll       = "all"
)

// Whole reports whether a principal may see what is about the whole server,
// such as its sources and pins: one that is limited to a part may not.
func Whole(p *gongu.Principal) error {
	if p == nil || p.Manage == ManageAll || p.Manage == "" && p.Agents == nil && p.Allow == nil {
		return nil
	}
	return forbidden(p, "see the whole server")
}

// Metrics reports whether a principal may read what is counted about all tools and
// sources: one that sees the whole server, or that gets the logs of every source.
func Metrics(p *gongu.Principal) error {
	if Whole(p) == nil || slices.ContainsFunc(p.Logs, func(r gongu.Rule) bool { return r.Equal(gongu.Rule{Source: "*/*"}) }) {
		return nil
	}
	return forbidden(p, "read the metrics")
}

// Owns reports whether what belongs to owner, such as a task or a session,
// belongs to this principal.
func Owns(p *gongu.Principal, owner string) error {
	if p == nil || p.Name == owner {
		return nil
	}
	return forbidden(p, "use what belongs to another principal")
}

// The decisions that Manage "approvals" allows, as operations of the HTTP API.
const (
	ApproveRequest = "approveRequest"
	RejectRequest  = "rejectRequest"
	DecideApproval = "decideApproval"
)

// kindSession is the kind of a browser's session; see package auth.
const kindSession = "session"

// ApprovalsOnly reports whether a principal is a session that is limited to the
// approvals of calls (P12).
func ApprovalsOnly(p *gongu.Principal) bool {
	return p != nil && p.Kind == kindSession && p.Manage == ManageApprovals
}

// Decide reports whether a principal may make a decision, such as accepting
// pins. Models never may.
func Decide(p *gongu.Principal, operation string) error {
	switch {
	case p == nil, p.Manage == ManageAll:
		return nil
	case p.Manage == ManageApprovals && operation == DecideApproval:
		return nil
	case p.Manage == ManageApprovals && !ApprovalsOnly(p) && (operation == ApproveRequest || operation == RejectRequest):
		return nil
	}
	return forbidden(p, "decide: "+operation)
}

// Requests reports whether a principal may read the tool requests of others: one
// that sees the whole server or decides about requests.
func Requests(p *gongu.Principal) error {
	if Decide(p, ApproveRequest) == nil {
		return nil
	}
	return Whole(p)
}
