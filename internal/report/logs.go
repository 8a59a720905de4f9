package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/state"
)

// LogHead is the line with the names of the columns.
func (x *Texts) LogHead() string {
	return logLine(lang.CLILogTime.In(x.Lang), lang.CLIColumnStatus.In(x.Lang), lang.CLILogTook.In(x.Lang), lang.CLILogWho.In(x.Lang), lang.CLILogWhat.In(x.Lang))
}

// LogRow is one row as a line.
func LogRow(e *httpapi.EventView) string {
	when, status, took, who, what := e.Time, e.Status, "", e.By, e.Action+" "+e.Subject
	if c := e.Call; c != nil {
		when, who, what = c.Started, c.Principal, c.Tool+"  "+c.ID
		if c.Code != "" {
			what += "  " + c.Code
		}
		if e.Phase != state.PhaseBegin {
			took = fmt.Sprintf("%.1f ms", c.Milliseconds)
		}
	}
	return logLine(when.Local().Format(time.DateTime), terminal.Visible(status), took, terminal.Visible(who), terminal.Visible(what))
}

// logLine aligns the columns of one line by widths that suit most rows: lines that
// follow later must fit those before.
func logLine(when, status, took, who, what string) string {
	pad := func(text string, width int) string {
		return text + strings.Repeat(" ", max(0, width-terminal.Columns(text)))
	}
	return strings.TrimRight(pad(when, 19)+terminal.Gap+pad(status, 7)+terminal.Gap+strings.Repeat(" ", max(0, 10-terminal.Columns(took)))+took+terminal.Gap+pad(who, 12)+terminal.Gap+what, " ") + "\n"
}

// Call shows a call and those below it.
func (x *Texts) Call(c *httpapi.CallTree) string {
	var b strings.Builder
	x.writeCall(&b, c, "")
	return b.String()
}

// writeCall writes a call and those below it, each further to the right.
func (x *Texts) writeCall(b *strings.Builder, c *httpapi.CallTree, indent string) {
	rows := [][]string{
		{lang.CLILogCall.In(x.Lang), terminal.Visible(c.ID)},
		{lang.CLIColumnPinnedAs.In(x.Lang), terminal.Visible(c.Tool)},
		{lang.CLIColumnStatus.In(x.Lang), terminal.Visible(strings.TrimSpace(c.Status + " " + c.Code))},
		{lang.CLILogTime.In(x.Lang), c.Started.Local().Format(time.DateTime) + fmt.Sprintf(" (%.1f ms)", c.Milliseconds)},
	}
	for _, optional := range []struct {
		name  lang.Text
		value string
	}{
		{lang.CLILogWho, c.Principal}, {lang.CLIColumnAgent, c.Agent}, {lang.CLILogTrace, c.Trace}, {lang.CLILogRule, c.Rule},
		{lang.CLILogArguments, string(c.Arguments)}, {lang.CLILogResult, string(c.Result)},
	} {
		if optional.value != "" {
			rows = append(rows, []string{optional.name.In(x.Lang), terminal.Visible(optional.value)})
		}
	}
	for line := range strings.Lines(terminal.TrimRows(terminal.Table(rows))) {
		b.WriteString(indent + line)
	}
	for i := range c.Calls {
		b.WriteString("\n")
		x.writeCall(b, &c.Calls[i], indent+"    ")
	}
}
