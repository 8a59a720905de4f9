package builtin

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/edit"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

type editArgs struct {
	Path        string       `json:"path"`
	Old         *string      `json:"old_string,omitempty"`
	New         *string      `json:"new_string,omitempty"`
	ReplaceAll  bool         `json:"replace_all,omitempty"`
	NearLine    float64      `json:"near_line,omitempty"`
	ExpectedSHA string       `json:"expected_sha,omitempty"`
	Edits       []editChange `json:"edits,omitempty"`
}

// editChange is one of several edits.
type editChange struct {
	Old        string  `json:"old_string"`
	New        string  `json:"new_string"`
	ReplaceAll bool    `json:"replace_all,omitempty"`
	NearLine   float64 `json:"near_line,omitempty"`
}

func (s *system) editTool() gongu.Tool {
	change := func(inList bool) []param {
		optional := !inList
		list := []param{
			{Name: "old_string", Optional: optional, Rule: rule{Type: "string"}},
			{Name: "new_string", Optional: optional, Rule: rule{Type: "string"}},
			{Name: "replace_all", Optional: true, Rule: rule{Type: "boolean", Default: false}},
			{Name: "near_line", Optional: true, Rule: rule{Type: "integer", Minimum: new(1.0)}},
		}
		for i := range list {
			list[i].Rule.Description = lang.FileEdit.Params[list[i].Name].In(s.lang)
		}
		return list
	}
	params := append([]param{fileParam}, change(false)...)
	params = append(params,
		param{Name: "expected_sha", Optional: true, Rule: rule{Type: "string"}},
		param{Name: "edits", Optional: true, Rule: rule{Type: "array", Items: &rule{Type: "object", Members: change(true)}}},
	)
	tool := define(s.lang, definition{
		resource: fileSystem, export: "edit",
		text:        lang.FileEdit,
		params:      params,
		keywords:    []string{"replace", "change", "modify", "search", "str_replace", "바꾸기", "수정", "치환"},
		example:     `{"path":"main.go","old_string":"\treturn nil\n}","new_string":"\treturn err\n}"}`,
		limits:      gongu.Limits{ErrorMessage: fileMessage, Output: jsonGrowth*maxDiff + outputRoom},
		annotations: destructive(),
	}, s.edit)
	tool.Output = outputOf[editOutput]()
	tool.Preview = preview(s, s.lookEdit)
	return tool
}

// maxDiff is how long a diff and the candidates of a refusal can be.
const maxDiff = 512 << 10

func (s *system) edit(ctx context.Context, in editArgs) (gongu.Result, error) {
	edits, err := in.list()
	if err != nil {
		return gongu.Result{}, err
	}
	// A byte that no path has comes from a slip of the model's encoder.
	p, err := s.at(ctx, strings.ReplaceAll(in.Path, "\x00", ""), lang.FileMissing)
	if err != nil {
		return gongu.Result{}, err
	}
	defer p.close()
	release, err := s.files.locks.Lock(ctx, p.Real())
	if err != nil {
		return gongu.Result{}, err
	}
	defer release()
	plan := s.planEdit(ctx, p, edits, in.ExpectedSHA)
	if plan.err != nil || plan.refused.Failed() {
		return plan.refused, plan.err
	}
	if err := expect(ctx, p, plan.digest()); err != nil {
		return gongu.Result{}, err
	}
	return s.replaced(ctx, p, plan.out, plan.old)
}

// editPlan is what an edit makes of a file, before anything is written.
type editPlan struct {
	// data and old are the file as it is; old is nil if there is none.
	data []byte
	old  fs.FileInfo
	out  edit.Outcome
	// refused and err say why the edit is not made.
	refused gongu.Result
	err     error
}

// digest identifies the content of the file; it is empty if there is none.
func (plan *editPlan) digest() string {
	if plan.old == nil {
		return ""
	}
	return digestOf(plan.data)
}

