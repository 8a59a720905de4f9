package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/state"
)

// AuditRows lists rows.
func (x *Texts) AuditRows(rows []*state.AuditRow) string {
	shown := [][]string{{
		lang.CLIColumnNumber.In(x.Lang), lang.CLIColumnTime.In(x.Lang), lang.CLIColumnStatus.In(x.Lang), lang.CLIColumnWho.In(x.Lang),
		lang.CLIColumnAgent.In(x.Lang), lang.CLIColumnDuration.In(x.Lang), lang.CLIColumnWhat.In(x.Lang), lang.CLIColumnCall.In(x.Lang),
	}}
	for _, r := range rows {
		took := "-"
		if r.Duration > 0 {
			took = (time.Duration(r.Duration) * time.Microsecond).Round(time.Microsecond * 100).String()
		}
		shown = append(shown, []string{
			strconv.FormatInt(r.Seq, 10), When(time.UnixMicro(r.Time)), terminal.OneLine(terminal.Visible(cmp.Or(r.Code, r.Status))), auditWho(r),
			cmp.Or(terminal.OneLine(terminal.Visible(r.Agent)), "-"), took, auditWhat(r), cmp.Or(terminal.OneLine(terminal.Visible(r.CallID)), "-"),
		})
	}
	return terminal.TrimRows(terminal.Table(shown, 0))
}

func auditWho(r *state.AuditRow) string {
	if r.Principal == "" {
		return cmp.Or(r.PrincipalKind, "-")
	}
	return terminal.OneLine(terminal.Visible(r.Principal))
}

func auditWhat(r *state.AuditRow) string {
	if r.Kind == state.AuditCall {
		return terminal.OneLine(terminal.Visible(r.Tool))
	}
	return terminal.OneLine(terminal.Visible(strings.TrimSpace(r.Action + " " + r.Subject)))
}

// Audit shows rows whole. What comes from tools is indented and escaped.
func (x *Texts) Audit(rows []*state.AuditRow) string {
	var b strings.Builder
	for i, r := range rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		v := audit.ViewOf(r, true)
		var lines [][]string
		add := func(name, value string) {
			if value != "" {
				lines = append(lines, []string{name, terminal.OneLine(terminal.Visible(value))})
			}
		}
		add("seq", strconv.FormatInt(v.Seq, 10))
		add("time", v.Time.Format(time.RFC3339Nano))
		for _, field := range [...][2]string{
			{"kind", v.Kind}, {"phase", v.Phase}, {"status", v.Status}, {"code", v.Code}, {"tool", v.Tool}, {"source", v.Source}, {"action", v.Action}, {"subject", v.Subject},
			{"principal", strings.TrimSpace(v.Principal + " " + v.PrincipalKind)}, {"agent", v.Agent}, {"instance", v.Instance}, {"callId", v.CallID}, {"parentId", v.ParentID},
			{"traceId", v.Trace}, {"rule", v.Rule}, {"approval", v.Approval}, {"argsDigest", v.ArgsDigest}, {"resultDigest", v.ResultDigest}, {"salt", v.Salt},
		} {
			add(field[0], field[1])
		}
		b.WriteString(terminal.Table(lines))
		section := func(heading lang.Text, size int64, text string) {
			if size == 0 && text == "" {
				return
			}
			if r.Payload == nil {
				text = "(" + lang.CLIAuditErased.In(x.Lang) + ")"
			}
			fmt.Fprintf(&b, "\n%s\n%s", heading.In(x.Lang), Indented(text))
		}
		section(lang.CLIAuditArgs, r.ArgsSize, v.Args)
		section(lang.CLIAuditResult, r.ResultSize, v.Result)
	}
	return b.String()
}

// Verified says what a check of the audit has found.
func (x *Texts) Verified(r *state.AuditReport) string {
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(x.Lang, args...)) }
	line(lang.CLIAuditChecked, r.Rows, r.Seals, r.Unsealed)
	if r.Removed > 0 {
		line(lang.CLIAuditRemoved, r.Removed)
	}
	if r.Erased > 0 {
		line(lang.CLIAuditErasedN, r.Erased)
	}
	texts := map[string]lang.Text{
		state.ProblemHead: lang.CLIAuditProblemHead, state.ProblemSeal: lang.CLIAuditProblemSeal, state.ProblemRows: lang.CLIAuditProblemRows,
		state.ProblemPayload: lang.CLIAuditProblemPayload, state.ProblemErased: lang.CLIAuditProblemErased, state.ProblemRemoved: lang.CLIAuditProblemRemoved,
		state.ProblemLeft: lang.CLIAuditProblemLeft, state.ProblemGap: lang.CLIAuditProblemGap,
	}
	for _, p := range r.Problems {
		switch p.Kind {
		case state.ProblemHead:
			line(texts[p.Kind])
		case state.ProblemPayload, state.ProblemErased, state.ProblemGap:
			line(texts[p.Kind], p.Row)
		default:
			line(texts[p.Kind], p.Seal)
		}
	}
	switch {
	case r.Head == "":
		line(lang.CLIAuditUnheaded, x.Again("audit", "head"))
	case r.Found == 0:
		line(lang.CLIAuditProven, r.Proven, r.HeadSeal)
		if r.Rows > r.Proven {
			line(lang.CLIAuditUnproven)
		}
	}
	return b.String()
}
