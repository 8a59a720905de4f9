package httpapi_test

import (
	"context"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/policy"
)

// fakeRules answers with what it was asked.
type fakeRules struct{ asked httpapi.WhyQuery }

func (f *fakeRules) Why(_ context.Context, q httpapi.WhyQuery) (policy.Why, error) {
	f.asked = q
	return policy.Why{Tool: q.Name, Principal: q.Principal.Name, Effect: policy.Deny, Rule: "offer", Steps: []policy.WhyStep{
		{Stage: policy.StageOffer, Text: "not offered", Command: "gongu serve --offer x"},
	}}, nil
}

func (f *fakeRules) Caller(name string) (*gongu.Principal, []string, error) {
	if name == "laptop" {
		return &gongu.Principal{Name: "laptop", Kind: "token"}, nil, nil
	}
	return nil, []string{"laptop"}, httpapi.ErrNoCaller
}

func (f *fakeRules) Policy() *policy.Policy {
	p, err := policy.New(
		policy.Set{Tier: policy.Bundle, Name: "b", Default: policy.Ask},
		policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{{
			Name: "slow", Match: policy.Match{Tools: []string{"x"}}, When: "true", Effect: policy.Allow, Message: "m",
			Limits: policy.Limits{Rate: policy.Rate{Calls: 2, In: time.Minute}, Timeout: time.Second},
		}}})
	if err != nil {
		panic(err)
	}
	return p
}

func withRules(f *fakeRules) func(*testOptions) { return func(o *testOptions) { o.Rules = f } }

// P5: every principal may ask about itself, and only managers about others.
func TestP5_WhyOverHTTP(t *testing.T) {
	f := &fakeRules{}
	s := start(t, newBackend(t, nil), withRules(f))
	var why policy.Why
	s.do("POST", "/why", `{"name":"write_file","arguments":{"path":"x"},"as":"laptop"}`, 200, &why)
	if f.asked.Principal.Name != "laptop" || f.asked.By.Name != "kim" || string(f.asked.Arguments) != `{"path":"x"}` || why.Steps[0].Command == "" {
		t.Errorf("%+v, %+v", f.asked, why)
	}
	s.refuses("POST", "/why", `{"name":"write_file","as":"nobody"}`, 404, httpapi.CodeNotFound)
	s.refuses("POST", "/why", `{"name":"write_file","agent":"none"}`, 404, httpapi.CodeNotFound)
	s.refuses("POST", "/why", `{}`, 400, httpapi.CodeInvalid)
	for _, who := range []*gongu.Principal{
		{Name: "ci", Kind: "token"}, {Name: "limited", Kind: "token", Allow: []gongu.Rule{}}, {Name: "decides", Kind: "token", Manage: "approvals"},
	} {
		s.who = who
		s.do("POST", "/why", `{"name":"write_file"}`, 200, &why)
		if f.asked.Principal != who || f.asked.By != who {
			t.Errorf("%s asked about %+v", who.Name, f.asked.Principal)
		}
		s.refuses("POST", "/why", `{"name":"write_file","as":"laptop"}`, 403, httpapi.CodeForbidden)
	}
}

// The rules in force are for principals that see the whole server.
func TestPolicyOverHTTP(t *testing.T) {
	s := start(t, newBackend(t, nil), withRules(&fakeRules{}))
	var got struct {
		Sets []struct {
			Tier, Name, Default string
			Rules               []struct {
				Name, When, Effect, Message string
				Match                       struct{ Tools []string }
				Limits                      struct{ Rate, Timeout string }
			}
		}
	}
	s.do("GET", "/policy", "", 200, &got)
	if len(got.Sets) != 2 || got.Sets[0].Tier != "user" || got.Sets[1].Default != "ask" {
		t.Fatalf("%+v", got)
	}
	if r := got.Sets[0].Rules[0]; r.Name != "slow" || r.Limits.Rate != "2/1m0s" || r.Limits.Timeout != "1s" || r.Match.Tools[0] != "x" || r.When != "true" {
		t.Errorf("%+v", r)
	}
	s.who = &gongu.Principal{Name: "limited", Kind: "token", Allow: []gongu.Rule{}}
	s.refuses("GET", "/policy", "", 403, httpapi.CodeForbidden)
	// A program without rules says so.
	s = start(t, newBackend(t, nil))
	s.refuses("GET", "/policy", "", 404, httpapi.CodeNotFound)
	s.refuses("POST", "/why", `{"name":"read_file"}`, 404, httpapi.CodeNotFound)
}