// planEdit reads the file and applies the edits in memory.
func (s *system) planEdit(ctx context.Context, p *place, edits []edit.Edit, sha string) (plan editPlan) {
	plan.data, plan.old, plan.err = p.ReadAll(maxEdited)
	switch {
	case errors.Is(plan.err, fs.ErrNotExist) && edits[0].Old == "" && sha == "":
		plan.data, plan.old, plan.err = nil, nil, nil
	case plan.err != nil:
		plan.err = p.explain(plan.err)
		return plan
	case edits[0].Old == "" && edits[0].New != "":
		plan.refused = s.refuse(p, plan.data, edit.Conflict, lang.EditExists.With(p.asked), lang.EditNextExists)
		return plan
	default:
		if reason := s.unread(ctx, p, shaOf(plan.data)); !reason.IsZero() {
			plan.refused = s.refuse(p, plan.data, edit.Stale, reason, lang.EditNextStale)
			return plan
		}
	}
	plan.out = edit.ApplyAll(ctx, plan.data, edits, &edit.Options{ExpectedSHA: sha})
	if plan.err = plan.out.Err; plan.err == nil && !plan.out.OK {
		plan.refused = s.refused(p, plan.data, &plan.out, len(edits))
	}
	return plan
}

// replaced writes an edited file.
func (s *system) replaced(ctx context.Context, p *place, out edit.Outcome, old fs.FileInfo) (gongu.Result, error) {
	staged, err := p.Stage(out.Content, fsx.StageOptions{Old: old})
	if err != nil {
		return gongu.Result{}, p.explain(err)
	}
	defer func() { _ = staged.Close() }() // at worst a temporary file stays
	s.files.staged(ctx)
	if err := ctx.Err(); err != nil {
		return gongu.Result{}, err
	}
	if err := staged.Commit(false); err != nil {
		if errors.Is(err, fsx.ErrChanged) {
			return s.refuse(p, nil, edit.Stale, lang.EditMoved.With(p.asked), lang.EditNextStale), nil
		}
		return gongu.Result{}, p.explain(err)
	}
	sha := shaOf(out.Content)
	s.wrote(ctx, p)
	s.files.saw(ctx, p.Real(), sha)
	return gongu.OK(editOutput{
		Path: p.Path, Edited: true, Created: old == nil, Tier: out.Tier.String(), Tiers: names(out.Tiers),
		Line: out.Line, LastLine: out.LastLine, Replacements: len(out.Changes),
		Diff: clean([]byte(out.Diff)), SHA: sha, Size: new(len(out.Content)),
	}), nil
}

// list is the edits, however they were given.
func (in *editArgs) list() ([]edit.Edit, error) {
	single := in.Old != nil || in.New != nil || in.ReplaceAll || in.NearLine != 0
	switch {
	case len(in.Edits) > 0 && single, len(in.Edits) == 0 && (in.Old == nil || in.New == nil):
		return nil, invalid(lang.EditArguments.With())
	case len(in.Edits) == 0:
		return []edit.Edit{{Old: *in.Old, New: *in.New, ReplaceAll: in.ReplaceAll, NearLine: lineNumber(in.NearLine)}}, nil
	}
	edits := make([]edit.Edit, len(in.Edits))
	for i, e := range in.Edits {
		if e.Old == "" && i > 0 {
			return nil, invalid(lang.EditEmptyLater.With())
		}
		edits[i] = edit.Edit{Old: e.Old, New: e.New, ReplaceAll: e.ReplaceAll, NearLine: lineNumber(e.NearLine)}
	}
	return edits, nil
}

// invalid is a problem of the arguments that a schema cannot say.
func invalid(m lang.Message) *problem { return &problem{in: m.In, code: gongu.CodeInvalidArgs} }

// lineNumber converts a number of the arguments to a line number, 0 being none.
func lineNumber(n float64) int {
	if n <= 0 {
		return 0
	}
	return count(n)
}

func names(tiers []edit.Tolerance) []string {
	var out []string
	for _, tier := range tiers {
		out = append(out, tier.String())
	}
	return out
}
