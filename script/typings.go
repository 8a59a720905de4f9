package script

import (
	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
)

// Typings declares tools in TypeScript, for a model that writes code for [Code]:
// the arguments of each tool, and its result if the tool has an output schema.
// Typings leaves out what would make the text too long, and says so in the text.
func Typings(tools []gongu.Tool) string {
	types := make([]jsbuild.ToolType, len(tools))
	for i, t := range tools {
		types[i] = jsbuild.ToolType{Name: t.Name, Description: t.Description, Parameters: string(t.Parameters), Output: string(t.Output)}
	}
	return jsbuild.Typings(types)
}
