package policy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// asked is the approval of a call by an agent named coder.
func asked(tool, kind string, args any, p policy.Preview) *state.Approval {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	p.Kind = kind
	preview, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return &state.Approval{
		ID: "a1", Principal: "coder", PrincipalKind: "agent", Agent: "coder",
		Calls: []state.ApprovalCall{{Tool: tool, Source: gongu.Source{Type: "builtin", Name: tool}.Identity(), Args: raw, Preview: preview, Dynamic: p.Dynamic}},
	}
}

// effectOf decides about a call by a policy that has only this rule, and asks about the rest.
func effectOf(t *testing.T, rule policy.Rule, tool, args string, change func(*policy.Request)) policy.Effect {
	t.Helper()
	p := compile(t, policy.Set{Tier: policy.User, Name: "user", Rules: []policy.Rule{rule}, Default: policy.Ask})
	r := &policy.Request{
		Tool: &gongu.Tool{Name: tool, Source: gongu.Source{Type: "builtin", Name: tool}}, Agent: "coder",
		Principal: &gongu.Principal{Name: "coder", Kind: "agent"},
		Call:      gongu.Call{ID: "c", Name: tool, Args: json.RawMessage(args)}, Now: time.Unix(1e9, 0),
	}
	if command, ok := decode(args)["command"].(string); ok {
		r.HasShell, r.Shell = true, command
	}
	if change != nil {
		change(r)
	}
	return p.Decide(t.Context(), r).Effect
}

func decode(args string) map[string]any {
	var all map[string]any
	if json.Unmarshal([]byte(args), &all) != nil {
		return nil
	}
	return all
}

