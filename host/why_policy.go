package host

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/shellword"
	"github.com/gongu-ai/gongu/policy"
)

// decide asks the rules.
func (w *walk) decide(ctx context.Context) bool {
	d, refusal := w.decision(ctx)
	if refusal != nil {
		return w.no(policy.StageArguments, "", lang.WhyPlain, refusal.Message)
	}
	step := w.ruling(&d)
	step.Rules = d.Tried()
	w.why.Steps = append(w.why.Steps, step)
	w.why.Effect, w.why.Rule = d.Effect, d.Rule.String()
	return step.OK
}

// decision is what the guard decides about the call. The refusal is about the
// arguments.
func (w *walk) decision(ctx context.Context) (policy.Decision, *gongu.Error) {
	h := w.host
	if w.request.Args == nil {
		return h.Policy().Decide(ctx, &policy.Request{
			Tool: &w.tool, Agent: cmp.Or(w.request.Agent, h.opts.Executor.AgentName, "api"), Principal: w.principal,
			Call: gongu.Call{Name: w.tool.Name}, Mode: h.mode(w.principal), Now: time.Now(),
		}), nil
	}
	var decided policy.Decision
	guard := policy.NewGuard(policy.GuardOptions{
		Policy: h.Policy, Mode: h.mode, Lang: h.opts.Lang,
		Decided: func(d *policy.Decision) { decided = *d },
	})
	executor := gongu.NewExecutor(w.live.registry, &gongu.ExecutorOptions{
		Lang: h.opts.Lang, Logger: slog.New(slog.DiscardHandler), Guards: []gongu.Guard{guard},
		AgentName: h.opts.Executor.AgentName, Redact: h.opts.Secrets.Redact,
	})
	ctx, err := h.contextOf(gongu.WithPrincipal(ctx, w.principal), w.live.at, w.live.workdir)
	if err != nil {
		return decided, &gongu.Error{Message: err.Error()}
	}
	result := executor.WithCatalog(w.catalog).DryRun(ctx, gongu.Call{Name: w.tool.Name, Args: w.request.Args})
	if decided.Effect == "" {
		return decided, result.Error
	}
	return decided, nil
}

// ruling words a decision.
func (w *walk) ruling(d *policy.Decision) policy.WhyStep {
	s := policy.WhyStep{Stage: policy.StagePolicy, OK: d.Effect != policy.Deny}
	text := map[policy.Effect]lang.Text{policy.Allow: lang.WhyRuleAllows, policy.Ask: lang.WhyRuleAsks, policy.Deny: lang.WhyRuleDenies}[d.Effect]
	s.Text = text.In(w.lang, d.Rule)
	if d.Message != "" {
		s.Text += " " + d.Message
	}
	if d.Effect != policy.Allow {
		more := ""
		if more, s.Command = w.ruleRemedy(d); more != "" {
			s.Text += " " + more
		}
	}
	if w.request.Args == nil && slices.ContainsFunc(d.Steps, func(s policy.Step) bool { return s.When != "" }) {
		s.Text += " " + lang.WhyDepends.In(w.lang)
	}
	return s
}

// ruleRemedy says who can change a decision, and the command for it.
func (w *walk) ruleRemedy(d *policy.Decision) (text, command string) {
	switch d.Rule.Tier {
	case policy.Admin:
		return lang.WhyAdminRule.In(w.lang), w.command("policy", "list")
	case policy.User:
		if d.Rule.Name == policy.DefaultName {
			return lang.WhyUserDefault.In(w.lang, d.Rule.Set), w.command("policy", "list")
		}
		return "", shellword.Join("gongu", "policy", "remove", d.Rule.Set+"/"+d.Rule.Name)
	case policy.Bundle:
		return lang.WhyBundleRule.In(w.lang), w.command("trust")
	}
	switch {
	case d.Rule.Name == policy.ModePlanRule:
		return lang.WhyModePlan.In(w.lang), ""
	case d.Effect == policy.Deny:
		return "", w.tokenCommand()
	}
	return "", w.command("approvals", "watch")
}
