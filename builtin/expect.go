package builtin

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// expect binds a place to the file that was approved for the call, if one was. The
// digest is that of the content which the call works on.
func expect(ctx context.Context, p *place, digest string) error {
	files := gongu.ExpectedFiles(ctx)
	if files == nil {
		return nil
	}
	real := p.Real()
	if !slices.ContainsFunc(files, func(f gongu.FileChange) bool { return f.Path == real && f.Digest == digest }) {
		return notApproved(p)
	}
	p.Only(real)
	return nil
}

func notApproved(p *place) error {
	return &problem{in: lang.PreviewChanged.With(p.asked).In, code: gongu.CodeChanged}
}

// put writes a file. One that was approved is replaced only if it is that file with
// that content.
func (s *system) put(ctx context.Context, p *place, data []byte, adding bool) (size int64, err error) {
	if gongu.ExpectedFiles(ctx) == nil {
		if adding {
			return p.Append(data)
		}
		return p.Write(data)
	}
	v := &previewing{s: s, ctx: ctx}
	_, old, digest, err := v.content(p)
	if err == nil {
		err = expect(ctx, p, digest)
	}
	if err != nil {
		return 0, err
	}
	if adding {
		return p.Append(data)
	}
	staged, err := p.Stage(data, fsx.StageOptions{Old: old})
	if err != nil {
		return 0, err
	}
	defer func() { _ = staged.Close() }() // at worst a temporary file stays
	s.files.staged(ctx)
	if err := staged.Commit(false); err != nil {
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fsx.ErrChanged) {
			return 0, notApproved(p)
		}
		return 0, err
	}
	return int64(len(data)), nil
}
