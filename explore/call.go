package explore

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
)

func (x *explorer) callTool() gongu.Tool {
	return define(x, definition{
		name: CallTool, text: lang.ExploreCall, hints: acts(),
		params: []param{
			{Name: "name", Rule: rule{Type: "string"}},
			{Name: "arguments", Optional: true, Rule: rule{Type: "object"}},
		},
		keywords: []string{"run", "execute", "호출", "실행"},
		// The inner tool has its own time and limits, and its result has
		// passed them: a second bound here would only cut it again.
		limits: gongu.Limits{Timeout: -1, Output: math.MaxInt, ErrorMessage: math.MaxInt},
	}, callTool)
}

type callArgs struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func callTool(ctx context.Context, c *call, in callArgs) gongu.Result {
	if in.Name == CallTool {
		return c.refuse(gongu.CodeInvalidArgs, lang.ExploreNoSelfCall.In(c.lang, CallTool, CallTool), nil, lang.ExploreSuggestSearch.In(c.lang))
	}
	ctx, ok := deeper(ctx, c.opts.Limits.Depth)
	if !ok {
		return gongu.Fail(&gongu.Error{Message: lang.ExploreTooDeep.In(c.lang, c.opts.Limits.Depth)})
	}
	return c.inner(ctx, in.Name, in.Arguments)
}

// inner makes a call in the name of the caller: in its catalog, through its
// executor, and under the name of the tool.
func (c *call) inner(ctx context.Context, name string, args json.RawMessage) gongu.Result {
	if c.about.Executor == nil {
		return c.unknownTool(name)
	}
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	result := c.about.Executor.Call(ctx, gongu.Call{Name: name, Args: args})
	if result.Error != nil && len(result.Output) == 0 {
		if names, known := c.meant(result.Error.Code, name, args); known {
			result.Output = encode(suggestions{append([]string{}, names...)})
		}
	}
	return result
}

// meant finds what a refused call may have been meant to be: another tool, or
// other names of arguments.
func (c *call) meant(code, name string, args json.RawMessage) (names []string, known bool) {
	catalog := c.catalog()
	switch code {
	case gongu.CodeNotInCatalog, gongu.CodeNotFound:
		return catalog.Near(name), true
	case gongu.CodeInvalidArgs:
		tool, ok := catalog.Get(name)
		if !ok {
			return nil, false
		}
		return meantParams(tool.Parameters, args), true
	}
	return nil, false
}

// meantParams are the parameters of a schema that the unknown ones among the
// arguments are near to.
func meantParams(schema gongu.Schema, args json.RawMessage) []string {
	var declared struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var given map[string]json.RawMessage
	if json.Unmarshal([]byte(schema), &declared) != nil || json.Unmarshal(args, &given) != nil {
		return nil
	}
	const most = 3
	var names []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := declared.Properties[name]; ok {
			continue
		}
		for _, candidate := range near.Names(name, maps.Keys(declared.Properties), most) {
			if !slices.Contains(names, candidate) && len(names) < most {
				names = append(names, candidate)
			}
		}
	}
	return names
}

// depthKey counts the calls of call_tool and run_code around this one.
type depthKey struct{}

// deeper counts one more call, and returns false for one that is too deep.
func deeper(ctx context.Context, most int) (context.Context, bool) {
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= most {
		return ctx, false
	}
	return context.WithValue(ctx, depthKey{}, depth+1), true
}
