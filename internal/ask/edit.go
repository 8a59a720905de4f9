package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/internal/rawjson"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// edit lets the person change the arguments, and returns what to show before the
// next question: the call as it is then. Arguments that do not match the schema
// change nothing.
func (q *question) edit(ctx context.Context) (text string, err error) {
	c := &q.a.Calls[0]
	before := q.text
	if before == nil {
		before = indented(c.Args)
	}
	after, failed, err := q.change(ctx, before)
	switch {
	case err != nil:
		return "", err
	case failed != nil:
		return q.say(lang.AskEditFailed, terminal.Visible(failed.Error())) + "\n", nil
	}
	q.text = after
	args, err := policy.CheckArgs(c, after)
	if err != nil {
		why := strings.TrimPrefix(err.Error(), policy.ErrBadAnswer.Error()+": ")
		return q.say(lang.AskEditBad, terminal.Visible(why)) + "\n", nil
	}
	q.text = nil
	if bytes.Equal(compacted(args), compacted(c.Args)) {
		return q.say(lang.AskEditSame) + "\n", nil
	}
	q.replace(ctx, args)
	return q.say(lang.AskEdited) + "\n" + q.whole(false), nil
}

// change returns other arguments, from an editor or line by line. Failed is what
// kept the editor from working; err ends the question.
func (q *question) change(ctx context.Context, text []byte) (changed []byte, failed, err error) {
	editor := strings.TrimSpace(q.o.Getenv("VISUAL"))
	if editor == "" {
		editor = strings.TrimSpace(q.o.Getenv("EDITOR"))
	}
	if editor == "" {
		changed, err = q.lines(ctx)
		return changed, nil, err
	}
	dir, failed := os.MkdirTemp(q.o.Dir, "approval-") // only this user can open it
	if failed != nil {
		return nil, failed, nil
	}
	defer os.RemoveAll(dir) // what is left is in a private folder
	file := filepath.Join(dir, "arguments.json")
	if failed := os.WriteFile(file, text, 0o600); failed != nil {
		return nil, failed, nil
	}
	restore := q.tty.Keep()
	failed = proc.Interactive(ctx, editor, file, q.tty.In, q.tty.Out)
	restore()
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if failed == nil {
		changed, failed = os.ReadFile(file)
	}
	return changed, failed, nil
}

// lines asks for each argument. A value that is a text now is taken as it is
// typed; any other must be JSON.
func (q *question) lines(ctx context.Context) ([]byte, error) {
	if err := q.show(q.say(lang.AskEditLine) + "\n"); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	err := rawjson.Members(q.a.Calls[0].Args, func(name, value json.RawMessage) error {
		line, err := q.prompt(ctx, q.say(lang.AskEditValue, terminal.Visible(string(rawjson.Name(name))), terminal.Visible(string(value))))
		if err != nil {
			return err
		}
		switch {
		case line == "":
		case len(value) > 0 && value[0] == '"':
			value = jsonx.Text(line)
		default:
			value = json.RawMessage(line)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
		return nil
	})
	return append(out, '}'), err
}

// replace puts other arguments in the place of the caller's, with what the call
// will do with them.
func (q *question) replace(ctx context.Context, args json.RawMessage) {
	c := &q.a.Calls[0]
	p := q.describe(ctx, c, args)
	c.Args, q.args, c.Files = args, args, nil
	c.Preview, c.Dynamic = jsonx.Text(p), p.Dynamic
}

// describe returns what a call will do with other arguments. Without the tool it
// knows that of a command whose text is in one of the arguments. The answer to
// another command is not remembered.
func (q *question) describe(ctx context.Context, c *state.ApprovalCall, args json.RawMessage) policy.Preview {
	was := PreviewOf(c)
	changed := *c
	changed.Args = args
	if q.o.Describe != nil {
		return q.o.Describe(ctx, &changed)
	}
	if was.Kind != policy.KindCommand {
		return policy.Preview{Kind: policy.KindCall}
	}
	text, found := commandIn(args, c.Args, was.Command)
	if !found {
		return policy.Preview{Kind: policy.KindCall, Dynamic: true}
	}
	shell := policy.ParseShell(text)
	return policy.Preview{Kind: policy.KindCommand, Command: text, Commands: shell.Commands, Undecided: shell.Undecided, Dynamic: shell.Dynamic}
}

// commandIn returns the text of the command in arguments: it is where the text was
// in the arguments before.
func commandIn(args, before json.RawMessage, text string) (string, bool) {
	is, found := "", false
	err := rawjson.Members(before, func(name, value json.RawMessage) error {
		var was string
		if json.Unmarshal(value, &was) == nil && was == text && !found {
			now := rawjson.Member(args, string(rawjson.Name(name)))
			found = now != nil && json.Unmarshal(now, &is) == nil
		}
		return nil
	})
	return is, found && err == nil
}

func indented(raw []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return raw
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func compacted(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
