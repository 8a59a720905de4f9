package builtin

import (
	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/edit"
	"github.com/gongu-ai/gongu/internal/lang"
)

// editOutput is the output of an edit, also of a refused one.
type editOutput struct {
	Path   string `json:"path"`
	Edited bool   `json:"edited"`
	// Created is true for a file that was not there.
	Created bool `json:"created,omitempty"`
	// Tier is what was overlooked to find the place, Tiers that of each of
	// several edits.
	Tier  string   `json:"tier,omitempty"`
	Tiers []string `json:"tiers,omitempty"`
	// Line and LastLine are where the file was changed, by its old numbers.
	Line         int    `json:"line,omitempty"`
	LastLine     int    `json:"lastLine,omitempty"`
	Replacements int    `json:"replacements,omitempty"`
	Diff         string `json:"diff,omitempty"`
	// SHA is the SHA-256 of the file as it is now.
	SHA  string `json:"sha,omitempty"`
	Size *int   `json:"size,omitempty"`
	refusalOutput
}

// refusalOutput helps to correct a refused edit.
type refusalOutput struct {
	Code string `json:"code,omitempty"`
	// Edit counts from 1, for one of several.
	Edit       int              `json:"edit,omitempty"`
	Matches    int              `json:"matches,omitempty"`
	Candidates []edit.Candidate `json:"candidates,omitempty"`
}

// refused turns a refusal of the engine into a result.
func (s *system) refused(p *place, data []byte, out *edit.Outcome, edits int) gongu.Result {
	message := out.Reason(s.lang)
	o := editOutput{Path: p.Path, SHA: shaOf(data), refusalOutput: refusalOf(out)}
	if edits > 1 {
		o.Edit = out.Index + 1
		message = lang.EditIndexed.In(s.lang, o.Edit, edits, message)
	}
	return failure(o, out.Code, message, out.Suggestion(s.lang))
}

func refusalOf(out *edit.Outcome) refusalOutput {
	r := refusalOutput{Code: string(out.Code), Matches: out.Matches}
	for _, c := range out.Candidates {
		c.Excerpt, c.Difference = clean([]byte(c.Excerpt)), clean([]byte(c.Difference))
		if clean([]byte(c.OldString)) != c.OldString {
			c.OldString = "" // JSON cannot carry it: it would not be found
		}
		r.Candidates = append(r.Candidates, c)
	}
	return r
}

// refuse returns a refusal for a reason outside of the edit engine, such as a file
// that has changed since it was read.
func (s *system) refuse(p *place, data []byte, code edit.Code, reason lang.Message, next lang.Text) gongu.Result {
	o := editOutput{Path: p.Path, refusalOutput: refusalOutput{Code: string(code)}}
	if data != nil {
		o.SHA = shaOf(data)
	}
	return failure(o, code, reason.In(s.lang), next.In(s.lang))
}

// failure is a failed result whose output helps.
func failure(output any, code edit.Code, message, suggestion string) gongu.Result {
	result := gongu.OK(output)
	result.Status = gongu.StatusError
	result.Error = &gongu.Error{
		Message: message, Name: code.ErrorName(), Code: code.ErrorCode(),
		Suggestion: suggestion, HelpURL: lang.HelpBase + "/" + code.ErrorCode(),
	}
	return result
}
