package macro

import (
	"context"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/expr"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Tool compiles the definition into a tool. Its steps run through the executor
// and the catalog of the caller.
func (d *Definition) Tool(opts *Options) (gongu.Tool, error) {
	compiled, problems := d.check(nil)
	if err := problems.err(d.Name); err != nil {
		return gongu.Tool{}, err
	}
	m := &machine{program: compiled, opts: opts.complete()}
	return gongu.Tool{
		Name:        d.Name,
		Description: d.Description,
		Domain:      d.Domain,
		Parameters:  gongu.Schema(d.Parameters),
		Annotations: annotations(compiled, m.opts.Catalog),
		Source:      gongu.Source{Type: "macro", Name: d.Name},
		Limits:      gongu.Limits{Timeout: m.opts.Timeout},
		Invoke:      m.invoke,
	}, nil
}

// annotations says what all steps together can do. A tool that is not known
// counts for the worst.
func annotations(p *program, catalog *gongu.Catalog) gongu.Annotations {
	if catalog == nil {
		return gongu.Annotations{}
	}
	readOnly, destructive, openWorld := true, false, false
	for i := range p.steps {
		tool, ok := catalog.Get(p.steps[i].tool)
		if !ok {
			return gongu.Annotations{}
		}
		readOnly = readOnly && tool.Annotations.IsReadOnly()
		destructive = destructive || tool.Annotations.IsDestructive()
		openWorld = openWorld || tool.Annotations.IsOpenWorld()
	}
	return gongu.Annotations{ReadOnly: &readOnly, Destructive: &destructive, OpenWorld: &openWorld}
}

// machine runs one macro. It holds nothing of a call.
type machine struct {
	*program
	opts Options
}

// Names of the errors a macro makes itself. Their code is E_TOOL; those of a
// step keep the step's own code.
const (
	nameExpression = "MacroExpressionError"
	nameLimit      = "MacroLimitError"
	nameCycle      = "MacroCycleError"
)

func (m *machine) invoke(ctx context.Context, call gongu.Call) gongu.Result {
	l := lang.Of(m.opts.Lang)
	about := gongu.ContextOf(ctx)
	if about.Executor == nil {
		return gongu.Fail(&gongu.Error{Code: gongu.CodeUnavailable, Message: lang.MacroNoExecutor.In(l, m.name)})
	}
	outer, inMacro := nestingOf(ctx)
	if !inMacro {
		outer.budget = &budget{limits: m.opts.Limits}
	}
	here := nesting{names: append(slices.Clip(outer.names), m.name), budget: outer.budget}
	if slices.Contains(outer.names, m.name) {
		return gongu.Fail(&gongu.Error{
			Name: nameCycle, Message: lang.MacroCycle.In(l, strings.Join(here.names, " → ")), Suggestion: lang.MacroFix.In(l),
		})
	}
	if depth := here.budget.limits.Depth; len(here.names) > depth {
		return gongu.Fail(&gongu.Error{
			Name: nameLimit, Message: lang.MacroDepth.In(l, depth, strings.Join(here.names, " → ")), Suggestion: lang.MacroFewer.In(l),
		})
	}
	params, err := expr.Decode(call.Args)
	if err != nil {
		return gongu.Fail(&gongu.Error{Code: gongu.CodeInvalidArgs, Message: err.Error()})
	}
	steps := map[string]any{}
	r := &run{
		machine: m, lang: l, executor: about.Executor, budget: here.budget, parent: about.ToolCallID,
		steps: steps, vars: map[string]any{varParams: params, varSteps: steps},
	}
	defer r.release()
	return r.all(here.inside(ctx))
}
