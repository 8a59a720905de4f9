// Package edit finds a piece of text that a model wrote from memory and
// replaces it, or says why not. It works on bytes and touches no file.
//
// A model's old text often differs from the file in blanks, line ends,
// indentation, a comment, a slip of a letter. The differences that may be
// overlooked are nine named tolerances, tried from strict to loose. The first
// that fits anywhere decides: one place is edited, two or more are refused,
// and a looser one is never asked. A number, an operator or a name that
// differs is never tolerated. A distance ranks the candidates of a
// refusal; it never decides a write.
//
// What is applied is not the new text but the difference between old and new,
// replayed onto the file's own lines: a line that the edit does not change
// keeps its bytes, with its indentation, its line end and its comment, and a
// line that the model did not mention survives.
package edit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Tolerance is what a match overlooked, from strict to loose.
type Tolerance int

// The tolerances. Each includes those before it, apart from [Comments] and
// [FuzzyLines], which include all up to [Tokens] but not each other.
const (
	// Exact overlooks nothing.
	Exact Tolerance = iota
	// LineEnding overlooks CRLF and LF.
	LineEnding
	// Trim overlooks blank lines and blanks around the whole text.
	Trim
	// LineWhitespace overlooks blanks at the end of lines, and blank lines.
	LineWhitespace
	// Indent overlooks how lines are indented.
	Indent
	// CollapseSpaces overlooks how many blanks there are, and the quotes,
	// dashes and blanks of typography.
	CollapseSpaces
	// Tokens overlooks blanks that do not part words.
	Tokens
	// Comments overlooks the text of comments.
	Comments
	// FuzzyLines overlooks slips of single letters in long words that the file
	// does not have, or one line that old leaves out, or what it leaves out
	// behind "...".
	FuzzyLines
)

// String returns the name that outcomes carry.
func (t Tolerance) String() string {
	names := [...]string{"exact", "line-ending", "trim", "line-whitespace", "indent", "collapse-spaces", "tokens", "comments", "fuzzy-lines"}
	if t < 0 || int(t) >= len(names) {
		return "unknown"
	}
	return names[t]
}

// MarshalText writes the name.
func (t Tolerance) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Options are optional settings of an edit; nil means the defaults.
type Options struct {
	// ReplaceAll edits every place, not the only one.
	ReplaceAll bool
	// NearLine is a 1-based line. Of several places the nearest is edited; it
	// never makes a place of what is none.
	NearLine int
	// ExpectedSHA is the SHA-256 of the content that the caller has read, in
	// hexadecimal, whole or at least its first eight digits.
	ExpectedSHA string
}

// Edit is one of several edits of a file.
type Edit struct {
	Old, New string
	// ReplaceAll and NearLine are those of [Options].
	ReplaceAll bool
	NearLine   int

	// lines means that old is whole lines, as those of a patch are: a part of
	// a line does not match.
	lines bool
	// atEnd means that old ends where the file ends.
	atEnd bool
	// onLine means that NearLine is the line itself or none.
	onLine bool
}

// Change is a place that was edited. Bytes outside of it are the same before
// and after.
type Change struct {
	// Start and End are bytes of the content before, NewStart and NewEnd bytes
	// of the content after.
	Start    int `json:"start"`
	End      int `json:"end"`
	NewStart int `json:"newStart"`
	NewEnd   int `json:"newEnd"`
	// Line and LastLine are 1-based lines of the content before.
	Line     int `json:"line"`
	LastLine int `json:"lastLine"`
}

// Candidate is a place that old may have meant.
type Candidate struct {
	// Line and LastLine are 1-based.
	Line     int `json:"line"`
	LastLine int `json:"lastLine"`
	// Similarity, from 0 to 1, orders candidates and decides nothing.
	Similarity float64 `json:"similarity"`
	// Excerpt shows the beginning of the place, with tabs as → and line ends
	// as ⏎ or ␍⏎.
	Excerpt string `json:"excerpt"`
	// Difference is the first line that differs: "- " and what old has, "+ "
	// and what the file has. It is empty when nothing differs.
	Difference string `json:"difference,omitempty"`
	// OldString is the text of the file to send as old next time.
	OldString string `json:"oldString,omitempty"`
}

