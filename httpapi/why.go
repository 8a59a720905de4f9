package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/policy"
)

// WhyQuery asks whether a principal can call a tool.
type WhyQuery struct {
	Name      string
	Arguments json.RawMessage // nil is not known
	Agent     string
	// By asks about Principal.
	By, Principal *gongu.Principal
	Lang          string
}

// Rules says what decides about calls. Its methods are those of a gateway.
type Rules interface {
	Why(ctx context.Context, q WhyQuery) (policy.Why, error)
	// Caller returns the principal with a name. The error ErrNoCaller means that
	// there is none; names are those that there are.
	Caller(name string) (p *gongu.Principal, names []string, err error)
	// Policy returns the rules in force.
	Policy() *policy.Policy
}

// ErrNoCaller means that no principal has a name.
var ErrNoCaller = errors.New("no principal has this name")

type whyJSON struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	// As names another principal: a token, a client, or one of terminal, script,
	// stdio, anonymous, session and agent. Only managers may use it.
	As string `json:"as,omitempty"`
}

// why answers about one call. It makes none.
func (x *exchange) why() (any, error) {
	var in whyJSON
	if err := x.body(&in); err != nil {
		return nil, err
	}
	if in.Name == "" {
		return nil, fail(CodeInvalid, lang.APIMissing.With("name"), lang.APIMissingName.With())
	}
	rules := x.api.opts.Rules
	if rules == nil {
		return nil, fail(CodeNotFound, lang.APINoRules.With(), lang.APINoRulesHint.With())
	}
	q := WhyQuery{Name: in.Name, Arguments: in.Arguments, Agent: in.Agent, By: x.who, Principal: x.who, Lang: string(x.lang)}
	if in.As != "" {
		if access.Decide(x.who, x.route.id) != nil {
			return nil, fail(CodeForbidden, lang.APIWhyAs.With(), lang.APINotManagerHint.With())
		}
		found, names, err := rules.Caller(in.As)
		switch {
		case errors.Is(err, ErrNoCaller):
			return nil, fail(CodeNotFound, lang.APINoCaller.With(clip(in.As)), x.oneOf(in.As, names))
		case err != nil:
			return nil, refused(err)
		}
		q.Principal = found
	}
	if agents := x.agents(); in.Agent != "" && !slices.Contains(agents, in.Agent) {
		return nil, fail(CodeNotFound, lang.APINoAgent.With(clip(in.Agent)), x.oneOf(in.Agent, agents))
	}
	return rules.Why(x.r.Context(), q)
}

// policyReply is the rules in force, the strongest tier first.
type policyReply struct {
	Sets []policySet `json:"sets"`
}

// policySet is the rules of one Policy resource or file.
type policySet struct {
	Tier    string        `json:"tier"`
	Name    string        `json:"name"`
	Rules   []policyRule  `json:"rules"`
	Default policy.Effect `json:"default,omitempty"`
}

type policyRule struct {
	Name      string        `json:"name,omitempty"`
	Match     policy.Match  `json:"match,omitzero"`
	When      string        `json:"when,omitempty"`
	Effect    policy.Effect `json:"effect"`
	Message   string        `json:"message,omitempty"`
	Approvers []string      `json:"approvers,omitempty"`
	Limits    *policyLimits `json:"limits,omitempty"`
}

// policyLimits are in the form of the files.
type policyLimits struct {
	Rate       string `json:"rate,omitempty"`
	Concurrent int    `json:"concurrent,omitempty"`
	Timeout    string `json:"timeout,omitempty"`
	Output     int    `json:"output,omitempty"`
}

func (x *exchange) policy() (any, error) {
	rules := x.api.opts.Rules
	if rules == nil {
		return nil, fail(CodeNotFound, lang.APINoRules.With(), lang.APINoRulesHint.With())
	}
	reply := policyReply{Sets: []policySet{}}
	for _, s := range rules.Policy().Sets() {
		set := policySet{Tier: s.Tier.String(), Name: s.Name, Rules: []policyRule{}, Default: s.Default}
		for _, r := range s.Rules {
			set.Rules = append(set.Rules, policyRule{r.Name, r.Match, r.When, r.Effect, r.Message, r.Approvers, viewLimits(r.Limits)})
		}
		reply.Sets = append(reply.Sets, set)
	}
	return reply, nil
}

func viewLimits(l policy.Limits) *policyLimits {
	if l == (policy.Limits{}) {
		return nil
	}
	out := &policyLimits{Concurrent: l.Concurrent, Output: l.Output}
	if l.Rate.Calls > 0 {
		out.Rate = l.Rate.String()
	}
	if l.Timeout > 0 {
		out.Timeout = l.Timeout.String()
	}
	return out
}

// ruleRoutes are about what decides about calls.
func ruleRoutes() []route {
	return []route{
		{
			method: "GET", path: "/policy", access: AccessServer, id: "getPolicy", summary: lang.APIGetPolicy, list: true,
			reply: shapeOf[policyReply]("Policy"), problems: []string{CodeNotFound}, serve: (*exchange).policy,
		},
		{
			method: "POST", path: "/why", access: AccessRead, id: "why", summary: lang.APIWhy,
			body: bodyOf[whyJSON]("Why"), maxBody: callBody, reply: shapeOf[policy.Why]("WhyAnswer"),
			problems: []string{CodeNotFound, CodeRefused}, serve: (*exchange).why,
		},
	}
}
