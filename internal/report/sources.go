package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/source"
)

// Sources lists sources and what is wrong with them.
func (x *Texts) Sources(all []source.Status, offered host.Offered) string {
	rows := [][]string{{lang.CLIColumnName.In(x.Lang), lang.CLIColumnKind.In(x.Lang), lang.CLIColumnState.In(x.Lang), lang.CLIColumnTools.In(x.Lang), lang.CLIColumnOffered.In(x.Lang),
		lang.CLIColumnHeld.In(x.Lang), lang.CLIColumnListed.In(x.Lang), lang.CLIColumnLatency.In(x.Lang), lang.CLIColumnReason.In(x.Lang)}}
	var problems strings.Builder
	for _, s := range all {
		latency := "-"
		if s.Latency > 0 {
			latency = s.Latency.Round(time.Millisecond).String()
		}
		rows = append(rows, []string{s.Name, s.Kind, string(s.State), fmt.Sprint(s.Tools), fmt.Sprint(offered.Sources[s.Identity]), fmt.Sprint(s.Held),
			terminal.Age(x.Lang, s.Listed), latency, terminal.OneLine(terminal.Visible(s.Reason))})
		for _, problem := range s.Problems {
			fmt.Fprintf(&problems, "  %s: %s\n", s.Name, terminal.OneLine(terminal.Visible(problem)))
		}
	}
	text := terminal.TrimRows(terminal.Table(rows, 3, 4, 5))
	if problems.Len() > 0 {
		text += "\n" + lang.CLISourcesProblems.In(x.Lang) + "\n" + problems.String()
	}
	return text
}

// States lists state roots.
func (x *Texts) States(entries []statedir.Entry) string {
	rows := [][]string{{lang.CLIColumnBundle.In(x.Lang), lang.CLIColumnExists.In(x.Lang), lang.CLIColumnSize.In(x.Lang), lang.CLIColumnLastUsed.In(x.Lang), lang.CLIColumnPath.In(x.Lang)}}
	for _, e := range entries {
		bundle, exists := terminal.Visible(e.Bundle), lang.CLIYes
		switch {
		case bundle == "":
			bundle, exists = "?", lang.CLIUnknown
		case !e.Exists:
			exists = lang.CLINo
		}
		rows = append(rows, []string{bundle, exists.In(x.Lang), fmt.Sprintf("%.1f MB", float64(e.Bytes)/1e6), terminal.Age(x.Lang, e.Used), terminal.Visible(e.Path)})
	}
	return terminal.TrimRows(terminal.Table(rows, 2))
}
