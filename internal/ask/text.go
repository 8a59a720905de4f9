package ask

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// TextOptions says how approvals are shown.
type TextOptions struct {
	Lang lang.Lang
	// Whole shows all arguments and everything that the approval is bound to.
	Whole bool
	// All is the command that shows everything.
	All string
	// Paint colours a text; nil leaves it plain.
	Paint func(colour, text string) string
	Now   time.Time
}

// Text returns an approval for a person. Text from elsewhere is escaped.
func Text(a *state.Approval, o TextOptions) string {
	if o.Paint == nil {
		o.Paint = func(_, text string) string { return text }
	}
	w := &writer{TextOptions: o}
	w.title(a)
	w.about(a)
	for i := range a.Calls {
		w.call(a, i)
	}
	return w.b.String()
}

type writer struct {
	TextOptions
	b strings.Builder
}

func (w *writer) say(text lang.Text, args ...any) string { return text.In(w.Lang, args...) }

func (w *writer) title(a *state.Approval) {
	name := func(tool string) string { return w.Paint(terminal.Bold, terminal.Visible(tool)) }
	if a.State != state.ApprovalPending {
		fmt.Fprintln(&w.b, w.say(lang.AskEnded, name(a.Tool)))
		return
	}
	if len(a.Calls) == 1 {
		fmt.Fprintln(&w.b, w.say(lang.AskOne, name(a.Calls[0].Tool)))
		return
	}
	fmt.Fprintln(&w.b, w.say(lang.AskSeveral, name(a.Tool), len(a.Calls)))
}

// about writes who calls, why the person is asked and for how long.
func (w *writer) about(a *state.Approval) {
	var rows [][]string
	add := func(label, value string) {
		if value != "" {
			rows = append(rows, []string{"  " + label, terminal.Visible(value)})
		}
	}
	add(w.say(lang.AskWho), Caller(a, w.Lang))
	add(w.say(lang.AskAgent), a.Agent)
	if len(a.Calls) == 1 {
		add(w.say(lang.AskRule), a.Calls[0].Rule)
		add(w.say(lang.AskMessage), a.Calls[0].Message)
	}
	if a.State == state.ApprovalPending && !w.Whole {
		add(w.say(lang.AskUntil), w.say(lang.AskUntilValue, a.ID, left(a, w.Now)))
	}
	if w.Whole {
		w.bound(a, add)
	}
	w.b.WriteString(terminal.TrimRows(terminal.Table(rows)))
}

// bound writes everything that the approval is bound to, under the names of the
// fields of its JSON.
func (w *writer) bound(a *state.Approval, add func(label, value string)) {
	add("id", a.ID)
	add("state", a.State+": "+Outcome(a, w.Lang))
	add("reason", a.Reason)
	add("waits as", a.Way)
	add("instance", a.Instance)
	add("turn", a.Turn)
	add("call", a.CallID)
	add("used by", a.Owner)
	add("version", fmt.Sprint(a.Version))
	for _, t := range []struct {
		label string
		at    time.Time
	}{{"created", a.Created}, {"expires", a.Expires}, {"decided", a.Decided}} {
		if !t.at.IsZero() {
			add(t.label, t.at.Local().Format(time.RFC3339))
		}
	}
}

func (w *writer) call(a *state.Approval, i int) {
	c := &a.Calls[i]
	if len(a.Calls) > 1 {
		title := lang.AskInner
		if c.Approved {
			title = lang.AskDone
		}
		fmt.Fprintln(&w.b, w.say(title, i+1, w.Paint(terminal.Bold, terminal.Visible(c.Tool))))
	}
	if w.Whole {
		var rows [][]string
		add := func(label, value string) {
			if value != "" {
				rows = append(rows, []string{"  " + label, terminal.Visible(value)})
			}
		}
		add("source", c.Source)
		add("definition", hex.EncodeToString(c.Digest))
		add("rule digest", c.RuleDigest)
		add("approvers", strings.Join(c.Approvers, ", "))
		if len(a.Calls) > 1 {
			add("rule", c.Rule)
			add("message", c.Message)
		}
		for _, f := range c.Files {
			add("file", strings.TrimSpace(f.Path+" "+f.Digest))
		}
		w.b.WriteString(terminal.TrimRows(terminal.Table(rows)))
	}
	p := PreviewOf(c)
	o := policy.TextOptions{Lang: string(w.Lang), Args: c.Args, Whole: w.Whole, All: w.All, Paint: w.Paint}
	w.b.WriteString(p.Text(o))
	if w.Whole && p.Kind == policy.KindEdit {
		all := policy.Preview{Kind: policy.KindCall}
		w.b.WriteString(all.Text(o))
	}
}

// PreviewOf returns the stored preview of a call.
func PreviewOf(c *state.ApprovalCall) policy.Preview {
	p := policy.Preview{Kind: policy.KindCall}
	if len(c.Preview) == 0 || json.Unmarshal(c.Preview, &p) != nil {
		return policy.Preview{Kind: policy.KindCall}
	}
	return p
}

// Caller returns who made the call of an approval.
func Caller(a *state.Approval, l lang.Lang) string {
	switch {
	case a.Principal == "" && a.PrincipalKind == "":
		return lang.AskWhoProgram.In(l)
	case a.Principal == "":
		return a.PrincipalKind
	case a.PrincipalKind == "":
		return a.Principal
	}
	return lang.AskByKind.In(l, a.Principal, a.PrincipalKind)
}

// Outcome says in a few words what became of an approval.
func Outcome(a *state.Approval, l lang.Lang) string {
	by := a.By
	if a.ByKind != "" {
		by = lang.AskByKind.In(l, a.By, a.ByKind)
	}
	switch a.State {
	case state.ApprovalApproved:
		return lang.AskStateApproved.In(l, by)
	case state.ApprovalUsed:
		return lang.AskStateUsed.In(l, by)
	case state.ApprovalRejected:
		return lang.AskStateRejected.In(l, by)
	case state.ApprovalExpired:
		return lang.AskStateExpired.In(l)
	case state.ApprovalCancelled:
		return lang.AskStateGone.In(l)
	}
	return lang.AskStatePending.In(l)
}

func left(a *state.Approval, now time.Time) string {
	if now.IsZero() {
		now = time.Now()
	}
	return max(a.Expires.Sub(now), 0).Round(time.Second).String()
}
