package ask

import (
	"cmp"
	"context"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// List returns the approvals that wait and, with all, up to most others after
// them; both the newest first. More means that there are further ones.
func List(ctx context.Context, store policy.ApprovalStore, all bool, most int) (list []*state.Approval, more bool, err error) {
	filter := state.ApprovalFilter{State: state.ApprovalPending, Limit: policy.MaxPending}
	for {
		page, err := store.Approvals(ctx, filter)
		if err != nil {
			return nil, false, err
		}
		list = append(list, page.Approvals...)
		if filter.After = page.Next; filter.After == "" {
			break
		}
	}
	if !all {
		return list, false, nil
	}
	others := 0
	for filter = (state.ApprovalFilter{}); ; {
		page, err := store.Approvals(ctx, filter)
		if err != nil {
			return nil, false, err
		}
		for _, a := range page.Approvals {
			switch {
			case a.State == state.ApprovalPending:
			case others == most:
				return list, true, nil
			default:
				others++
				list = append(list, a)
			}
		}
		if filter.After = page.Next; filter.After == "" {
			return list, false, nil
		}
	}
}

// minWhat is the room that is left for what a call does, however narrow the
// terminal is.
const minWhat = 12

// Table returns approvals as lines of at most width columns; 0 has no limit.
func Table(list []*state.Approval, width int, l lang.Lang) string {
	rows := [][]string{{
		lang.CLIColumnID.In(l), lang.CLIColumnState.In(l), lang.CLIColumnLeft.In(l), lang.CLIColumnTool.In(l),
		lang.CLIColumnWho.In(l), lang.CLIColumnAgent.In(l), lang.CLIColumnWhat.In(l),
	}}
	for _, a := range list {
		remaining := "-"
		if !a.Ended() {
			remaining = left(a, time.Time{})
		}
		line := func(text string) string { return terminal.OneLine(terminal.Visible(text)) }
		rows = append(rows, []string{
			a.ID, a.State, remaining, terminal.Clip(line(a.Tool), 32), terminal.Clip(line(Caller(a, l)), 24), terminal.Clip(cmp.Or(line(a.Agent), "-"), 16), line(Summary(a)),
		})
	}
	if width > 0 {
		fit(rows, width)
	}
	return terminal.TrimRows(terminal.Table(rows))
}

// fit cuts cells until the lines fit: first what a call does, then who calls.
func fit(rows [][]string, width int) {
	last := len(rows[0]) - 1
	for _, column := range []int{last, 4, 5, 3} {
		used := 0
		for i := range rows[0] {
			if i != column {
				used += widest(rows, i) + len(terminal.Gap)
			}
		}
		room := max(width-used, minWhat)
		if column != last {
			room = max(width-used, 6)
		}
		for _, row := range rows {
			row[column] = terminal.Clip(row[column], room)
		}
		if used+widest(rows, column) <= width {
			return
		}
	}
}

func widest(rows [][]string, column int) int {
	n := 0
	for _, row := range rows {
		n = max(n, terminal.Columns(row[column]))
	}
	return n
}