// P11: the proposed rule allows the call, those that a person means by "like
// this", and no neighbour.
func TestP11_RuleFor(t *testing.T) {
	command := func(text string) *state.Approval {
		return asked("bash__exec", "command", map[string]any{"command": text}, policy.Preview{Command: text})
	}
	for _, c := range []struct {
		name        string
		a           *state.Approval
		allow, asks []string
	}{
		{"subcommand", command("go test -race ./policy"), []string{
			`{"command":"go test ./state"}`, `{"command":"go test -race ./... ./x"}`, `{"command":"go test","timeoutMs":5}`, `{"command":"'go' te\"st\""}`,
		}, []string{
			`{"command":"go run ./policy"}`, `{"command":"go test -exec ./evil ./policy"}`, `{"command":"go test ./policy; rm -rf x"}`, `{"command":"go test $(rm x)"}`,
			`{"command":"go test ./policy > /etc/passwd"}`, `{"command":"GOFLAGS=-exec=evil go test"}`, `{"command":"go test ./policy","cwd":"/elsewhere"}`,
			`{"command":"go test","env":{"GOFLAGS":"-exec=evil"}}`, `{"command":"sudo go test"}`, `{"command":"./go test"}`, `{"command":"go"}`, `{}`,
		}},
		{"words", command("git push origin main"), []string{`{"command":"git  push origin 'main'"}`}, []string{
			`{"command":"git push origin main --force"}`, `{"command":"git push origin other"}`, `{"command":"git push"}`, `{"command":"git push origin main && git push origin main"}`,
		}},
		{"several commands are one text", command("cd build && rm -rf out"), []string{}, []string{`{"command":"rm -rf out"}`, `{"command":"cd build"}`, `{"command":"rm -rf out && cd build"}`}},
		{"cwd is kept", asked("bash__exec", "command", map[string]any{"command": "git status", "cwd": "sub"}, policy.Preview{Command: "git status"}),
			[]string{`{"command":"git status .","cwd":"sub"}`}, []string{`{"command":"git status"}`, `{"command":"git status","cwd":"other"}`}},
		{"edit", asked("file-system__write", "edit", map[string]any{"path": "notes/a.txt", "content": "x"}, policy.Preview{Files: []gongu.FileChange{{Path: "/w/notes/a.txt"}}}),
			[]string{`{"path":"notes/a.txt","content":"y","append":true}`}, []string{
				`{"path":"notes/b.txt","content":"x"}`, `{"path":"/etc/notes/a.txt","content":"x"}`, `{"path":"notes/../notes/a.txt","content":"x"}`, `{"path":"notes/a.txt","to":"b"}`, `{"content":"x"}`,
			}},
		{"edit through a link keeps everything", asked("file-system__write", "edit", map[string]any{"path": "link", "content": "x"}, policy.Preview{Files: []gongu.FileChange{{Path: "/w/real"}}}),
			[]string{}, []string{`{"path":"link","content":"y"}`}},
		{"request", asked("http-fetch__post", "request", map[string]any{"url": "https://api.example.com/v1/items?x=1", "bodyString": "b"},
			policy.Preview{URL: "https://api.example.com/v1/items?x=1", Host: "api.example.com", Method: "POST"}),
			[]string{`{"url":"https://api.example.com/other","bodyString":"c"}`, `{"url":"https://api.example.com"}`}, []string{
				`{"url":"https://api.example.com.evil.org/v1"}`, `{"url":"https://api.example.com@evil.org/"}`, `{"url":"http://api.example.com/"}`,
				`{"url":"https://api.example.com:8443/"}`, `{"url":"https://api.example.com/","method":"DELETE"}`,
			}},
		{"request with a password keeps everything", asked("http-fetch__get", "request", map[string]any{"url": "https://a:b@h/x"}, policy.Preview{URL: "https://a:b@h/x"}),
			[]string{}, []string{`{"url":"https://a:b@h/y"}`}},
		{"arguments", asked("mail__send", "call", map[string]any{"to": []string{"a", "\x1b[2J한글\"\\"}, "n": 1.5, "ok": true, "none": nil, "deep": map[string]any{"k": -7}}, policy.Preview{}),
			[]string{}, []string{`{"to":["a"],"n":1.5}`, `{}`}},
		{"no arguments", asked("mail__fetch", "call", map[string]any{}, policy.Preview{}), []string{}, []string{`{"all":true}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rule, err := policy.RuleFor(c.a)
			if err != nil {
				t.Fatal(err)
			}
			tool := c.a.Calls[0].Tool
			for _, args := range append(c.allow, string(c.a.Calls[0].Args)) {
				if got := effectOf(t, rule, tool, args, nil); got != policy.Allow {
					t.Errorf("%s: %s, want allow\n%s", args, got, rule.When)
				}
			}
			for _, args := range c.asks {
				if got := effectOf(t, rule, tool, args, nil); got != policy.Ask {
					t.Errorf("%s: %s, want ask\n%s", args, got, rule.When)
				}
			}
			for what, change := range map[string]func(*policy.Request){
				"agent":     func(r *policy.Request) { r.Agent = "other" },
				"principal": func(r *policy.Request) { r.Principal = &gongu.Principal{Name: "other", Kind: "agent"} },
				"kind":      func(r *policy.Request) { r.Principal = &gongu.Principal{Name: "coder", Kind: "stdio"} },
				"no one":    func(r *policy.Request) { r.Principal = nil },
				"tool":      func(r *policy.Request) { r.Tool = &gongu.Tool{Name: "x__y", Source: r.Tool.Source} },
				"source": func(r *policy.Request) {
					r.Tool = &gongu.Tool{Name: tool, Source: gongu.Source{Type: "mcp", Name: tool}}
				},
			} {
				if got := effectOf(t, rule, tool, string(c.a.Calls[0].Args), change); got != policy.Ask {
					t.Errorf("another %s: %s, want ask", what, got)
				}
			}
		})
	}
}

// P11: there is no rule for what a rule cannot describe.
func TestP11_NoRule(t *testing.T) {
	long := strings.Repeat("x", 4096)
	several := asked("a__b", "call", map[string]any{}, policy.Preview{})
	several.Calls = append(several.Calls, several.Calls[0])
	number := asked("a__b", "call", map[string]any{}, policy.Preview{})
	number.Calls[0].Args = []byte(`{"n":-9223372036854775808}`)
	lone := asked("a__b", "call", map[string]any{}, policy.Preview{})
	lone.Calls[0].Args = []byte(`{"s":"\ud800"}`)
	list := asked("a__b", "call", []int{1}, policy.Preview{})
	named := asked("a__b", "call", map[string]any{}, policy.Preview{})
	named.Principal = "\xff"
	for name, c := range map[string]struct {
		a    *state.Approval
		want error
	}{
		"dynamic":   {asked("bash__exec", "command", map[string]any{"command": "$x"}, policy.Preview{Command: "$x", Dynamic: true}), policy.ErrDynamic},
		"text":      {asked("bash__exec", "command", map[string]any{"command": "echo $(date)"}, policy.Preview{Command: "echo $(date)"}), policy.ErrDynamic},
		"changed":   {asked("bash__exec", "command", map[string]any{"command": "$x"}, policy.Preview{Command: "ls"}), policy.ErrNoRule},
		"several":   {several, policy.ErrSeveral},
		"long":      {asked("a__b", "call", map[string]any{"x": long}, policy.Preview{}), policy.ErrRuleTooBig},
		"number":    {number, policy.ErrNoRule},
		"surrogate": {lone, policy.ErrNoRule},
		"list":      {list, policy.ErrNoRule},
		"name":      {named, policy.ErrNoRule},
	} {
		if rule, err := policy.RuleFor(c.a); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %+v; want %v", name, err, rule, c.want)
		}
	}
}

// P11: random arguments: the rule allows exactly them.
func TestP11_RuleForRandomArguments(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 17))
	for range 300 {
		args := map[string]any{}
		for range random.IntN(4) {
			args[randomText(random)] = randomValue(random, 2)
		}
		a := asked("mail__send", "call", args, policy.Preview{})
		rule, err := policy.RuleFor(a)
		if err != nil {
			t.Fatalf("%s: %v", a.Calls[0].Args, err)
		}
		if got := effectOf(t, rule, "mail__send", string(a.Calls[0].Args), nil); got != policy.Allow {
			t.Fatalf("%s: %s\n%s", a.Calls[0].Args, got, rule.When)
		}
		key := randomText(random)
		was, had := args[key]
		args[key] = fmt.Sprint(was, "changed", had)
		neighbour, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		if got := effectOf(t, rule, "mail__send", string(neighbour), nil); got != policy.Ask {
			t.Fatalf("%s: %s\n%s", neighbour, got, rule.When)
		}
	}
}

func randomText(r *rand.Rand) string {
	pieces := []string{"a", "key", `"`, `\`, "\n", "\x00", "\x1b", "\x7f", "한", "🎉", "\u202e", "'", "${x}", "{{", "\u00a0", "\U000e0041", "//", "`"}
	var b strings.Builder
	for range r.IntN(4) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return r.IntN(2) == 0
	case n == 2:
		return r.Int64()
	case n == 3:
		return -r.Float64() * 1e20
	case n == 4:
		return uint64(1<<63) + r.Uint64N(1000)
	case n == 5 && depth > 0:
		return []any{randomValue(r, depth-1), randomValue(r, depth-1)}
	case n == 6 && depth > 0:
		return map[string]any{randomText(r): randomValue(r, depth-1)}
	}
	return randomText(r)
}
