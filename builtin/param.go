package builtin

import "github.com/gongu-ai/gongu/internal/toolschema"

type (
	param = toolschema.Param
	rule  = toolschema.Rule
)
