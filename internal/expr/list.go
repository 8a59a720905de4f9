package expr

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// maxCompared is how many lists and maps distinct compares with each other.
const maxCompared = 100

// listFunctions replace what takes the square of its argument.
func listFunctions() []cel.EnvOption {
	list := cel.ListType(cel.TypeParamType("T"))
	return []cel.EnvOption{
		cel.Function("distinct", cel.MemberOverload("list_distinct", []*cel.Type{list}, list, cel.UnaryBinding(distinct))),
	}
}

// distinct looks plain values up and compares only the others.
func distinct(v ref.Val) ref.Val {
	list, ok := v.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	seen := map[any]bool{}
	var kept, others []ref.Val
	for it := list.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		if key, plain := mapKey(item); plain {
			if !seen[key] {
				seen[key] = true
				kept = append(kept, item)
			}
			continue
		}
		if among(others, item) {
			continue
		}
		if len(others) == maxCompared {
			return tooLarge()
		}
		others, kept = append(others, item), append(kept, item)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, kept)
}

// mapKey is equal for values that CEL calls equal: 1 and 1.0 are.
func mapKey(v ref.Val) (any, bool) {
	switch v := v.(type) {
	case types.Double:
		return number(float64(v)), true
	case types.Uint:
		if v <= 1<<62 {
			return types.Int(v), true
		}
		return v, true
	case types.Int, types.Bool, types.String, types.Null:
		return v, true
	}
	return nil, false
}

func among(list []ref.Val, v ref.Val) bool {
	for _, other := range list {
		if other.Equal(v) == types.True {
			return true
		}
	}
	return false
}
