package expr

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// ErrTooLarge means that a value has more parts, or more bytes, than allowed.
var ErrTooLarge = errors.New("the value would be too large")

func tooLarge() ref.Val { return types.WrapErr(ErrTooLarge) }

// textFunctions replace those of the library whose result can be the product
// of their arguments: two texts of a megabyte are enough to fill any memory.
func textFunctions() []cel.EnvOption {
	text, texts := cel.StringType, cel.ListType(cel.StringType)
	return []cel.EnvOption{
		cel.Function("replace",
			cel.MemberOverload("string_replace_string_string", []*cel.Type{text, text, text}, text,
				cel.FunctionBinding(replace)),
			cel.MemberOverload("string_replace_string_string_int", []*cel.Type{text, text, text, cel.IntType}, text,
				cel.FunctionBinding(replace))),
		cel.Function("join",
			cel.MemberOverload("list_join", []*cel.Type{texts}, text,
				cel.UnaryBinding(func(list ref.Val) ref.Val { return join(list, types.String("")) })),
			cel.MemberOverload("list_join_string", []*cel.Type{texts, text}, text,
				cel.BinaryBinding(join))),
		cel.Function(overloads.Matches,
			cel.Overload(overloads.Matches, []*cel.Type{text, text}, cel.BoolType),
			cel.MemberOverload(overloads.MatchesString, []*cel.Type{text, text}, cel.BoolType),
			cel.SingletonBinaryBinding(matches)),
	}
}

func replace(args ...ref.Val) ref.Val {
	var texts [3]string
	for i := range texts {
		text, ok := args[i].(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[i])
		}
		texts[i] = string(text)
	}
	limit := -1
	if len(args) == 4 {
		n, ok := args[3].(types.Int)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[3])
		}
		limit = int(max(-1, min(n, maxText)))
	}
	found := strings.Count(texts[0], texts[1])
	if limit >= 0 {
		found = min(found, limit)
	}
	if len(texts[0])+found*max(0, len(texts[2])-len(texts[1])) > maxText {
		return tooLarge()
	}
	return types.String(strings.Replace(texts[0], texts[1], texts[2], limit))
}

func join(list, separator ref.Val) ref.Val {
	items, ok1 := list.(traits.Lister)
	between, ok2 := separator.(types.String)
	if !ok1 || !ok2 {
		return types.MaybeNoSuchOverloadErr(list)
	}
	var b strings.Builder
	for it := items.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		text, ok := item.(types.String)
		if !ok {
			return types.NewErrFromString(fmt.Sprintf("join takes a list of texts, this has a %s in it", item.Type().TypeName()))
		}
		if b.Len()+len(text)+len(between) > maxText {
			return tooLarge()
		}
		b.WriteString(string(text))
		if it.HasNext() == types.True {
			b.WriteString(string(between))
		}
	}
	return types.String(b.String())
}

func matches(subject, pattern ref.Val) ref.Val {
	text, ok1 := subject.(types.String)
	expr, ok2 := pattern.(types.String)
	switch {
	case !ok1 || !ok2:
		return types.MaybeNoSuchOverloadErr(subject)
	case len(text) > maxSubject:
		return types.NewErrFromString(fmt.Sprintf("matches takes a text of at most %d bytes", maxSubject))
	}
	compiled, err := compilePattern(string(expr))
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Bool(compiled.MatchString(string(text)))
}

func compilePattern(expr string) (*regexp.Regexp, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxPattern {
		return nil, fmt.Errorf("the pattern is too complex: it has %d steps, at most %d are allowed", len(program.Inst), maxPattern)
	}
	return regexp.Compile(expr)
}
