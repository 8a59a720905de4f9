package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// remember asks for which later calls the yes counts. Back is what to show before
// the next question if the person has not decided.
func (q *question) remember(ctx context.Context) (what policy.Remember, back string, err error) {
	if q.a.Calls[0].Dynamic {
		return "", q.say(lang.AskNoRemember, q.say(lang.AskRuleDynamic)) + "\n", nil
	}
	text, keys := q.say(lang.AskRememberWhat), []string{"o", "i"}
	if q.o.Rule != nil {
		text, keys = text+q.say(lang.AskRememberRule), append(keys, "p")
	}
	line, err := q.prompt(ctx, text+q.say(lang.AskRememberKeys, strings.Join(keys, "/")))
	if err != nil {
		return "", "", err
	}
	line = strings.ToLower(line)
	switch {
	case !slices.Contains(keys, line):
		return "", "\n", nil
	case line == "o":
		return policy.RememberNothing, "", nil
	case line == "i":
		return policy.RememberInstance, "", nil
	}
	return q.rule(ctx)
}

// rule shows the rule that would be added and asks about it.
func (q *question) rule(ctx context.Context) (what policy.Remember, back string, err error) {
	rule, err := policy.RuleFor(q.a)
	if err != nil {
		return "", q.say(lang.AskNoRule, q.say(whyNoRule(err))) + "\n", nil
	}
	text, file, err := q.o.Rule(rule)
	if err != nil {
		return "", q.say(lang.AskNoRule, terminal.Visible(err.Error())) + "\n", nil
	}
	shown := q.say(lang.AskRuleShown, terminal.Visible(file)) + "\n"
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		shown += "  " + terminal.Visible(line) + "\n"
	}
	if q.relative() {
		shown += q.say(lang.AskRuleRelative) + "\n"
	}
	line, err := q.prompt(ctx, shown+q.say(lang.AskRuleConfirm))
	if err != nil {
		return "", "", err
	}
	if !terminal.IsYes(line) {
		return "", "\n", nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rules[q.a.ID] = rule
	return policy.RememberRule, "", nil
}

// Remember keeps the yes to an approval for later calls: in the store, or as the
// rule that was shown.
func (k *Asker) Remember(ctx context.Context, store policy.ApprovalStore, a *state.Approval, what policy.Remember) error {
	switch what {
	case policy.RememberInstance:
		return store.RememberApproval(ctx, a.ID)
	case policy.RememberRule:
		k.mu.Lock()
		rule, shown := k.rules[a.ID]
		delete(k.rules, a.ID)
		k.mu.Unlock()
		if !shown || k.o.AddRule == nil {
			return fmt.Errorf("no rule was shown for %s", a.ID)
		}
		return k.o.AddRule(ctx, rule)
	}
	return nil
}

// relative reports whether the call changes a file that its arguments name by a
// relative path.
func (q *question) relative() bool {
	c := &q.a.Calls[0]
	var args struct {
		Path string `json:"path"`
	}
	return PreviewOf(c).Kind == policy.KindEdit && json.Unmarshal(c.Args, &args) == nil && args.Path != "" && !filepath.IsAbs(args.Path)
}

func whyNoRule(err error) lang.Text {
	switch {
	case errors.Is(err, policy.ErrDynamic):
		return lang.AskRuleDynamic
	case errors.Is(err, policy.ErrSeveral):
		return lang.AskRuleSeveral
	case errors.Is(err, policy.ErrAdminRule):
		return lang.AskRuleAdmin
	case errors.Is(err, policy.ErrRuleTooBig):
		return lang.AskRuleLong
	}
	return lang.AskRuleNone
}
