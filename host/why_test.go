package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/policy"
)

// whyBundle has a reason for each stage to refuse.
const whyBundle = `apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: local}
spec: {discover: [cat, LIST], call: [cat]}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: down}
spec: {discover: [sh, -c, "exit 3"], call: [cat]}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: narrow}
spec: {discover: [echo, '[{"name":"in"},{"name":"out"}]'], call: [cat], offer: [narrow__in]}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: far}
spec: {command: /nonexistent/server, exclude: [drop_*]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: text}
spec: {entry: "builtin:text-transform", exports: [{name: case}, {name: trim}]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: fs}
spec: {entry: "builtin:file-system", exports: [{name: write}]}
---
apiVersion: gongu/v1
kind: Extension
metadata: {name: filter}
spec: {entry: "builtin:test-filter"}
---
apiVersion: gongu/v1
kind: Model
metadata: {name: m}
spec: {provider: anthropic, model: m}
---
apiVersion: gongu/v1
kind: Agent
metadata: {name: helper}
spec: {modelConfig: {modelRef: Model/m}, tools: [Tool/text, ToolCommand/local], extensions: [Extension/filter]}
---
apiVersion: gongu/v1
kind: Policy
metadata: {name: p}
spec:
  rules:
  - {name: no-fs, match: {tools: [fs__write], principals: [ci]}, effect: deny, message: "Write nothing here."}
  - {name: upper, match: {tools: [text__case], principals: [ci]}, when: 'args.to == "upper"', effect: ask}
`

func whyHost(t *testing.T, offer []string) (h *host.Host, dir, state string) {
	t.Helper()
	lists := t.TempDir()
	dir = folder(t, strings.ReplaceAll(whyBundle, "LIST", filepath.Join(lists, "list.json")))
	write(t, lists, "list.json", `[{"name":"one"},{"name":"two"}]`)
	filter := agent.ExtensionFunc(func(_ context.Context, api *agent.API, _ json.RawMessage) error {
		api.UseStep(0, func(ctx context.Context, s *agent.Step, next agent.Next[agent.StepResult]) (agent.StepResult, error) {
			if s.Turn.AgentName == "helper" {
				s.Catalog = s.Catalog.Restrict("text__case", "local__one", "local__two")
			}
			return next(ctx)
		})
		return nil
	})
	o := consenting(t)
	o.Extensions = map[string]agent.Extension{"test-filter": filter}
	grant(t, dir, o)
	a, err := access.New(access.Options{Offer: access.OfferRules(offer), Bundle: func() *access.Offers {
		if h == nil {
			return nil
		}
		return h.Offers()
	}})
	if err != nil {
		t.Fatal(err)
	}
	o.Access = a
	h = open(t, dir, o)
	return h, dir, o.StateRoot
}

// listOf is the file that ToolCommand/local lists.
func listOf(t *testing.T, h *host.Host) string {
	t.Helper()
	for _, c := range h.Bundle().ToolCommands() {
		if c.Name == "local" {
			return c.Spec.Discover[1]
		}
	}
	t.Fatal("no ToolCommand/local")
	return ""
}