// Outcome is what became of an edit.
type Outcome struct {
	// OK reports whether Content is an edited file.
	OK bool `json:"ok"`
	// Content is the edited file. It is nil when the edit was refused.
	Content []byte `json:"-"`
	// Tier is the tolerance that matched, the loosest one of several edits.
	Tier Tolerance `json:"tier"`
	// Tiers has the tolerance of each of several edits.
	Tiers []Tolerance `json:"tiers,omitempty"`
	// Changes are the places, in the order of the file.
	Changes []Change `json:"changes,omitempty"`
	// Line and LastLine span the changes: 1-based lines of the content before.
	Line     int `json:"line,omitempty"`
	LastLine int `json:"lastLine,omitempty"`
	// Diff is the edit as a unified diff without file names.
	Diff string `json:"diff,omitempty"`

	// Code says why the edit was refused.
	Code Code `json:"code,omitempty"`
	// Index is the position of the refused edit among several.
	Index int `json:"index,omitempty"`
	// Matches counts the places of an ambiguous edit.
	Matches int `json:"matches,omitempty"`
	// Candidates are the places that may be meant, the best first; at most 3.
	Candidates []Candidate `json:"candidates,omitempty"`
	// Err is the error of the context that ended the search.
	Err error `json:"-"`

	reason lang.Message
}

// Apply replaces old by new in content, which it does not change.
func Apply(ctx context.Context, content []byte, old, new string, opts *Options) Outcome {
	if opts == nil {
		opts = &Options{}
	}
	if out, ok := admit(content, opts.ExpectedSHA); !ok {
		return out
	}
	return apply(ctx, content, Edit{Old: old, New: new, ReplaceAll: opts.ReplaceAll, NearLine: opts.NearLine})
}

// ApplyAll makes several edits, each on what the ones before it left, or none.
// Of the options it takes ExpectedSHA. The changes of the outcome span from
// the first changed byte to the last.
func ApplyAll(ctx context.Context, content []byte, edits []Edit, opts *Options) Outcome {
	if opts == nil {
		opts = &Options{}
	}
	if out, ok := admit(content, opts.ExpectedSHA); !ok {
		return out
	}
	if len(edits) == 1 {
		return apply(ctx, content, edits[0])
	}
	now, tier := content, Exact
	tiers := make([]Tolerance, len(edits))
	for i, e := range edits {
		out := apply(ctx, now, e)
		if !out.OK {
			out.Index = i
			return out
		}
		now, tier, tiers[i] = out.Content, max(tier, out.Tier), out.Tier
	}
	if bytes.Equal(now, content) {
		return refusal(NoChange, lang.EditNoChange.With())
	}
	start, end, newEnd := differing(content, now)
	out := success(content, tier, []splice{{start, end, now[start:newEnd]}})
	out.Tiers = tiers
	return out
}

// admit checks what does not depend on the edit.
func admit(content []byte, sha string) (Outcome, bool) {
	if sha != "" {
		sum := sha256.Sum256(content)
		got := hex.EncodeToString(sum[:])
		if len(sha) < 8 || !strings.HasPrefix(got, strings.ToLower(sha)) {
			return refusal(Stale, lang.EditStale.With()), false
		}
	}
	if bytes.IndexByte(content, 0) >= 0 {
		return refusal(Binary, lang.EditBinary.With()), false
	}
	return Outcome{}, true
}

func refusal(code Code, reason lang.Message) Outcome {
	return Outcome{Code: code, reason: reason}
}

// Reason says in a language why the edit was refused, in one sentence or two,
// without the candidates. It is empty for an edit that was made.
func (o *Outcome) Reason(l lang.Lang) string {
	switch {
	case o.OK:
		return ""
	case o.Err != nil:
		return o.Err.Error()
	}
	return o.reason.In(l)
}

// Suggestion says in a language what to send next after a refusal.
func (o *Outcome) Suggestion(l lang.Lang) string {
	texts := map[Code]lang.Text{
		NotFound: lang.EditNextNotFound, Ambiguous: lang.EditNextAmbiguous, AlreadyApplied: lang.EditNextApplied, Stale: lang.EditNextStale,
		Conflict: lang.EditNextConflict, NoChange: lang.EditNextNoChange, Binary: lang.EditNextBinary,
	}
	if o.Code == NotFound && len(o.Candidates) == 0 {
		return lang.EditReadAgain.In(l)
	}
	return texts[o.Code].In(l)
}

// Error returns the outcome as an error, nil when the edit was made.
func (o *Outcome) Error() error {
	switch {
	case o.OK:
		return nil
	case o.Err != nil:
		return o.Err
	}
	return errors.New(o.Message(lang.English))
}
