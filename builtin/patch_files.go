package builtin

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/edit"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// patching applies a patch. It works in memory first and writes nothing before
// the whole patch fits.
type patching struct {
	s        *system
	expected map[string]string
	// files are by their real paths, order is those paths in the patch's order.
	files map[string]*patchedFile
	order []string
	done  []patchFile
	// look is true if nothing will be written.
	look bool
}

// patchedFile is a file before the patch and as far as the patch has come.
type patchedFile struct {
	*place
	// old and before are the file before the patch; nil when there is none.
	old    fs.FileInfo
	before []byte
	// exists and now are the file after the patch.
	exists bool
	now    []byte
	// mode is that of a new file.
	mode   fs.FileMode
	loaded bool
	// from is the file that this one is the new name of.
	from *patchedFile
}

// digest identifies the content before the patch; it is empty if there is none.
func (f *patchedFile) digest() string {
	if f.old == nil {
		return ""
	}
	return digestOf(f.before)
}

func (t *patching) close() {
	for _, f := range t.files {
		f.close()
	}
}

// open finds the places of all files, so that they can be locked.
func (t *patching) open(ctx context.Context, files []edit.FilePatch) error {
	asked := map[string]bool{}
	for _, f := range files {
		for _, path := range []string{f.Path, f.To} {
			if path == "" || asked[path] {
				continue
			}
			asked[path] = true
			if _, err := t.at(ctx, path); err != nil {
				return err
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(t.expected)) {
		if !asked[path] {
			return invalid(lang.PatchUnknownSHA.With(path))
		}
	}
	return nil
}

// at is the file behind a path of the patch.
func (t *patching) at(ctx context.Context, path string) (*patchedFile, error) {
	p, err := t.s.find(ctx, strings.ReplaceAll(path, "\x00", ""), lang.FileMissing, t.look)
	if err != nil {
		return nil, err
	}
	key := p.Real()
	if known := t.files[key]; known != nil {
		p.close()
		return known, nil
	}
	f := &patchedFile{place: p}
	t.files[key] = f
	t.order = append(t.order, key)
	return f, nil
}

// load reads a file, once.
func (t *patching) load(ctx context.Context, path string) (*patchedFile, error) {
	f, err := t.at(ctx, path)
	if err != nil || f.loaded {
		return f, err
	}
	f.before, f.old, err = f.ReadAll(maxEdited)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, f.explain(err)
	}
	f.loaded, f.exists, f.now = true, err == nil, f.before
	return f, nil
}

// applyAll makes the whole patch in memory.
func (t *patching) applyAll(ctx context.Context, files []edit.FilePatch) (gongu.Result, error) {
	for i := range files {
		if result, err := t.apply(ctx, &files[i]); err != nil || result.Failed() {
			return result, err
		}
	}
	return gongu.Result{}, nil
}

// apply makes what a patch says about one file.
func (t *patching) apply(ctx context.Context, patch *edit.FilePatch) (gongu.Result, error) {
	if patch.Path == "" {
		return t.create(ctx, patch)
	}
	f, err := t.load(ctx, patch.Path)
	if err != nil {
		return gongu.Result{}, err
	}
	if !f.exists {
		return gongu.Result{}, f.explain(fs.ErrNotExist)
	}
	if f.old != nil {
		if reason := t.s.unread(ctx, f.place, shaOf(f.before)); !reason.IsZero() {
			return t.refuse(f, edit.Stale, reason, lang.EditNextStale), nil
		}
	}
	if sha, given := t.expected[patch.Path]; given && !matchesSHA(f.before, sha) {
		return t.refuse(f, edit.Stale, lang.EditStale.With(), lang.EditNextStale), nil
	}
	out := edit.Outcome{OK: true, Content: f.now}
	if len(patch.Hunks) > 0 {
		out = edit.ApplyHunks(ctx, f.now, patch.Hunks, nil)
	}
	if out.Err != nil {
		return gongu.Result{}, out.Err
	}
	if !out.OK {
		return t.refused(f, &out), nil
	}
	switch {
	case patch.To == "":
		return t.remove(f, patch, out), nil
	case patch.To != patch.Path:
		return t.rename(ctx, f, patch, out)
	}
	f.now = out.Content
	t.done = append(t.done, changed(f, "updated", &out))
	return gongu.Result{}, nil
}

// matchesSHA compares with a hash or with its first eight digits or more.
func matchesSHA(data []byte, sha string) bool {
	return len(sha) >= 8 && strings.HasPrefix(shaOf(data), strings.ToLower(sha))
}

func changed(f *patchedFile, action string, out *edit.Outcome) patchFile {
	file := patchFile{Path: f.Path, Action: action, SHA: shaOf(f.now), Size: new(len(f.now))}
	if len(out.Changes) > 0 {
		file.Tier, file.Tiers = out.Tier.String(), names(out.Tiers)
		file.Line, file.LastLine, file.Diff = out.Line, out.LastLine, clean([]byte(out.Diff))
	}
	return file
}

func (t *patching) create(ctx context.Context, patch *edit.FilePatch) (gongu.Result, error) {
	f, err := t.load(ctx, patch.To)
	if err != nil {
		return gongu.Result{}, err
	}
	if f.exists {
		return t.refuse(f, edit.Conflict, lang.PatchExists.With(), lang.PatchNext), nil
	}
	if line, ok := edit.Placeholder("", patch.Content); ok {
		return t.refuse(f, edit.Conflict, lang.EditPlaceholder.With(line), lang.PatchNext), nil
	}
	f.exists, f.now = true, []byte(patch.Content)
	if patch.Executable {
		f.mode = 0o755
	}
	out := edit.Outcome{}
	if patch.Content != "" {
		out = edit.Apply(ctx, nil, "", patch.Content, nil)
	}
	t.done = append(t.done, changed(f, "created", &out))
	return gongu.Result{}, nil
}

func (t *patching) remove(f *patchedFile, patch *edit.FilePatch, out edit.Outcome) gongu.Result {
	if len(patch.Hunks) > 0 && len(bytes.TrimSpace(out.Content)) > 0 {
		return t.refuse(f, edit.Conflict, lang.PatchRest.With(), lang.PatchNext)
	}
	f.exists, f.now = false, nil
	t.done = append(t.done, patchFile{Path: f.Path, Action: "deleted"})
	return gongu.Result{}
}

func (t *patching) rename(ctx context.Context, f *patchedFile, patch *edit.FilePatch, out edit.Outcome) (gongu.Result, error) {
	to, err := t.load(ctx, patch.To)
	if err != nil {
		return gongu.Result{}, err
	}
	if to.exists {
		return t.refuse(to, edit.Conflict, lang.PatchExists.With(), lang.PatchNext), nil
	}
	to.exists, to.now, to.mode, to.from = true, out.Content, f.mode, f
	if f.old != nil {
		to.mode = f.old.Mode()
	}
	f.exists, f.now = false, nil
	file := changed(to, "renamed", &out)
	file.From = f.Path
	t.done = append(t.done, file)
	return gongu.Result{}, nil
}

// refused is the refusal of a hunk.
func (t *patching) refused(f *patchedFile, out *edit.Outcome) gongu.Result {
	l := t.s.lang
	o := patchOutput{File: f.Path, Hunk: out.Index + 1, SHA: shaOf(f.before), refusalOutput: refusalOf(out)}
	next := lang.PatchNext.In(l)
	switch {
	case out.Code == edit.AlreadyApplied || out.Code == edit.Stale || out.Code == edit.Binary:
		next = out.Suggestion(l)
	case len(o.Candidates) > 0:
		next = lang.PatchNextLike.In(l)
	case out.Code == edit.NotFound:
		next = lang.PatchNextRead.In(l)
	}
	return failure(o, out.Code, lang.PatchRefused.In(l, f.asked, o.Hunk, out.Reason(l)), next)
}

// refuse is the refusal of a file.
func (t *patching) refuse(f *patchedFile, code edit.Code, reason lang.Message, next lang.Text) gongu.Result {
	o := patchOutput{File: f.Path, refusalOutput: refusalOutput{Code: string(code)}}
	if f.old != nil {
		o.SHA = shaOf(f.before)
	}
	return failure(o, code, lang.PatchFile.In(t.s.lang, f.asked, reason.In(t.s.lang)), next.In(t.s.lang))
}

// commit writes all files beside the old ones and then gives them their names.
// When one of that fails, those before it are put back.
func (t *patching) commit(ctx context.Context) (gongu.Result, error) {
	var staged []*fsx.Staged
	var changing []*patchedFile
	defer func() {
		for _, s := range slices.Backward(staged) { // files before their directories
			_ = s.Close() // at worst a temporary file stays
		}
	}()
	for _, key := range t.order {
		f := t.files[key]
		if err := expect(ctx, f.place, f.digest()); err != nil {
			return gongu.Result{}, err
		}
		s, err := f.stage()
		if err != nil {
			return gongu.Result{}, f.explain(err)
		}
		if s != nil {
			staged, changing = append(staged, s), append(changing, f)
		}
	}
	if len(staged) == 0 {
		return failure(patchOutput{refusalOutput: refusalOutput{Code: string(edit.NoChange)}}, edit.NoChange,
			lang.PatchNoChange.In(t.s.lang), lang.EditNextNoChange.In(t.s.lang)), nil
	}
	t.s.files.staged(ctx)
	if err := ctx.Err(); err != nil {
		return gongu.Result{}, err
	}
	for i, s := range staged {
		if err := s.Commit(len(staged) > 1); err != nil {
			return t.undo(staged[:i], changing[i], err)
		}
	}
	for _, f := range changing {
		t.s.wrote(ctx, f.place)
		if f.exists {
			t.s.files.saw(ctx, f.Real(), shaOf(f.now))
		}
	}
	return gongu.Result{}, nil
}

// stage prepares what is to become of a file, nothing if it stays as it is.
func (f *patchedFile) stage() (*fsx.Staged, error) {
	switch {
	case f.old != nil && !f.exists:
		return f.StageRemoval(f.old)
	case f.exists && (f.old == nil || !bytes.Equal(f.before, f.now)):
		return f.Stage(f.now, fsx.StageOptions{Old: f.old, Mode: f.mode})
	}
	return nil, nil
}

// undo puts back what was changed before one change failed.
func (t *patching) undo(made []*fsx.Staged, f *patchedFile, cause error) (gongu.Result, error) {
	var problems []error
	for _, s := range slices.Backward(made) {
		problems = append(problems, s.Undo())
	}
	if err := errors.Join(problems...); err != nil {
		return gongu.Result{}, &gongu.Error{Code: gongu.CodeOutcomeUnknown, Message: lang.PatchUndoFailed.In(t.s.lang, f.asked, err)}
	}
	if errors.Is(cause, fsx.ErrChanged) {
		return t.refuse(f, edit.Stale, lang.EditMoved.With(f.asked), lang.EditNextStale), nil
	}
	return gongu.Result{}, f.explain(cause)
}
