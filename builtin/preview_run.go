package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	strict "github.com/go-json-experiment/json"
	"golang.org/x/net/http/httpguts"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/shellword"
)

// shellOf makes the Shell function of a tool from what its arguments run.
func shellOf[In any](text func(In) string) func(json.RawMessage) (string, bool) {
	return func(args json.RawMessage) (string, bool) {
		var in In
		if err := strict.Unmarshal(args, &in); err != nil {
			return string(args), true // not a command: no rule can allow it by accident
		}
		return text(in), true
	}
}

// lookExec only checks the directory: the command itself is text.
func (s *system) lookExec(v *previewing, in execArgs) error {
	p, err := s.find(v.ctx, or(in.Cwd, "."), lang.DirMissing, true)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.Dir(); !errors.Is(err, fs.ErrNotExist) || p.Path != p.workdir {
		return p.explain(err)
	}
	return nil // the working directory is made on demand
}

// lookScript binds the call to the script that runs.
func (s *system) lookScript(v *previewing, in scriptArgs) error {
	p, err := s.find(v.ctx, in.Path, lang.FileMissing, true)
	if err != nil {
		return err
	}
	defer p.close()
	_, old, digest, err := v.content(p)
	if err == nil && old == nil {
		err = p.explain(fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	v.add(p, "run", digest)
	return nil
}

// expectScript compares a script with the one that was approved, if one was.
func (s *system) expectScript(ctx context.Context, path string) error {
	files := gongu.ExpectedFiles(ctx)
	if files == nil {
		return nil
	}
	v := &previewing{s: s, ctx: ctx}
	if err := s.lookScript(v, scriptArgs{Path: path}); err != nil {
		return err
	}
	if now := v.made.Files[0]; !slices.Contains(files, now) {
		return &problem{in: lang.PreviewChanged.With(path).In, code: gongu.CodeChanged}
	}
	return nil
}

// shell returns the text that the call runs. The directory and the variables are
// part of it: PATH, LD_PRELOAD or GIT_PAGER decide what a command does.
func (in execArgs) shell() string {
	var b strings.Builder
	exports(&b, in.Env)
	if dir := or(in.Cwd, "."); dir != "." {
		b.WriteString("cd " + shellword.Quote(dir) + "\n")
	}
	return b.String() + in.Command
}

func (in scriptArgs) shell() string {
	var b strings.Builder
	exports(&b, in.Env)
	return b.String() + shellword.Join(append([]string{or(in.Shell, defaultShell), in.Path}, in.Args...)...)
}

func exports(b *strings.Builder, env map[string]scalar) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		b.WriteString("export " + shellword.Quote(name) + "=" + shellword.Quote(string(env[name])) + "\n")
	}
}

// previewRequest makes the Preview function of a tool that sends a request.
func previewRequest(l lang.Lang, method string) func(context.Context, gongu.Call) gongu.Preview {
	return preview(&system{lang: l}, func(v *previewing, in fetchArgs) error {
		target, err := parseURL(in.URL)
		if err != nil {
			return err
		}
		// The name as it is looked up: letters of other alphabets look like
		// Latin ones.
		host, err := httpguts.PunycodeHostPort(target.Host)
		if err != nil {
			return wrong(lang.URLInvalid, in.URL)
		}
		v.made.Method, v.made.Host, v.made.URL = method, host, strings.TrimSpace(in.URL)
		return nil
	})
}
