package expr

import (
	"context"
	"errors"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

// Expression is one compiled expression. It never changes.
type Expression struct {
	Source  string
	checked *cel.Ast
	program cel.Program
}

// Position points into a source: lines count from 1, columns from 0, in
// characters.
type Position struct{ Line, Column int }

// CompileError is the first problem of an expression: the later ones mostly
// follow from it.
type CompileError struct {
	Position
	Message string
}

func (e *CompileError) Error() string { return e.Message }

// Compile checks an expression and prepares it to run within the bounds.
func (e *Env) Compile(src string) (*Expression, *CompileError) {
	checked, issues := e.env.Compile(src)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, &CompileError{Position{first.Location.Line(), first.Location.Column()}, first.Message}
	}
	program, err := e.env.Program(checked, append(programOptions(), e.options...)...)
	if err != nil {
		return nil, &CompileError{Position{Line: 1}, err.Error()}
	}
	return &Expression{Source: src, checked: checked, program: program}, nil
}

// Type is the type of the value, as far as it is known before the expression
// runs.
func (x *Expression) Type() *cel.Type { return x.checked.OutputType() }

// Reason says why an expression gave no value.
type Reason int

// The reasons.
const (
	Failed    Reason = iota // what the message says
	Cancelled               // the context ended
	TooCostly               // the expression took too much work
	TooLarge                // a value got too large
	NoSuchKey               // a field is missing; Key names it
)

// EvalError says why and where an expression gave no value.
type EvalError struct {
	Position
	Reason Reason
	Key    string
	err    error
}

func (e *EvalError) Error() string { return e.err.Error() }

// Unwrap returns CEL's own error, or that of the context.
func (e *EvalError) Unwrap() error { return e.err }

// Eval computes the expression. The cost is what it took, in CEL's units, also
// when it failed.
func (x *Expression) Eval(ctx context.Context, variables map[string]any) (value ref.Val, cost uint64, failure *EvalError) {
	if err := ctx.Err(); err != nil {
		return nil, 0, &EvalError{Reason: Cancelled, err: err}
	}
	value, details, err := x.program.ContextEval(ctx, variables)
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if err != nil {
		return nil, cost, x.explain(ctx, err)
	}
	return value, cost, nil
}

func (x *Expression) explain(ctx context.Context, err error) *EvalError {
	if cause := ctx.Err(); cause != nil {
		return &EvalError{Reason: Cancelled, err: cause}
	}
	e := &EvalError{Position: Position{Line: 1}, err: err}
	if at, ok := errors.AsType[*types.Err](err); ok {
		e.Position = x.position(at.NodeID())
	}
	if cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err); ok {
		switch cancelled.Cause {
		case interpreter.CostLimitExceeded:
			e.Reason = TooCostly
		case interpreter.MemoryLimitExceeded:
			e.Reason = TooLarge
		}
		return e
	}
	// CEL has no types for these two: the first is only a message, the second
	// loses its cause when CEL adds the position.
	if key, ok := strings.CutPrefix(err.Error(), "no such key: "); ok {
		e.Reason, e.Key = NoSuchKey, key
	} else if errors.Is(err, ErrTooLarge) || err.Error() == ErrTooLarge.Error() {
		e.Reason = TooLarge
	}
	return e
}

func (x *Expression) position(id int64) Position {
	where := x.checked.NativeRep().SourceInfo().GetStartLocation(id)
	return Position{where.Line(), where.Column()}
}
