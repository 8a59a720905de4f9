package expr

import (
	"slices"

	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
)

// Use is one place where an expression uses a variable. Field is what it
// selects from it: a in v.a, v["a"], v[?"a"] and v.?a; it is empty when the
// variable is used as a whole.
type Use struct {
	Position
	Name, Field string
}

// Uses calls visit for every use of a variable. Names that a comprehension
// binds hide variables.
func (x *Expression) Uses(visit func(Use)) {
	w := &walker{expression: x, report: visit}
	w.visit(x.checked.NativeRep().Expr(), nil)
}

type walker struct {
	expression *Expression
	report     func(Use)
}

func (w *walker) visit(e celast.Expr, bound []string) {
	switch e.Kind() {
	case celast.IdentKind:
		w.use(e, "", bound)
	case celast.SelectKind:
		w.field(e.AsSelect().Operand(), e.AsSelect().FieldName(), bound)
	case celast.CallKind:
		w.call(e.AsCall(), bound)
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
func (w *walker) call(c celast.CallExpr, bound []string) {
	args := c.Args()
	if name := c.FunctionName(); len(args) == 2 && (name == "_[_]" || name == "_[?_]" || name == "_?._") {
		if args[1].Kind() == celast.LiteralKind {
			if field, ok := args[1].AsLiteral().(types.String); ok {
				w.field(args[0], string(field), bound)
				return
			}
		}
	}
	if c.IsMemberFunction() {
		w.visit(c.Target(), bound)
	}
	w.each(args, bound)
}

func (w *walker) field(operand celast.Expr, field string, bound []string) {
	if operand.Kind() == celast.IdentKind {
		w.use(operand, field, bound)
		return
	}
	w.visit(operand, bound)
}

func (w *walker) use(e celast.Expr, field string, bound []string) {
	if name := e.AsIdent(); !slices.Contains(bound, name) {
		w.report(Use{w.expression.position(e.ID()), name, field})
	}
}
