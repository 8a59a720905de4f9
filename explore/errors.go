package explore

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// suggestions is the output of an error: the names that may have been meant,
// for a program; error.suggestion says them in a sentence, for a model.
type suggestions struct {
	Suggestions []string `json:"suggestions"`
}

// refuse is an error with near names, best first. Next says what to do, and
// is the whole suggestion when no name is near.
func (c *call) refuse(code, message string, names []string, next string) gongu.Result {
	var sentences []string
	if len(names) > 0 {
		sentences = append(sentences, lang.ExploreSuggestNear.In(c.lang, strings.Join(names, ", ")))
	}
	if next != "" {
		sentences = append(sentences, next)
	}
	result := gongu.OK(suggestions{append([]string{}, names...)})
	result.Status = gongu.StatusError
	result.Error = &gongu.Error{Code: code, Message: message, Suggestion: strings.Join(sentences, " ")}
	return result
}

func (c *call) badArgs(issue string, names []string, next string) gongu.Result {
	return c.refuse(gongu.CodeInvalidArgs, lang.MessageInvalidArgs.In(c.lang, c.name, issue), names, next)
}

// unknownTool is the same for a tool that does not exist and for one that the
// caller may not see.
func (c *call) unknownTool(name string) gongu.Result {
	return c.refuse(gongu.CodeNotFound, lang.ToolNameNotFound.In(c.lang, name), c.catalog().Near(name), lang.ExploreSuggestSearch.In(c.lang))
}

// fieldOf names the argument that could not be read.
func fieldOf(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return wrong.Field
	}
	return "args"
}
