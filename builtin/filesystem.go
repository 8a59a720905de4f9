package builtin

import (
	"context"
	"errors"
	"io/fs"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/edit"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	defaultRead = 100_000
	// A listing is bounded by what it shows and by what it looks at to find
	// that.
	maxEntries = 10_000
	maxScan    = 10 * maxEntries
	// fileMessage is the longest error message of the file tools.
	fileMessage = 2000
)

var fileParam = param{Name: "path", Rule: rule{Type: "string"}}

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	Append  bool   `json:"append,omitempty"`
}

type writeOutput struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	Written bool   `json:"written"`
	Append  bool   `json:"append"`
}

func (s *system) writeTool() gongu.Tool {
	tool := define(s.lang, definition{
		resource: fileSystem, export: "write",
		text: lang.FileWrite,
		params: []param{
			fileParam,
			{Name: "content", Rule: rule{Type: "string"}},
			{Name: "append", Optional: true, Rule: rule{Type: "boolean", Default: false}},
		},
		keywords:    []string{"save", "create", "overwrite", "저장", "작성"},
		example:     `{"path":"notes.txt","content":"first line\n"}`,
		limits:      gongu.Limits{ErrorMessage: fileMessage},
		annotations: destructive(),
	}, s.write)
	tool.Preview = preview(s, s.lookWrite)
	return tool
}

func (s *system) write(ctx context.Context, in writeArgs) (writeOutput, error) {
	p, err := s.at(ctx, in.Path, lang.FileMissing)
	if err != nil {
		return writeOutput{}, err
	}
	defer p.close()
	release, err := s.files.locks.Lock(ctx, p.Real())
	if err != nil {
		return writeOutput{}, err
	}
	defer release()
	if err := s.mayReplace(ctx, p, in.Append); err != nil {
		return writeOutput{}, err
	}
	size, err := s.put(ctx, p, []byte(in.Content), in.Append)
	if err != nil {
		return writeOutput{}, p.explain(err)
	}
	s.wrote(ctx, p)
	if !in.Append {
		s.files.saw(ctx, p.Real(), shaOf([]byte(in.Content)))
	}
	return writeOutput{Path: p.Path, Size: size, Written: true, Append: in.Append}, nil
}

// mayReplace refuses, under ReadFirst, to replace a file that the caller does
// not know. Nothing is lost by adding to one.
func (s *system) mayReplace(ctx context.Context, p *place, adding bool) error {
	if !s.opts.ReadFirst || adding {
		return nil
	}
	data, _, err := p.ReadAll(maxEdited)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return p.explain(err)
	}
	if reason := s.unread(ctx, p, shaOf(data)); !reason.IsZero() {
		return &gongu.Error{
			Message: reason.In(s.lang), Code: edit.CodeStale, Name: edit.Stale.ErrorName(),
			Suggestion: lang.EditNextStale.In(s.lang), HelpURL: lang.HelpBase + "/" + edit.CodeStale,
		}
	}
	return nil
}

type listArgs struct {
	Path         *string `json:"path,omitempty"`
	Recursive    bool    `json:"recursive,omitempty"`
	IncludeDirs  *bool   `json:"includeDirs,omitempty"`
	IncludeFiles *bool   `json:"includeFiles,omitempty"`
}

type listOutput struct {
	Path      string      `json:"path"`
	Recursive bool        `json:"recursive"`
	Count     int         `json:"count"`
	Truncated bool        `json:"truncated,omitempty"`
	Entries   []listEntry `json:"entries"`
}

type listEntry struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Type string `json:"type"`
	Size *int64 `json:"size,omitempty"`
}

func (s *system) listTool() gongu.Tool {
	flag := func(name string, otherwise bool) param {
		return param{Name: name, Optional: true, Rule: rule{Type: "boolean", Default: otherwise}}
	}
	return define(s.lang, definition{
		resource: fileSystem, export: "list",
		text: lang.FileList,
		params: []param{
			{Name: "path", Optional: true, Rule: rule{Type: "string", Default: "."}},
			flag("recursive", false), flag("includeDirs", true), flag("includeFiles", true),
		},
		keywords: []string{"ls", "dir", "tree", "find", "목록", "찾기"},
		example:  `{"path":".","recursive":true}`,
		limits:   gongu.Limits{ErrorMessage: fileMessage, Output: maxText},
	}, s.list)
}

func (s *system) list(ctx context.Context, in listArgs) (listOutput, error) {
	p, err := s.at(ctx, or(in.Path, "."), lang.DirMissing)
	if err != nil {
		return listOutput{}, err
	}
	defer p.close()
	dirs, files := or(in.IncludeDirs, true), or(in.IncludeFiles, true)
	found, complete, err := p.List(ctx, fsx.Walk{
		Recursive: in.Recursive,
		Keep:      func(info fs.FileInfo) bool { return info.IsDir() && dirs || !info.IsDir() && files },
		Max:       maxEntries,
		Scan:      maxScan,
	})
	if err != nil {
		return listOutput{}, p.explain(err)
	}
	out := listOutput{Path: p.Path, Recursive: in.Recursive, Count: len(found), Truncated: !complete, Entries: make([]listEntry, len(found))}
	for i, entry := range found {
		out.Entries[i] = describe(entry)
	}
	return out, nil
}

func describe(e fsx.Entry) listEntry {
	entry := listEntry{Name: clean([]byte(e.Name)), Path: clean([]byte(e.Path)), Type: "other"}
	switch mode := e.Info.Mode(); {
	case mode.IsDir():
		entry.Type = "dir"
	case mode.IsRegular():
		entry.Type, entry.Size = "file", new(e.Info.Size())
	case mode&fs.ModeSymlink != 0:
		entry.Type = "symlink"
	}
	return entry
}

type mkdirArgs struct {
	Path      string `json:"path"`
	Recursive *bool  `json:"recursive,omitempty"`
}

type mkdirOutput struct {
	Path      string `json:"path"`
	Created   bool   `json:"created"`
	Recursive bool   `json:"recursive"`
}

func (s *system) mkdirTool() gongu.Tool {
	annotations := destructive()
	annotations.Idempotent = new(true)
	tool := define(s.lang, definition{
		resource: fileSystem, export: "mkdir",
		text: lang.FileMkdir,
		params: []param{
			fileParam,
			{Name: "recursive", Optional: true, Rule: rule{Type: "boolean", Default: true}},
		},
		keywords:    []string{"folder", "create", "폴더", "생성"},
		example:     `{"path":"reports/2026"}`,
		limits:      gongu.Limits{ErrorMessage: fileMessage},
		annotations: annotations,
	}, func(ctx context.Context, in mkdirArgs) (mkdirOutput, error) {
		p, err := s.at(ctx, in.Path, lang.DirMissing)
		if err != nil {
			return mkdirOutput{}, err
		}
		defer p.close()
		if err := expect(ctx, p, ""); err != nil {
			return mkdirOutput{}, err
		}
		parents := or(in.Recursive, true)
		created, err := p.Mkdir(parents)
		if err != nil {
			return mkdirOutput{}, p.explain(err)
		}
		return mkdirOutput{Path: p.Path, Created: created, Recursive: parents}, nil
	})
	tool.Preview = preview(s, s.lookMkdir)
	return tool
}
