package builtin

import (
	"context"

	"github.com/gongu-ai/gongu"
)

// FileTools are the file tools with a hook that is called when new content is
// written and no file has it yet.
func FileTools(opts *Options, staged func(context.Context)) []gongu.Tool {
	s := newSystem(opts)
	s.files.staged = staged
	return []gongu.Tool{s.readTool(), s.writeTool(), s.editTool(), s.patchTool()}
}