func askWhy(t *testing.T, h *host.Host, r host.WhyRequest) policy.Why {
	t.Helper()
	why, err := h.Why(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return why
}

// P5: each stage refuses in turn, with the command that changes it, and a call of
// the same principal is refused, too.
func TestP5_EachStageRefuses(t *testing.T) {
	token := func(allow ...string) *gongu.Principal {
		p := &gongu.Principal{Name: "ci", Kind: "token", Allow: []gongu.Rule{}}
		for _, name := range allow {
			p.Allow = append(p.Allow, gongu.Rule{Name: name})
		}
		return p
	}
	for i, c := range []struct {
		name, agent string
		p           *gongu.Principal
		offer       []string
		prepare     func(t *testing.T, h *host.Host, dir string)
		args        string
		stage       policy.Stage
		text, next  string
	}{
		{name: "text__cas", stage: policy.StageExists, text: "Did you mean: text__case", next: "gongu why text__case -b DIR"},
		{name: "zzz", stage: policy.StageExists, text: `There is no tool "zzz".`, next: "gongu tools -b DIR"},
		{name: "down__x", stage: policy.StageSource, text: "ToolCommand/down does not answer", next: "gongu sources --load -b DIR"},
		{name: "local__one", stage: policy.StagePin, text: "local__one is held back: its definition changed", next: "gongu pins accept ToolCommand/local/one -b DIR", prepare: changeList},
		{name: "new__case", stage: policy.StageConsent, text: "part of a change (gongu.yaml:54)", next: "gongu trust -b DIR", prepare: addTool},
		{name: "far__drop_all", stage: policy.StageEnabled, text: "include or exclude of McpServer/far (gongu.yaml:16)", next: "gongu trust -b DIR"},
		{name: "run_code", stage: policy.StageEnabled, text: "--code switches it on", next: "gongu call --code run_code -b DIR"},
		{name: "fs__write", agent: "helper", stage: policy.StageCatalog, text: "spec.tools of Agent/helper does not have Tool/fs. Add it in gongu.yaml:41", next: "gongu trust -b DIR"},
		{name: "text__trim", agent: "helper", stage: policy.StageCatalog, text: "Step middleware of Agent/helper removes it", next: "gongu trust -b DIR"},
		{name: "narrow__out", p: token("*"), stage: policy.StageOffer, text: "offer of ToolCommand/narrow (gongu.yaml:11) leaves it out", next: "gongu trust -b DIR"},
		{name: "text__case", p: token("*"), offer: []string{"read-only", "fs__*"}, prepare: believeNothing, args: `{"text":"a","to":"lower"}`, stage: ""},
		{name: "narrow__in", p: token("*"), offer: []string{"read-only", "fs__*"}, stage: policy.StageOffer, text: "its --offer leaves it out", next: "gongu serve --offer read-only --offer 'fs__*' --offer narrow__in -b DIR"},
		{name: "text__case", p: &gongu.Principal{Name: "claude", Kind: "stdio", Offer: access.OfferRules([]string{"fs__*"})}, stage: policy.StageOffer, text: "does not offer it to claude", next: "gongu connect claude --offer 'fs__*' --offer text__case -b DIR"},
		{name: "text__case", p: token("fs__*"), stage: policy.StageToken, text: "token ci is not granted it", next: "gongu token new --name ci-2 --tools 'fs__*' --tools text__case -b DIR"},
		{name: "text__case", p: &gongu.Principal{Name: "ci", Kind: "token", Agents: []string{"other"}}, agent: "helper", stage: policy.StageToken, text: "may not use Agent/helper", next: "gongu token new --name ci-2 --agent other --agent helper -b DIR"},
		{name: "text__case", p: &gongu.Principal{Name: "ci", Kind: "oidc", Allow: []gongu.Rule{}}, stage: policy.StageToken, text: "oidc ci is not granted it", next: ""},
		{name: "text__case", p: token("*"), args: `{"to":1}`, stage: policy.StageArguments, text: "Invalid arguments"},
		{name: "fs__write", p: token("*"), args: `{"path":"x","content":"y"}`, stage: policy.StagePolicy, text: "Rule bundle/p/no-fs denies it. Write nothing here. Change the rule in the bundle", next: "gongu trust -b DIR"},
		{name: "local__one", p: &gongu.Principal{Name: "ro", Kind: "token", Allow: []gongu.Rule{{ReadOnly: new(false)}}}, stage: policy.StagePolicy, text: "Rule built-in/not granted by name denies it", next: "gongu token new --name ro-2 --tools local__one -b DIR"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			h, dir, state := whyHost(t, c.offer)
			h.Sources().Load(t.Context())
			if c.prepare != nil {
				c.prepare(t, h, dir)
			}
			r := host.WhyRequest{Name: c.name, Agent: c.agent, Principal: c.p}
			if c.args != "" {
				r.Args = json.RawMessage(c.args)
			}
			why := askWhy(t, h, r)
			step, refused := why.Refused()
			if step.Stage != c.stage || refused != (c.stage != "") || !strings.Contains(step.Text, c.text) {
				t.Fatalf("%+v", why)
			}
			want := c.next
			if want != "" {
				want = strings.ReplaceAll(want, "-b DIR", "-b "+dir+" --state-root "+state)
			}
			if step.Command != want {
				t.Errorf("the command is %s\nwant %s", step.Command, want)
			}
			if refused && why.Effect != policy.Deny {
				t.Errorf("the effect is %s", why.Effect)
			}
			checkCall(t, h, r, why, state)
		})
	}
}

