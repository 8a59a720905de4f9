package main

import (
	"context"

	"github.com/cloudwego/eino/components/tool/utils"
)

// newEino is the tool of CloudWeGo's Eino. It binds with sonic, which is
// compiled at run time, and does not check the schema.
func newEino(context.Context) (contestant, error) {
	tool, err := utils.InferTool(toolName, toolDescription, echo)
	if err != nil {
		return contestant{}, err
	}
	prepare := func(args []byte) caller {
		text := string(args)
		return func(ctx context.Context) (answer, error) {
			text, err := tool.InvokableRun(ctx, text)
			return answer{text: text}, err
		}
	}
	return contestant{
		name: "eino", prepare: prepare,
		note: "InferTool and InvokableRun; **no schema check**, no strict decode, no timeout: less work than the floor",
	}, nil
}
