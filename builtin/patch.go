package builtin

import (
	"context"
	"errors"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/edit"
	"github.com/gongu-ai/gongu/internal/lang"
)

type patchArgs struct {
	Patch       string            `json:"patch"`
	ExpectedSHA map[string]string `json:"expected_sha,omitempty"`
}

// patchOutput is the output of a patch, also of a refused one.
type patchOutput struct {
	Patched bool        `json:"patched"`
	Files   []patchFile `json:"files,omitempty"`
	// File and Hunk, counted from 1, are what was refused.
	File string `json:"file,omitempty"`
	Hunk int    `json:"hunk,omitempty"`
	SHA  string `json:"sha,omitempty"`
	refusalOutput
}

// patchFile is one file that a patch changed.
type patchFile struct {
	Path string `json:"path"`
	// Action is created, updated, deleted or renamed, From the name before.
	Action   string   `json:"action"`
	From     string   `json:"from,omitempty"`
	Tier     string   `json:"tier,omitempty"`
	Tiers    []string `json:"tiers,omitempty"`
	Line     int      `json:"line,omitempty"`
	LastLine int      `json:"lastLine,omitempty"`
	Diff     string   `json:"diff,omitempty"`
	SHA      string   `json:"sha,omitempty"`
	Size     *int     `json:"size,omitempty"`
}

func (s *system) patchTool() gongu.Tool {
	tool := define(s.lang, definition{
		resource: fileSystem, export: "patch",
		text: lang.FilePatch,
		params: []param{
			{Name: "patch", Rule: rule{Type: "string"}},
			{Name: "expected_sha", Optional: true, Rule: rule{Type: "object", Values: &rule{Type: "string"}}},
		},
		keywords:    []string{"diff", "apply", "hunk", "apply_patch", "git", "수정", "적용"},
		example:     `{"patch":"--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n first line\n-second line\n+another line\n"}`,
		limits:      gongu.Limits{ErrorMessage: fileMessage, Output: jsonGrowth*maxDiff + outputRoom},
		annotations: destructive(),
	}, s.patch)
	tool.Output = outputOf[patchOutput]()
	tool.Preview = preview(s, s.lookPatch)
	return tool
}

func (s *system) patch(ctx context.Context, in patchArgs) (gongu.Result, error) {
	files, err := s.parsePatch(in.Patch)
	if err != nil {
		return gongu.Result{}, err
	}
	t := &patching{s: s, expected: in.ExpectedSHA, files: map[string]*patchedFile{}}
	defer t.close()
	if err := t.open(ctx, files); err != nil {
		return gongu.Result{}, err
	}
	release, err := s.files.locks.Lock(ctx, t.order...)
	if err != nil {
		return gongu.Result{}, err
	}
	defer release()
	if result, err := t.applyAll(ctx, files); err != nil || result.Failed() {
		return result, err
	}
	if result, err := t.commit(ctx); err != nil || result.Failed() {
		return result, err
	}
	return gongu.OK(patchOutput{Patched: true, Files: t.done}), nil
}

func (s *system) parsePatch(text string) ([]edit.FilePatch, error) {
	files, err := edit.ParsePatch(text)
	if misread, ok := errors.AsType[*edit.PatchError](err); ok {
		return nil, &gongu.Error{Code: gongu.CodeInvalidArgs, Message: misread.In(s.lang), Suggestion: lang.PatchMisreadNext.In(s.lang)}
	}
	return files, err
}
