package httpapi

import (
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/state"
)

// textPart is a piece of a preview with its class of style.
type textPart struct{ Class, Text string }

// A preview has no control characters of its own, so these mark its colours.
const markBegin, markMiddle, markEnd = "\x01", "\x02", "\x03"

func mark(colour, text string) string { return markBegin + colour + markMiddle + text + markEnd }

// parts splits a marked preview.
func (x *exchange) parts(marked string) []textPart {
	classes := map[string]string{terminal.Green: "add", terminal.Red: "del", terminal.Cyan: "hunk", terminal.Yellow: "alert", terminal.Bold: "strong"}
	var parts []textPart
	marked = x.api.opts.Secrets.Redact(marked) // before it is split
	for marked != "" {
		before, rest, found := strings.Cut(marked, markBegin)
		if before != "" {
			parts = append(parts, textPart{"", x.shownLines(before)})
		}
		if !found {
			break
		}
		colour, rest, _ := strings.Cut(rest, markMiddle)
		text, after, _ := strings.Cut(rest, markEnd)
		parts = append(parts, textPart{classes[colour], x.shownLines(text)})
		marked = after
	}
	return parts
}

// shownLines is shown for a text of several lines.
func (x *exchange) shownLines(text string) string {
	lines := strings.Split(x.api.opts.Secrets.Redact(text), "\n")
	for i, line := range lines {
		tabbed := strings.Split(line, "\t")
		for j := range tabbed {
			tabbed[j] = plain(tabbed[j])
		}
		lines[i] = strings.Join(tabbed, "\t")
	}
	return strings.Join(lines, "\n")
}

// approvalState returns the class and the words of a state.
func approvalState(s string) (class string, text lang.Text) {
	switch s {
	case state.ApprovalPending:
		return "warn", lang.PageStatePending
	case state.ApprovalApproved:
		return "ok", lang.PageStateApproved
	case state.ApprovalUsed:
		return "ok", lang.PageStateUsed
	case state.ApprovalRejected:
		return "bad", lang.PageStateRejected
	case state.ApprovalCancelled:
		return "", lang.PageStateCancelled
	}
	return "", lang.PageStateExpired
}

func approvalWords(l lang.Lang) map[string]string {
	words := map[string]string{}
	for key, text := range map[string]lang.Text{
		"title":    lang.PageApprovals,
		"waiting":  lang.PageApprovalsWaiting,
		"past":     lang.PageApprovalsPast,
		"none":     lang.PageApprovalsNone,
		"more":     lang.PageApprovalsMore,
		"asks":     lang.PageApprovalAsks,
		"was":      lang.PageApprovalWas,
		"done":     lang.PageApprovalDone,
		"bound":    lang.PageApprovalBound,
		"args":     lang.PageApprovalArgs,
		"optional": lang.PageApprovalOptional,
		"yes":      lang.PageApprovalYes,
		"no":       lang.PageApprovalNo,
		"version":  lang.PageApprovalVersion,
		"look":     lang.PageApprovalLook,
		"back":     lang.PageApprovalBack,
	} {
		words[key] = text.In(l)
	}
	return words
}
