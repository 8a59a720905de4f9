package toolrequest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/toolname"
)

// What one request may hold. A model writes it and a person reads it.
const (
	maxText     = 4000 // characters of a description, rationale or reason
	maxParams   = 64
	maxParam    = 200 // characters of one
	maxReviewer = 200 // characters of the name of an agent, too
	// maxProposal has room for a script of 64 KiB that JSON escapes.
	maxProposal = 128 << 10
)

// check returns the request as it is kept.
func check(n New) (New, error) {
	if err := checkName(n.Name); err != nil {
		return New{}, err
	}
	n.Description = strings.TrimSpace(n.Description)
	n.Rationale = strings.TrimSpace(n.Rationale)
	if n.Description == "" {
		return New{}, lang.NewError(ErrInvalid, lang.RequestMissing.With("description"), lang.RequestMissingHint.With())
	}
	for _, f := range []struct{ name, text string }{{"description", n.Description}, {"rationale", n.Rationale}} {
		if err := checkText(f.name, f.text, maxText); err != nil {
			return New{}, err
		}
	}
	if len(n.SuggestedParams) > maxParams {
		return New{}, lang.NewError(ErrInvalid, lang.RequestTooMany.With(len(n.SuggestedParams), maxParams), lang.RequestShorten.With())
	}
	for i, param := range n.SuggestedParams {
		if strings.TrimSpace(param) == "" {
			return New{}, lang.NewError(ErrInvalid, lang.RequestParamEmpty.With(i), lang.RequestParamHint.With())
		}
		if err := checkText("suggested_params", param, maxParam); err != nil {
			return New{}, err
		}
	}
	if err := checkText("agent", n.Agent, maxReviewer); err != nil {
		return New{}, err
	}
	if err := checkText("principal", n.Principal, maxReviewer); err != nil {
		return New{}, err
	}
	n.SuggestedParams = slices.Clone(n.SuggestedParams)
	var err error
	n.Proposal, err = checkProposal(n.Proposal)
	return n, err
}

// checkName asks the heart, which keeps a name exactly if it is a legal one.
func checkName(name string) error {
	var names toolname.Map
	kept, err := names.Import("", name)
	if err == nil && kept == name {
		return nil
	}
	hint := lang.RequestNameHint.With()
	if _, _, ok := gongu.ParseName(kept); ok && strings.Replace(name, ".", "__", 1) == kept {
		hint = lang.RequestNameWrite.With(kept)
	}
	return lang.NewError(ErrInvalid, lang.RequestNameBad.With(shortened(name)), hint)
}

// shortened keeps an error from repeating a page.
func shortened(text string) string {
	const most = 80
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

func checkText(field, text string, most int) error {
	if !utf8.ValidString(text) {
		return lang.NewError(ErrInvalid, lang.RequestNotText.With(field), lang.RequestShorten.With())
	}
	if n := utf8.RuneCountInString(text); n > most {
		return lang.NewError(ErrInvalid, lang.RequestTooLong.With(field, n, most), lang.RequestShorten.With())
	}
	return nil
}

func checkProposal(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		return nil, nil
	}
	if len(raw) > maxProposal {
		return nil, lang.NewError(ErrInvalid, lang.RequestProposalBig.With(len(raw), maxProposal), lang.RequestProposalHint.With())
	}
	if problem := jsonx.Strict(raw); problem != nil {
		return nil, lang.NewError(ErrInvalid, lang.RequestProposalBad.With(problem.Message), lang.RequestBadJSONHint.With())
	}
	return compact(raw), nil
}

// compact trusts that the bytes are valid.
func compact(raw []byte) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return slices.Clone(raw)
	}
	return b.Bytes()
}

func checkDecision(d Decision) error {
	if !d.Status.known() || d.Status == Queued {
		return lang.NewError(ErrInvalid, lang.RequestNoDecision.With(shortened(string(d.Status))), lang.RequestDecisions.With())
	}
	if err := checkText("reviewer", d.Reviewer, maxReviewer); err != nil {
		return err
	}
	return checkText("reason", d.Reason, maxText)
}

// The length of a page.
const (
	defaultLimit = 200
	maxLimit     = 1000
)

func checkFilter(f Filter) (Filter, error) {
	if f.Status != "" && !f.Status.known() {
		return f, lang.NewError(ErrInvalid, lang.RequestNoStatus.With(shortened(string(f.Status))), lang.RequestStatuses.With())
	}
	switch {
	case f.Limit < 0:
		return f, lang.NewError(ErrInvalid, lang.RequestBadLimit.With(f.Limit), lang.RequestLimitHint.With(maxLimit))
	case f.Limit == 0:
		f.Limit = defaultLimit
	}
	f.Limit = min(f.Limit, maxLimit)
	return f, nil
}