// checkCall makes the call: what why says happens, with the same words.
func checkCall(t *testing.T, h *host.Host, r host.WhyRequest, why policy.Why, state string) {
	t.Helper()
	args := r.Args
	if args == nil {
		args = json.RawMessage(`{"text":"a","to":"lower","path":"x","content":"y"}`)
	}
	result, err := h.Call(gongu.WithPrincipal(t.Context(), r.Principal), r.Agent, gongu.Call{Name: r.Name, Args: args})
	step, refused := why.Refused()
	switch {
	case err != nil && step.Stage == policy.StageToken: // another agent
	case err != nil:
		t.Errorf("the call: %v", err)
	case refused != result.Failed():
		t.Errorf("why says %+v, the call %+v", why, result)
	case step.Stage == policy.StageExists, step.Stage == policy.StageArguments, !refused:
	case !strings.Contains(result.Error.Message, step.Text) && step.Stage != policy.StagePin:
		t.Errorf("the refusal %q lacks %q", result.Error.Message, step.Text)
	}
	// A caller with limits is not told where the bundle lies.
	if r.Principal != nil && r.Principal.Allow != nil && result.Error != nil && strings.Contains(result.Error.Suggestion, state) {
		t.Errorf("the refusal tells %q", result.Error.Suggestion)
	}
}

func changeList(t *testing.T, h *host.Host, _ string) {
	t.Helper()
	putFile(t, listOf(t, h), `[{"name":"one","description":"Other."},{"name":"two"}]`)
	if err := h.Sources().Refresh(t.Context(), "local"); err != nil {
		t.Fatal(err)
	}
}

func addTool(t *testing.T, h *host.Host, dir string) {
	t.Helper()
	before, err := os.ReadFile(filepath.Join(dir, "gongu.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "gongu.yaml", string(before)+"---\napiVersion: gongu/v1\nkind: Tool\nmetadata: {name: new}\nspec: {entry: \"builtin:text-transform\", exports: [{name: case}]}\n")
	if r := h.Reload(t.Context()); r.Err != nil {
		t.Fatal(r.Err)
	}
}

func believeNothing(*testing.T, *host.Host, string) {}

// P5: all stages in their order, the rules that were tried, and a rule that asks.
func TestP5_WalksEveryStage(t *testing.T) {
	h, _, _ := whyHost(t, nil)
	p := &gongu.Principal{Name: "ci", Kind: "token"}
	shown := func(_ *gongu.Catalog, name string) string { return "as " + name }
	why := askWhy(t, h, host.WhyRequest{Name: "text__case", Args: json.RawMessage(`{"text":"a","to":"lower"}`), Principal: p, Shown: shown})
	var stages []policy.Stage
	for _, s := range why.Steps {
		stages = append(stages, s.Stage)
	}
	want := []policy.Stage{
		policy.StageExists, policy.StageSource, policy.StageConsent, policy.StagePin, policy.StageEnabled, policy.StageCatalog,
		policy.StageOffer, policy.StageToken, policy.StagePolicy, policy.StageShown,
	}
	if !slices.Equal(stages, want) || why.Effect != policy.Allow || why.Rule != "built-in/read-only tools" {
		t.Fatalf("%+v", why)
	}
	tried := why.Steps[8].Rules
	if len(tried) != 2 || tried[0].Rule != "bundle/p/upper" || tried[0].Matched || tried[0].When == "" || !tried[1].Matched {
		t.Errorf("%+v", tried)
	}
	if why.Steps[9].Text != "as text__case" {
		t.Errorf("%+v", why.Steps[9])
	}
	why = askWhy(t, h, host.WhyRequest{Name: "text__case", Args: json.RawMessage(`{"text":"a","to":"upper"}`), Principal: p})
	if why.Effect != policy.Ask || why.Rule != "bundle/p/upper" {
		t.Errorf("%+v", why)
	}
	// Without arguments the answer says that they matter.
	why = askWhy(t, h, host.WhyRequest{Name: "text__case", Principal: p})
	if step, _ := why.Refused(); why.Effect != policy.Ask || !strings.Contains(step.Text, "give the arguments as JSON") {
		t.Errorf("%+v", why)
	}
	// Korean, as an asker may prefer.
	why = askWhy(t, h, host.WhyRequest{Name: "zzz", Lang: "ko"})
	if step, _ := why.Refused(); !strings.Contains(step.Text, "도구가 없습니다") {
		t.Errorf("%+v", why)
	}
}

// P5, K3: a bundle without consent is explained and nothing of it starts; nothing
// is written.
func TestP5_WithoutConsentNothingStarts(t *testing.T) {
	dir := folder(t, "apiVersion: gongu/v1\nkind: ToolCommand\nmetadata: {name: local}\nspec: {discover: [sh, -c, 'touch started; echo []'], call: [cat], cwd: project}\n")
	o := consenting(t)
	o.Consent.Wait, o.ReadOnly = true, true
	h := open(t, dir, o)
	why := askWhy(t, h, host.WhyRequest{Name: "local__x"})
	if step, _ := why.Refused(); step.Stage != policy.StageConsent || step.Command == "" {
		t.Errorf("%+v", why)
	}
	for _, folder := range []string{dir, o.StateRoot} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "gongu.yaml" {
				t.Errorf("%s was made", filepath.Join(folder, e.Name()))
			}
		}
	}
}

