package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/toolrequest"
)

// Requests lists requests.
func (x *Texts) Requests(list []toolrequest.Request) string {
	rows := [][]string{{lang.CLIColumnID.In(x.Lang), lang.CLIColumnStatus.In(x.Lang), lang.CLIColumnName.In(x.Lang),
		lang.CLIColumnCreated.In(x.Lang), lang.CLIColumnAgent.In(x.Lang), lang.CLIColumnDescription.In(x.Lang)}}
	for _, r := range list {
		rows = append(rows, []string{r.ID, string(r.Status), terminal.OneLine(r.Name), When(r.CreatedAt),
			cmp.Or(terminal.OneLine(terminal.Visible(r.Agent)), "-"), terminal.OneLine(terminal.Visible(firstLine(r.Description)))})
	}
	return terminal.Table(rows)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimRight(line, "\r")
}

// Request shows a request. The texts of the model are indented and escaped:
// they can neither control the terminal nor look like output of gongu.
func (x *Texts) Request(r *toolrequest.Request) string {
	rows := [][]string{
		{lang.CLIRequestID.In(x.Lang), r.ID},
		{lang.CLIRequestName.In(x.Lang), terminal.Visible(r.Name)},
		{lang.CLIRequestStatus.In(x.Lang), string(r.Status)},
		{lang.CLIRequestCreated.In(x.Lang), When(r.CreatedAt)},
	}
	add := func(label lang.Text, value string) {
		if value != "" {
			rows = append(rows, []string{label.In(x.Lang), terminal.Visible(value)})
		}
	}
	add(lang.CLIRequestAgent, r.Agent)
	add(lang.CLIRequestParams, strings.Join(r.SuggestedParams, ", "))
	add(lang.CLIRequestReviewer, r.Reviewer)
	if !r.ReviewedAt.IsZero() {
		add(lang.CLIRequestReviewed, When(r.ReviewedAt))
	}
	add(lang.CLIRequestReason, r.Reason)
	if r.Status == toolrequest.Queued {
		add(lang.CLIRequestDigest, r.Digest())
	}
	var b strings.Builder
	b.WriteString(terminal.Table(rows))
	section := func(heading lang.Text, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n%s", heading.In(x.Lang), Indented(text))
		}
	}
	section(lang.CLIRequestDescribes, r.Description)
	section(lang.CLIRequestRationale, r.Rationale)
	if len(r.Proposal) > 0 {
		section(lang.CLIRequestProposal, IndentedJSON(r.Proposal))
	}
	return b.String()
}

// Indented is a text of a model or a file that cannot be taken for output
// of gongu and cannot control the terminal.
func Indented(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&b, "  %s\n", terminal.Visible(strings.TrimRight(line, "\r")))
	}
	return b.String()
}

// IndentedJSON is a value on several lines.
func IndentedJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return string(raw)
	}
	return b.String()
}
