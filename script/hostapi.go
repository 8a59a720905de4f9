package script

import (
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
)

// hostAPI is what the scripts of an engine find around them. What is not in it
// does not exist for them, whatever they do to the shim.
type hostAPI struct {
	shim       func() ([]byte, error)
	operations map[string]operationFunc
	immediates map[string]immediate
	// hint is what to use in place of a global that is not there, or empty.
	hint func(l lang.Lang, name string, at jsbuild.Position) string
	// quiet leaves out that a tool's own code is at fault: there is no tool.
	quiet bool
}

// moduleAPI is that of a module.
func moduleAPI() *hostAPI {
	return &hostAPI{shim: shim, operations: operations, immediates: immediates, hint: hintGlobal}
}

func hintGlobal(l lang.Lang, name string, at jsbuild.Position) string {
	nearest := jsbuild.NearestGlobal(name)
	if nearest == "" {
		return ""
	}
	return lang.ScriptNoGlobal.In(l, name, jsbuild.Position{File: at.File, Line: at.Line}, nearest)
}
