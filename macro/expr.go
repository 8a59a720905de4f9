package macro

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/gongu-ai/gongu/internal/lang"
)

// expression is one compiled expression.
type expression struct {
	src     string
	at      place
	checked *cel.Ast
	program cel.Program
}

// compiler compiles the expressions of one definition.
type compiler struct {
	*report
	env      *cel.Env
	declared []string // parameters
	closed   bool     // and there are no others
	used     usage
}

// usage is what expressions look at, so that nothing else need be kept.
type usage struct {
	steps    map[string]bool
	allSteps bool
}

var undeclaredForm = regexp.MustCompile(`^undeclared reference to '([^']+)'`)

// expression compiles one expression; nil means that it was reported.
func (c *compiler) expression(at place, src string, s scope) *expression {
	checked, issues := c.env.Compile(src)
	if issues.Err() != nil {
		c.compileError(at, src, issues.Errors())
		return nil
	}
	before := len(c.list) + c.more
	w := &walker{compiler: c, at: at, src: src, scope: s, info: checked.NativeRep().SourceInfo()}
	w.visit(checked.NativeRep().Expr(), nil)
	if len(c.list)+c.more > before {
		return nil
	}
	program, err := c.env.Program(checked, programOptions()...)
	if err != nil {
		c.add(at, lang.MacroExpr.With(err.Error(), snippet(src, 1, 0)), lang.MacroHintCEL.With())
		return nil
	}
	return &expression{src: src, at: at, checked: checked, program: program}
}

// compileError says the first problem: the later ones mostly follow from it.
func (c *compiler) compileError(at place, src string, found []*cel.Error) {
	first := found[0]
	shown := snippet(src, first.Location.Line(), first.Location.Column())
	message, hint := lang.MacroExpr.With(firstLine(first.Message), shown), lang.MacroHintCEL.With()
	if m := undeclaredForm.FindStringSubmatch(first.Message); m != nil {
		name := m[1]
		message, hint = lang.MacroExpr.With(lang.MacroUndeclared.With(clip(name)), shown), lang.MacroHintVariables.With()
		if slices.Contains(c.declared, name) {
			hint = lang.MacroHintParam.With(clip(name))
		}
	} else if strings.Contains(first.Message, "'_+_'") && strings.Contains(first.Message, "string") {
		hint = lang.MacroHintText.With()
	}
	c.add(at, message, hint)
}

// firstLine leaves out the list of everything a parser would have liked.
func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	if i := strings.Index(line, " expecting {"); i > 0 {
		line = line[:i]
	}
	return clip(line)
}

// walker looks at which variables an expression uses.
type walker struct {
	*compiler
	at    place
	src   string
	scope scope
	info  *celast.SourceInfo
}

// visit goes through an expression. Names that a comprehension binds hide the
// variables of the macro.
func (w *walker) visit(e celast.Expr, bound []string) {
	switch e.Kind() {
	case celast.IdentKind:
		w.use(e, "", bound)
	case celast.SelectKind:
		w.select_(e, e.AsSelect().Operand(), e.AsSelect().FieldName(), bound)
	case celast.CallKind:
		w.call(e, bound)
	case celast.ListKind:
		w.each(e.AsList().Elements(), bound)
	case celast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			w.visit(entry.AsMapEntry().Key(), bound)
			w.visit(entry.AsMapEntry().Value(), bound)
		}
	case celast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			w.visit(field.AsStructField().Value(), bound)
		}
	case celast.ComprehensionKind:
		loop := e.AsComprehension()
		w.visit(loop.IterRange(), bound)
		w.visit(loop.AccuInit(), bound)
		inner := append(slices.Clip(bound), loop.IterVar(), loop.IterVar2(), loop.AccuVar())
		w.visit(loop.LoopCondition(), inner)
		w.visit(loop.LoopStep(), inner)
		w.visit(loop.Result(), append(slices.Clip(bound), loop.AccuVar()))
	}
}

func (w *walker) each(list []celast.Expr, bound []string) {
	for _, e := range list {
		w.visit(e, bound)
	}
}

// call knows the operators that select a field: x["a"], x[?"a"] and x.?a.
func (w *walker) call(e celast.Expr, bound []string) {
	c := e.AsCall()
	args := c.Args()
	if name := c.FunctionName(); len(args) == 2 && (name == "_[_]" || name == "_[?_]" || name == "_?._") {
		if args[1].Kind() == celast.LiteralKind {
			if field, ok := args[1].AsLiteral().(types.String); ok {
				w.select_(e, args[0], string(field), bound)
				return
			}
		}
	}
	if c.IsMemberFunction() {
		w.visit(c.Target(), bound)
	}
	w.each(args, bound)
}

func (w *walker) select_(e, operand celast.Expr, field string, bound []string) {
	if operand.Kind() == celast.IdentKind {
		w.use(operand, field, bound)
		return
	}
	w.visit(operand, bound)
}

