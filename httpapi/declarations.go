package httpapi

import (
	"encoding/json"

	"github.com/gongu-ai/gongu/dialect"
	"github.com/gongu-ai/gongu/internal/lang"
)

// declarations is the tools value of a request to a model.
type declarations struct {
	Dialect string          `json:"dialect"`
	Tools   json.RawMessage `json:"tools"`
	// Losses lists parts of definitions that the dialect cannot express.
	Losses []dialect.Loss `json:"losses"`
	// LeftOut explains which tools the dialect cannot declare.
	LeftOut string `json:"leftOut,omitempty"`
}

// declare returns all visible tools in the format of a model provider, for
// programs in any language. The list has no pages: a model needs all of it.
func (x *exchange) declare() (any, error) {
	name := x.query("dialect")
	provider, err := dialect.Parse(name)
	if err != nil {
		return nil, fail(CodeInvalid, lang.APIBadValue.With("dialect", clip(name)), x.oneOf(name, dialect.Names()))
	}
	catalog, err := x.catalog()
	if err != nil {
		return nil, err
	}
	declared, err := dialect.DeclareAll(provider, catalog.Visible(), &dialect.Options{Lang: string(x.lang)})
	if declared.JSON == nil {
		return nil, err
	}
	reply := declarations{Dialect: string(provider), Tools: declared.JSON, Losses: append([]dialect.Loss{}, declared.Losses...)}
	if err != nil {
		reply.LeftOut = err.Error()
	}
	return reply, nil
}
