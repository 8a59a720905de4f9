package expr

import (
	"math"
	"math/bits"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

const (
	pi = math.Pi
	// maxExact is up to where every whole number is a double.
	maxExact = 1 << 53
)

// number makes a double that is whole an int again, so that it can be an index
// or an argument of substring.
func number(f float64) ref.Val {
	if f == math.Trunc(f) && math.Abs(f) <= maxExact {
		return types.Int(f)
	}
	return types.Double(f)
}

func float(v ref.Val) (float64, bool) {
	switch v := v.(type) {
	case types.Int:
		return float64(v), true
	case types.Uint:
		return float64(v), true
	case types.Double:
		return float64(v), true
	}
	return 0, false
}

// numbers are the CEL types that + - * / and % mix.
func numbers() []*cel.Type { return []*cel.Type{cel.IntType, cel.UintType, cel.DoubleType} }

// mixed declares an operator for every pair of numbers. What comes out is dyn:
// whether it is an int is known only once it is there.
func mixed(name string) []cel.FunctionOpt {
	var opts []cel.FunctionOpt
	for _, a := range numbers() {
		for _, b := range numbers() {
			id := name + "_" + a.TypeName() + "_" + b.TypeName()
			opts = append(opts, cel.Overload(id, []*cel.Type{a, b}, cel.DynType))
		}
	}
	return opts
}

func arithmetic() []cel.EnvOption {
	a := cel.ListType(cel.TypeParamType("A"))
	same := func(id string, x, y, out *cel.Type) cel.FunctionOpt {
		return cel.Overload(id, []*cel.Type{x, y}, out)
	}
	plus := append(mixed("add"),
		same(overloads.AddString, cel.StringType, cel.StringType, cel.StringType),
		same(overloads.AddBytes, cel.BytesType, cel.BytesType, cel.BytesType),
		same(overloads.AddList, a, a, a),
		same(overloads.AddDurationDuration, cel.DurationType, cel.DurationType, cel.DurationType),
		same(overloads.AddDurationTimestamp, cel.DurationType, cel.TimestampType, cel.TimestampType),
		same(overloads.AddTimestampDuration, cel.TimestampType, cel.DurationType, cel.TimestampType),
		cel.SingletonBinaryBinding(add),
	)
	minus := append(mixed("subtract"),
		same(overloads.SubtractDurationDuration, cel.DurationType, cel.DurationType, cel.DurationType),
		same(overloads.SubtractTimestampDuration, cel.TimestampType, cel.DurationType, cel.TimestampType),
		same(overloads.SubtractTimestampTimestamp, cel.TimestampType, cel.TimestampType, cel.DurationType),
		cel.SingletonBinaryBinding(subtract),
	)
	return []cel.EnvOption{
		cel.Function(operators.Add, plus...),
		cel.Function(operators.Subtract, minus...),
		cel.Function(operators.Multiply, append(mixed("multiply"), cel.SingletonBinaryBinding(multiply))...),
		cel.Function(operators.Divide, append(mixed("divide"), cel.SingletonBinaryBinding(divide))...),
		cel.Function(operators.Modulo, append(mixed("modulo"), cel.SingletonBinaryBinding(modulo))...),
	}
}

// compute does whole numbers exactly as long as they fit, and all others as
// JSON's readers do, in doubles.
func compute(a, b ref.Val, whole func(x, y int64) (int64, bool), broken func(x, y float64) float64) (ref.Val, bool) {
	x, isWhole := a.(types.Int)
	y, both := b.(types.Int)
	if isWhole && both {
		if z, fits := whole(int64(x), int64(y)); fits {
			return types.Int(z), true
		}
	}
	f, ok1 := float(a)
	g, ok2 := float(b)
	if !ok1 || !ok2 {
		return nil, false
	}
	return number(broken(f, g)), true
}

func add(a, b ref.Val) ref.Val {
	sum, ok := compute(a, b,
		func(x, y int64) (int64, bool) { z := x + y; return z, (z > x) == (y > 0) },
		func(x, y float64) float64 { return x + y })
	if ok {
		return sum
	}
	switch left := a.(type) {
	case types.String:
		if right, ok := b.(types.String); ok && len(left)+len(right) > maxText {
			return tooLarge()
		}
	case types.Bytes:
		if right, ok := b.(types.Bytes); ok && len(left)+len(right) > maxText {
			return tooLarge()
		}
	case traits.MutableLister: // the inside of map() and filter()
		if n, ok := left.Size().(types.Int); ok && n >= maxList {
			return tooLarge()
		}
		return left.Add(b)
	case traits.Lister:
		return concat(left, b)
	}
	if left, ok := a.(traits.Adder); ok {
		return left.Add(b)
	}
	return types.MaybeNoSuchOverloadErr(b)
}

// concat copies: CEL's own sum of lists remembers both halves, and asking a
// list that was doubled forty times for its size takes as many steps as it
// has items.
func concat(a traits.Lister, other ref.Val) ref.Val {
	b, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	m, ok1 := a.Size().(types.Int)
	n, ok2 := b.Size().(types.Int)
	if !ok1 || !ok2 || m+n > maxList {
		return tooLarge()
	}
	all := make([]ref.Val, 0, m+n)
	for _, list := range []traits.Lister{a, b} {
		for it := list.Iterator(); it.HasNext() == types.True; {
			all = append(all, it.Next())
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, all)
}

func subtract(a, b ref.Val) ref.Val {
	difference, ok := compute(a, b,
		func(x, y int64) (int64, bool) { z := x - y; return z, (z < x) == (y > 0) },
		func(x, y float64) float64 { return x - y })
	if ok {
		return difference
	}
	if left, ok := a.(traits.Subtractor); ok {
		return left.Subtract(b)
	}
	return types.MaybeNoSuchOverloadErr(b)
}

func multiply(a, b ref.Val) ref.Val {
	product, ok := compute(a, b, wholeProduct, func(x, y float64) float64 { return x * y })
	if !ok {
		return types.MaybeNoSuchOverloadErr(b)
	}
	return product
}

func wholeProduct(x, y int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(x), magnitude(y))
	if high != 0 || low > math.MaxInt64 {
		return 0, false
	}
	return x * y, true
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func divide(a, b ref.Val) ref.Val {
	if y, ok := float(b); ok && y == 0 {
		return types.NewErrFromString("division by zero")
	}
	quotient, ok := compute(a, b,
		func(x, y int64) (int64, bool) {
			if y == -1 || x%y != 0 {
				return 0, false
			}
			return x / y, true
		},
		func(x, y float64) float64 { return x / y })
	if !ok {
		return types.MaybeNoSuchOverloadErr(b)
	}
	return quotient
}

func modulo(a, b ref.Val) ref.Val {
	if y, ok := float(b); ok && y == 0 {
		return types.NewErrFromString("modulus by zero")
	}
	rest, ok := compute(a, b,
		func(x, y int64) (int64, bool) {
			if y == -1 {
				return 0, true
			}
			return x % y, true
		},
		math.Mod)
	if !ok {
		return types.MaybeNoSuchOverloadErr(b)
	}
	return rest
}

// mathFunctions take and give any number, so that math.floor(x) is an index
// whether x was 5 or 5.5.
func mathFunctions() []cel.EnvOption {
	var list []cel.EnvOption
	for name, f := range map[string]func(float64) float64{
		"abs": math.Abs, "ceil": math.Ceil, "floor": math.Floor, "round": math.Round, "trunc": math.Trunc, "sign": sign,
		"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log,
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	} {
		list = append(list, cel.Function("math."+name,
			cel.Overload("math_"+name+"_number", []*cel.Type{cel.DynType}, cel.DynType,
				cel.UnaryBinding(func(v ref.Val) ref.Val {
					x, ok := float(v)
					if !ok {
						return types.MaybeNoSuchOverloadErr(v)
					}
					return number(f(x))
				}))))
	}
	for name, f := range map[string]func(a, b float64) float64{"pow": math.Pow, "atan2": math.Atan2, "hypot": math.Hypot} {
		list = append(list, cel.Function("math."+name,
			cel.Overload("math_"+name+"_number", []*cel.Type{cel.DynType, cel.DynType}, cel.DynType,
				cel.BinaryBinding(func(a, b ref.Val) ref.Val {
					x, ok1 := float(a)
					y, ok2 := float(b)
					if !ok1 || !ok2 {
						return types.MaybeNoSuchOverloadErr(b)
					}
					return number(f(x, y))
				}))))
	}
	return list
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}
