package builtin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	strict "github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/edit"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	// maxPreviewDiff is how many bytes of diffs one preview has.
	maxPreviewDiff = 64 << 10
	// maxCompared is the size of the largest contents that are compared.
	maxCompared = 4 << 20
)

// previewing collects the preview of one call.
type previewing struct {
	s    *system
	ctx  context.Context
	made gongu.Preview
	// left is how many bytes of diffs may still be added.
	left int
	// outside is true if a file is not inside the workdir.
	outside bool
}

// preview makes the Preview function of a tool. look adds what a call will do; its
// error is the reason why the call would fail.
func preview[In any](s *system, look func(*previewing, In) error) func(context.Context, gongu.Call) gongu.Preview {
	return func(ctx context.Context, call gongu.Call) gongu.Preview {
		v := &previewing{s: s, ctx: ctx, left: maxPreviewDiff}
		var in In
		err := strict.Unmarshal(call.Args, &in)
		if err == nil {
			err = look(v, in)
		}
		if err != nil {
			v.made.Problem = v.explain(err)
		}
		v.made.InWorkdir = len(v.made.Files) > 0 && !v.outside
		return v.made
	}
}

func (v *previewing) explain(err error) string {
	if known, ok := errors.AsType[*problem](err); ok {
		return known.in(v.s.lang)
	}
	if known, ok := errors.AsType[*gongu.Error](err); ok {
		return known.Message
	}
	if v.ctx.Err() != nil {
		return lang.PreviewTimedOut.In(v.s.lang)
	}
	return err.Error()
}

// at finds the place of a file that will be changed. What tools may not change
// is not read either.
func (v *previewing) at(path string) (*place, error) {
	p, err := v.s.find(v.ctx, strings.ReplaceAll(path, "\x00", ""), lang.FileMissing, true)
	if err != nil {
		return nil, err
	}
	if err := p.CheckChange(); err != nil {
		p.close()
		return nil, p.explain(err)
	}
	return p, nil
}

// add adds a file and returns it, so that its action and diff can be set.
func (v *previewing) add(p *place, action, digest string) *gongu.FileChange {
	real := p.Real()
	inside, err := filepath.Rel(fsx.Resolve(p.workdir), real)
	if err != nil || !filepath.IsLocal(inside) {
		v.outside = true
	}
	v.made.Files = append(v.made.Files, gongu.FileChange{Path: real, Action: action, Digest: digest})
	return &v.made.Files[len(v.made.Files)-1]
}

// compare sets the diff of a file, or a note that says why there is none.
func (v *previewing) compare(f *gongu.FileChange, before, after []byte) {
	l := v.s.lang
	switch {
	case isBinary(before) || isBinary(after):
		f.Note = lang.PreviewBinary.In(l, len(before), len(after))
	case bytes.Equal(before, after) && f.Action == "change":
		f.Note = lang.PreviewNoChange.In(l)
	default:
		diff, ok := edit.Diff(before, after, maxCompared)
		if !ok {
			f.Note = lang.PreviewLarge.In(l, len(before), len(after))
			return
		}
		f.Diff = clean([]byte(diff))
		if len(f.Diff) > v.left {
			cut := f.Diff[:v.left]
			cut = cut[:strings.LastIndexByte(cut, '\n')+1]
			f.Note = lang.PreviewCut.In(l, len(cut), len(f.Diff))
			f.Diff = cut
		}
		v.left -= len(f.Diff)
	}
}

// isBinary reports whether a content is no text that a person can compare.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data)
}

// digestOf identifies a content.
func digestOf(data []byte) string { return "sha256:" + shaOf(data) }