// P5: a host that is opened to be read lists a source as a call does, and pins
// and caches nothing.
func TestP5_ReadOnlyWritesNothing(t *testing.T) {
	dir := folder(t, "apiVersion: gongu/v1\nkind: ToolCommand\nmetadata: {name: local}\nspec: {discover: [echo, '[{\"name\":\"x\"}]'], call: [cat]}\n")
	o := consenting(t)
	grant(t, dir, o)
	o.ReadOnly = true
	h := open(t, dir, o)
	if why := askWhy(t, h, host.WhyRequest{Name: "local__x"}); why.Effect != policy.Allow {
		t.Errorf("%+v", why)
	}
	if _, err := os.Stat(filepath.Join(dir, "gongu.lock")); err == nil {
		t.Error("a pin was written")
	}
	if _, err := os.Stat(filepath.Join(o.StateRoot, "cache")); err == nil {
		t.Error("a list was cached")
	}
	if _, err := h.Sources().AcceptPins(t.Context(), "x"); err == nil {
		t.Error("a pin was accepted")
	}
}

// P5, K10: who sees a part of the server learns nothing about the rest.
func TestP5_LimitedAskersLearnLittle(t *testing.T) {
	h, dir, _ := whyHost(t, nil)
	h.Sources().Load(t.Context())
	limited := &gongu.Principal{Name: "ci", Kind: "token", Agents: []string{"helper"}, Allow: []gongu.Rule{{Name: "text__*"}}}
	for _, c := range []struct {
		name  string
		agent string
		want  policy.Stage
	}{
		{"fs__write", "helper", policy.StageExists}, {"down__x", "helper", policy.StageExists}, {"zzz", "helper", policy.StageExists},
		{"text__trim", "helper", policy.StageExists}, {"local__one", "helper", policy.StageToken}, {"fs__write", "", policy.StageToken},
	} {
		why := askWhy(t, h, host.WhyRequest{Name: c.name, Agent: c.agent, Principal: limited, Asker: limited})
		step, _ := why.Refused()
		raw, err := json.Marshal(why)
		if err != nil {
			t.Fatal(err)
		}
		if step.Stage != c.want || strings.Contains(string(raw), dir) || strings.Contains(string(raw), "gongu.yaml") {
			t.Errorf("%s: %s", c.name, raw)
		}
	}
}
