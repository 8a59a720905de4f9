package script

import (
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
)

// hostAPI is what the scripts of an engine can use: the shim and the operations
// behind it. A script that changes the shim gains nothing.
type hostAPI struct {
	shim       func() ([]byte, error)
	operations map[string]operationFunc
	immediates map[string]immediate
	// hint returns a suggestion for an unknown global, or "".
	hint func(l lang.Lang, name string, at jsbuild.Position) string
	// quiet omits the suggestion that the tool's own code failed, for code that
	// a model wrote.
	quiet bool
}

// moduleAPI is the API of modules.
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