// content returns a file and the digest of its content; old is nil if there is no
// file. A large file is not returned. One that cannot be read, or is too large to
// be read for a question, is identified by size and time.
func (v *previewing) content(p *place) (data []byte, old fs.FileInfo, digest string, err error) {
	f, info, err := p.Open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, "", nil
	case errors.Is(err, fs.ErrPermission):
		if info, err = p.Stat(); err == nil {
			return nil, info, statDigest(info), nil
		}
		return nil, nil, "", p.explain(err)
	case err != nil:
		return nil, nil, "", p.explain(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info.Size() > maxEdited {
		return nil, info, statDigest(info), nil
	}
	sum, size := sha256.New(), int64(0)
	for v.ctx.Err() == nil {
		n, err := io.CopyN(sum, io.TeeReader(f, &limited{into: &data, most: maxCompared}), 1<<20)
		if size += n; size > maxEdited {
			return nil, info, statDigest(info), nil
		}
		if errors.Is(err, io.EOF) {
			if size > maxCompared {
				data = nil
			}
			return data, info, "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return nil, nil, "", p.explain(err)
		}
	}
	return nil, nil, "", v.ctx.Err()
}

func statDigest(info fs.FileInfo) string {
	return fmt.Sprintf("stat:%d:%d", info.Size(), info.ModTime().UnixNano())
}

// limited keeps the first bytes that are written to it.
type limited struct {
	into *[]byte
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	*l.into = append(*l.into, p[:min(len(p), l.most-len(*l.into))]...)
	return len(p), nil
}

func (s *system) lookWrite(v *previewing, in writeArgs) error {
	p, err := v.at(in.Path)
	if err != nil {
		return err
	}
	defer p.close()
	data, old, digest, err := v.content(p)
	if err != nil {
		return err
	}
	f := v.add(p, "create", digest)
	after, size := []byte(in.Content), 0
	if old != nil {
		f.Action, size = "change", int(old.Size())
	}
	switch {
	case old != nil && (data == nil && size > 0 || len(after) > maxCompared):
		f.Note = lang.PreviewLarge.In(s.lang, size, len(after))
		if in.Append {
			f.Note = lang.PreviewWithAdded.In(s.lang, len(after))
		}
	case in.Append:
		v.compare(f, data, append(bytes.Clone(data), after...))
	default:
		v.compare(f, data, after)
	}
	return s.mayReplace(v.ctx, p, in.Append)
}

func (s *system) lookEdit(v *previewing, in editArgs) error {
	edits, err := in.list()
	if err != nil {
		return err
	}
	p, err := v.at(in.Path)
	if err != nil {
		return err
	}
	defer p.close()
	plan := s.planEdit(v.ctx, p, edits, in.ExpectedSHA)
	f := v.add(p, "change", plan.digest())
	if plan.out.OK {
		if plan.old == nil {
			f.Action = "create"
		}
		v.compare(f, plan.data, plan.out.Content)
	}
	if plan.refused.Failed() {
		return plan.refused.Error
	}
	return plan.err
}

func (s *system) lookPatch(v *previewing, in patchArgs) error {
	files, err := s.parsePatch(in.Patch)
	if err != nil {
		return err
	}
	t := &patching{s: s, expected: in.ExpectedSHA, files: map[string]*patchedFile{}, look: true}
	defer t.close()
	if err := t.open(v.ctx, files); err != nil {
		return err
	}
	for _, key := range t.order {
		if err := t.files[key].CheckChange(); err != nil {
			return t.files[key].explain(err)
		}
	}
	result, err := t.applyAll(v.ctx, files)
	for _, key := range t.order {
		if f := t.files[key]; f.loaded {
			v.patched(f)
		}
	}
	if result.Failed() {
		return result.Error
	}
	return err
}

// patched adds a file of a patch.
func (v *previewing) patched(f *patchedFile) {
	digest := f.digest()
	switch {
	case f.old == nil && f.from != nil:
		change := v.add(f.place, "create", digest)
		change.From = f.from.Real()
		if !bytes.Equal(f.from.before, f.now) {
			v.compare(change, f.from.before, f.now)
		}
	case f.old == nil:
		v.compare(v.add(f.place, "create", digest), nil, f.now)
	case !f.exists:
		v.add(f.place, "delete", digest)
	default:
		v.compare(v.add(f.place, "change", digest), f.before, f.now)
	}
}

func (s *system) lookMkdir(v *previewing, in mkdirArgs) error {
	p, err := v.s.find(v.ctx, in.Path, lang.DirMissing, true)
	if err != nil {
		return err
	}
	defer p.close()
	info, err := p.Stat()
	switch {
	case err == nil && !info.IsDir():
		err = fs.ErrExist
	case err == nil:
		v.add(p, "mkdir", "").Note = lang.PreviewNoChange.In(s.lang)
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if err = p.CheckChange(); err == nil {
			v.add(p, "mkdir", "")
		}
	}
	return p.explain(err)
}