// use checks one variable, with the field that is selected from it if any.
func (w *walker) use(e celast.Expr, field string, bound []string) {
	name := e.AsIdent()
	if slices.Contains(bound, name) {
		return
	}
	switch name {
	case varParams:
		if field != "" && w.closed && !slices.Contains(w.declared, field) {
			w.wrong(e, lang.MacroNoParam.With(clip(field)), choose(field, w.declared))
		}
	case varSteps:
		w.useStep(e, field)
	case varItem, varIndex:
		if !w.scope.item {
			w.wrong(e, lang.MacroNoItem.With(name), lang.MacroHintForEach.With())
		}
	case varError:
		if !w.scope.error {
			w.wrong(e, lang.MacroNoError.With(), lang.MacroHintErrorVar.With())
		}
	}
}

func (w *walker) useStep(e celast.Expr, id string) {
	switch {
	case id == "":
		w.used.allSteps = true
	case slices.Contains(w.scope.steps, id):
		w.used.steps[id] = true
	case len(w.scope.steps) == 0:
		w.wrong(e, lang.MacroNoStep.With(clip(id)), lang.MacroHintNoSteps.With())
	default:
		w.wrong(e, lang.MacroNoStep.With(clip(id)), lang.MacroHintSteps2.With(strings.Join(w.scope.steps, ", ")))
	}
}

func (w *walker) wrong(e celast.Expr, message, hint lang.Message) {
	where := w.info.GetStartLocation(e.ID())
	w.add(w.at, lang.MacroExpr.With(message, snippet(w.src, where.Line(), where.Column())), hint)
}

// snippet shows the line of an expression and points into it. Lines count from
// 1, columns from 0, in characters.
func snippet(src string, line, column int) string {
	const around = 40
	lines := strings.Split(src, "\n")
	text := []rune(lines[min(max(line, 1), len(lines))-1])
	column = min(max(column, 0), len(text))
	from, to := max(0, column-around), min(len(text), column+around)
	shown, caret := string(text[from:to]), strings.Repeat(" ", column-from)
	if from > 0 {
		shown, caret = "…"+shown, " "+caret
	}
	if to < len(text) {
		shown += "…"
	}
	return "  " + strings.ReplaceAll(shown, "\t", " ") + "\n  " + caret + "^"
}

// evalError is why an expression gave no value.
type evalError struct {
	expr    *expression
	message lang.Message
	hint    lang.Message
	line    int
	column  int
	cause   error // the context's, when it ended
}

// eval computes the expression and pays for it.
func (x *expression) eval(ctx context.Context, vars map[string]any, b *budget) (ref.Val, *evalError) {
	if err := ctx.Err(); err != nil {
		return nil, &evalError{expr: x, cause: err}
	}
	value, details, err := x.program.ContextEval(ctx, vars)
	if details != nil && details.ActualCost() != nil && !b.spend(*details.ActualCost()) {
		return nil, x.failure(nil, lang.MacroCallCost.With(), lang.MacroFewer.With())
	}
	if err != nil {
		return nil, x.explain(ctx, err)
	}
	return value, nil
}

func (x *expression) explain(ctx context.Context, err error) *evalError {
	if cause := ctx.Err(); cause != nil {
		return &evalError{expr: x, cause: cause}
	}
	if cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err); ok {
		switch cancelled.Cause {
		case interpreter.CostLimitExceeded:
			return x.failure(err, lang.MacroCost.With(), lang.MacroFewer.With())
		case interpreter.MemoryLimitExceeded:
			return x.failure(err, lang.MacroMemory.With(), lang.MacroFewer.With())
		}
	}
	text := err.Error()
	if key, ok := strings.CutPrefix(text, "no such key: "); ok {
		return x.failure(err, lang.MacroNoField.With(clip(key)), lang.MacroHintOptional.With())
	}
	if isTooLarge(err) {
		return x.failure(err, lang.MacroMemory.With(), lang.MacroFewer.With())
	}
	hint := lang.MacroHintCEL
	if strings.Contains(text, "no such overload") && strings.Contains(x.src, "+") {
		hint = lang.MacroHintText
	}
	return x.failure(err, plain(text), hint.With())
}

// plain is a text of CEL, which speaks English only.
func plain(text string) lang.Message {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "?")
	}
	return lang.Text{EN: "%s", KO: "%s"}.With(clip(text))
}

// failure points at where in the expression err came up.
func (x *expression) failure(err error, message, hint lang.Message) *evalError {
	e := &evalError{expr: x, message: message, hint: hint, line: 1}
	if at, ok := errors.AsType[*types.Err](err); ok {
		where := x.checked.NativeRep().SourceInfo().GetStartLocation(at.NodeID())
		e.line, e.column = where.Line(), where.Column()
	}
	return e
}
