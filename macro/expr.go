package macro

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types/ref"

	"github.com/gongu-ai/gongu/internal/expr"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Names of the variables.
const (
	varParams = "params"
	varSteps  = "steps"
	varItem   = "item"
	varIndex  = "index"
	varError  = "error"
)

// environment is made when the first macro is compiled and then shared: it
// never changes, and a program without macros does not pay for it.
var environment = sync.OnceValues(func() (*expr.Env, error) {
	values := cel.MapType(cel.StringType, cel.DynType)
	return expr.New(
		expr.Variable{Name: varParams, Type: values},
		expr.Variable{Name: varSteps, Type: values},
		expr.Variable{Name: varItem, Type: cel.DynType},
		expr.Variable{Name: varIndex, Type: cel.IntType},
		expr.Variable{Name: varError, Type: values},
	)
})

// expression is one compiled expression of a definition.
type expression struct {
	*expr.Expression
	at location
}

// compiler compiles the expressions of one definition.
type compiler struct {
	*report
	env      *expr.Env
	declared []string // parameters
	closed   bool     // and there are no others
	used     usage
}

// usage has the steps that expressions use. Outputs of other steps are not kept.
type usage struct {
	steps    map[string]bool
	allSteps bool
}

var undeclaredForm = regexp.MustCompile(`^undeclared reference to '([^']+)'`)

// expression compiles one expression; nil means that it was reported.
func (c *compiler) expression(at location, src string, s scope) *expression {
	compiled, err := c.env.Compile(src)
	if err != nil {
		c.compileError(at, src, err)
		return nil
	}
	before := len(c.list) + c.more
	compiled.Uses(func(u expr.Use) { c.use(at, src, s, u) })
	if len(c.list)+c.more > before {
		return nil
	}
	return &expression{compiled, at}
}

func (c *compiler) compileError(at location, src string, err *expr.CompileError) {
	shown := snippet(src, err.Position)
	message, hint := lang.MacroExpr.With(firstLine(err.Message), shown), lang.MacroHintCEL.With()
	if m := undeclaredForm.FindStringSubmatch(err.Message); m != nil {
		name := m[1]
		message, hint = lang.MacroExpr.With(lang.MacroUndeclared.With(clip(name)), shown), lang.MacroHintVariables.With()
		if slices.Contains(c.declared, name) {
			hint = lang.MacroHintParam.With(clip(name))
		}
	} else if strings.Contains(err.Message, "'_+_'") && strings.Contains(err.Message, "string") {
		hint = lang.MacroHintText.With()
	}
	c.add(at, message, hint)
}

// firstLine returns the first line of a message, without the list of expected
// tokens.
func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	if i := strings.Index(line, " expecting {"); i > 0 {
		line = line[:i]
	}
	return clip(line)
}

// use checks one use of a variable.
func (c *compiler) use(at location, src string, s scope, u expr.Use) {
	wrong := func(message, hint lang.Message) {
		c.add(at, lang.MacroExpr.With(message, snippet(src, u.Position)), hint)
	}
	switch u.Name {
	case varParams:
		if u.Field != "" && c.closed && !slices.Contains(c.declared, u.Field) {
			wrong(lang.MacroNoParam.With(clip(u.Field)), choose(u.Field, c.declared))
		}
	case varSteps:
		switch {
		case u.Field == "":
			c.used.allSteps = true
		case slices.Contains(s.steps, u.Field):
			c.used.steps[u.Field] = true
		case len(s.steps) == 0:
			wrong(lang.MacroNoStep.With(clip(u.Field)), lang.MacroHintNoSteps.With())
		default:
			wrong(lang.MacroNoStep.With(clip(u.Field)), lang.MacroHintSteps2.With(strings.Join(s.steps, ", ")))
		}
	case varItem, varIndex:
		if !s.item {
			wrong(lang.MacroNoItem.With(u.Name), lang.MacroHintForEach.With())
		}
	case varError:
		if !s.error {
			wrong(lang.MacroNoError.With(), lang.MacroHintErrorVar.With())
		}
	}
}

// snippet shows the line of an expression and points into it.
func snippet(src string, at expr.Position) string {
	const around = 40
	lines := strings.Split(src, "\n")
	text := []rune(lines[min(max(at.Line, 1), len(lines))-1])
	column := min(max(at.Column, 0), len(text))
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
	expr.Position
	expr    *expression
	message lang.Message
	hint    lang.Message
	cause   error // the context's, when it ended
}

// eval computes the expression and pays for it.
func (x *expression) eval(ctx context.Context, vars map[string]any, b *budget) (ref.Val, *evalError) {
	value, cost, err := x.Eval(ctx, vars)
	if err != nil && err.Reason == expr.Cancelled {
		return nil, &evalError{expr: x, cause: err.Unwrap()}
	}
	if !b.spend(cost) {
		return nil, x.failure(lang.MacroCallCost.With(), lang.MacroFewer.With())
	}
	if err != nil {
		return nil, x.explain(err)
	}
	return value, nil
}

func (x *expression) explain(err *expr.EvalError) *evalError {
	e := &evalError{expr: x, Position: err.Position}
	switch err.Reason {
	case expr.TooCostly:
		e.message, e.hint = lang.MacroCost.With(), lang.MacroFewer.With()
	case expr.TooLarge:
		e.message, e.hint = lang.MacroMemory.With(), lang.MacroFewer.With()
	case expr.NoSuchKey:
		e.message, e.hint = lang.MacroNoField.With(clip(err.Key)), lang.MacroHintOptional.With()
	default:
		e.message, e.hint = plain(err.Error()), lang.MacroHintCEL.With()
		if strings.Contains(err.Error(), "no such overload") && strings.Contains(x.Source, "+") {
			e.hint = lang.MacroHintText.With()
		}
	}
	return e
}

// plain returns a message of CEL, which is English only.
func plain(text string) lang.Message {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "?")
	}
	return lang.Text{EN: "%s", KO: "%s"}.With(clip(text))
}

// failure is an error of the whole expression, without a position in it.
func (x *expression) failure(message, hint lang.Message) *evalError {
	return &evalError{expr: x, Position: expr.Position{Line: 1}, message: message, hint: hint}
}
