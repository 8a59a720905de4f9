// Package expr compiles and evaluates CEL expressions over JSON values, with
// limits. The caller chooses the variables; the functions, the arithmetic and
// the limits are fixed.
package expr

import (
	"slices"

	"cel.dev/cel-go/cel"
	celenv "cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"
)

// MaxSource is how many characters an expression may have.
const MaxSource = 2 << 10

// The bounds of evaluating one expression. CEL counts cost only after a
// function has run, so functions whose result can be far larger than their
// arguments are replaced by ones that look first (text.go, list.go).
const (
	exprCost = 500_000
	// exprValues is how many values, or tens of characters, one value may
	// hold, and exprVisits how many of them are looked at to know. It stops
	// what grows by sharing: comparing ten nested pairs visits a thousand values,
	// comparing forty a million million.
	exprValues = 200_000
	exprVisits = 100_000
	valueDepth = 256
	maxText    = 1 << 20
	// maxList is how long a list may get that an expression makes. Its size is
	// taken at every turn of the loop that makes it, so the time grows with the
	// square: 70 ms for 5,000 items, and 0.6 s until nested loops reach exprCost.
	// Taking it less often (MemoryTrackerSampleInterval) would be unsafe: between
	// two looks a value can grow without bound by holding itself many times.
	maxList = 5_000
	// maxSubject and maxPattern bound a match: a pattern of n instructions
	// over m characters takes n times m steps, which CEL's cost hides.
	maxSubject = 32 << 10
	maxPattern = 250
	// interruptEvery is how many turns of a loop pass between two looks at
	// the context.
	interruptEvery = 64
)

// Variable declares a name that expressions can use.
type Variable struct {
	Name string
	Type *cel.Type
}

// Env compiles expressions over one set of variables. It never changes.
type Env struct {
	env *cel.Env
	// options are those of each program beside the bounds.
	options []cel.ProgramOption
}

// New makes an environment with these variables. It takes a few milliseconds:
// make one and share it.
func New(variables ...Variable) (*Env, error) {
	options := []cel.EnvOption{
		cel.StdLib(cel.StdLibSubset(&celenv.LibrarySubset{ExcludeFunctions: replacedFunctions()})),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		cel.DefaultUTCTimeZone(true),
		ext.Bindings(),
		ext.Strings(ext.StringsVersion(0)),
		ext.Math(ext.MathVersion(0)),
		ext.Lists(ext.ListsVersion(2), ext.ListsMaxRangeSize(maxList)),
		cel.Constant("math.pi", cel.DoubleType, types.Double(pi)),
		cel.ParserExpressionSizeLimit(MaxSource),
		cel.ParserRecursionLimit(50),
		cel.ExpressionNodeLimit(5_000),
	}
	options = append(options, arithmetic()...)
	options = append(options, mathFunctions()...)
	options = append(options, textFunctions()...)
	options = append(options, listFunctions()...)
	for _, v := range variables {
		options = append(options, cel.Variable(v.Name, v.Type))
	}
	env, err := cel.NewCustomEnv(options...)
	if err != nil {
		return nil, err
	}
	return &Env{env: env}, nil
}

// FoldConstants returns an environment whose expressions compute constant lists and
// conversions once, when they are compiled: "x in [...]" becomes the look-up in a
// set, and int("x") an error of [Env.Compile].
func (e *Env) FoldConstants() *Env {
	return &Env{env: e.env, options: append(slices.Clip(e.options), cel.EvalOptions(cel.OptOptimize))}
}

// replacedFunctions are defined in number.go and text.go.
func replacedFunctions() []*celenv.Function {
	var list []*celenv.Function
	for _, name := range []string{
		operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, overloads.Matches,
	} {
		list = append(list, &celenv.Function{Name: name})
	}
	return list
}

// programOptions bound every evaluation.
func programOptions() []cel.ProgramOption {
	sizes := types.NewSizeCalculator(
		types.SizeCalculatorMaxDepth(valueDepth),
		types.SizeCalculatorMaxTraversal(exprVisits),
	)
	return []cel.ProgramOption{
		cel.CostLimit(exprCost),
		cel.MemoryTracking(types.MemoryTrackerSizeCalculator(sizes)),
		cel.MemoryLimit(exprValues),
		cel.InterruptCheckFrequency(interruptEvery),
	}
}
