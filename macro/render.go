package macro

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/gongu-ai/gongu/internal/expr"
	"github.com/gongu-ai/gongu/internal/lang"
)

// render fills a template in.
func (r *run) render(ctx context.Context, t *template) (json.RawMessage, *evalError) {
	if t.literal != nil {
		return json.RawMessage(t.literal), nil
	}
	f := &filler{run: r, Encoder: expr.Encoder{Limit: r.opts.Limits.Bytes}}
	if _, failure := f.fill(ctx, t); failure != nil {
		return nil, failure
	}
	if len(f.Out) == 0 { // optional.none() for the whole
		return json.RawMessage("null"), nil
	}
	return f.Out, nil
}

// filler writes one template.
type filler struct {
	*run
	expr.Encoder
}

// fill writes a value and reports whether there was one: before is written
// only then.
func (f *filler) fill(ctx context.Context, t *template, before ...byte) (bool, *evalError) {
	if t.value != nil {
		value, failure := t.value.eval(ctx, f.vars, f.budget)
		if failure != nil || expr.IsNone(value) {
			return false, failure
		}
		f.Out = append(f.Out, before...)
		return true, f.value(t.value, value)
	}
	f.Out = append(f.Out, before...)
	switch {
	case t.literal != nil:
		f.Out = append(f.Out, t.literal...)
	case t.text != nil:
		return true, f.text(ctx, t.text)
	case t.isArray:
		return true, f.array(ctx, t.items)
	default:
		return true, f.object(ctx, t.members)
	}
	return true, nil
}

// value writes what an expression gave.
func (f *filler) value(x *expression, value ref.Val) *evalError {
	return f.unfit(x, f.Append(value))
}

// unfit says why a value cannot be written.
func (f *filler) unfit(x *expression, err error) *evalError {
	if err == nil {
		return nil
	}
	if none, ok := errors.AsType[expr.NoJSONError](err); ok {
		return x.failure(lang.MacroNotJSON.With(none.What), lang.MacroHintOptional.With())
	}
	return x.failure(lang.MacroSize.With(f.Limit), lang.MacroFewer.With())
}

func (f *filler) object(ctx context.Context, members []templateMember) *evalError {
	f.Out = append(f.Out, '{')
	separator := []byte(nil)
	for _, m := range members {
		before := append(append(separator, m.rawKey...), ':')
		written, failure := f.fill(ctx, m.node, before...)
		if failure != nil {
			return failure
		}
		if written {
			separator = []byte{','}
		}
	}
	f.Out = append(f.Out, '}')
	return nil
}

func (f *filler) array(ctx context.Context, items []*template) *evalError {
	f.Out = append(f.Out, '[')
	separator := []byte(nil)
	for _, item := range items {
		written, failure := f.fill(ctx, item, separator...)
		if failure != nil {
			return failure
		}
		if written {
			separator = []byte{','}
		}
	}
	f.Out = append(f.Out, ']')
	return nil
}

// text splices values into a text: a text as it is, all others as JSON.
func (f *filler) text(ctx context.Context, pieces []piece) *evalError {
	var b strings.Builder
	for _, p := range pieces {
		if p.expr == nil {
			b.WriteString(p.text)
			continue
		}
		value, failure := p.expr.eval(ctx, f.vars, f.budget)
		if failure != nil {
			return failure
		}
		if text, ok := value.(types.String); ok {
			b.WriteString(string(text))
		} else {
			spliced := expr.Encoder{Limit: f.Limit}
			if err := spliced.Append(value); err != nil {
				return f.unfit(p.expr, err)
			}
			b.Write(spliced.Out)
		}
		if len(f.Out)+b.Len() > f.Limit {
			return f.unfit(p.expr, expr.ErrTooLarge)
		}
	}
	f.Out = expr.Quote(f.Out, b.String())
	return nil
}
