package macro

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// progress is the output of a macro that failed: what has happened already
// cannot be taken back, so the caller must know.
type progress struct {
	Failed    *failedStep `json:"failed,omitempty"`
	Completed []string    `json:"completed"`
}

type failedStep struct {
	Step       string          `json:"step"`
	Tool       string          `json:"tool"`
	ToolCallID string          `json:"toolCallId"`
	Output     json.RawMessage `json:"output,omitempty"`
}

// maxShownOutput is how much of a failed step's own output is passed on, such
// as its suggestions.
const maxShownOutput = 4 << 10

// fail makes the result of a macro that ends here.
func (r *run) fail(err error, failed *failedStep) *gongu.Result {
	result := gongu.Fail(err)
	completed := r.completed
	if completed == nil {
		completed = []string{}
	}
	if n := len(completed); n > 0 {
		told := *result.Error
		told.Suggestion = strings.TrimSpace(told.Suggestion + " " + lang.MacroDone.In(r.lang, n))
		result.Error = &told
	}
	result.Output = gongu.OK(progress{Failed: failed, Completed: completed}).Output
	return &result
}

// stepFailed passes on the error of a step, with its code, and says which.
func (r *run) stepFailed(s *step, label string, result gongu.Result) *gongu.Result {
	err := *result.Error
	err.Message = lang.MacroStepFailed.In(r.lang, label, s.tool, err.Message)
	if err.Suggestion != "" {
		err.Suggestion = lang.MacroStepSuggest.In(r.lang, label, err.Suggestion)
	}
	failed := &failedStep{Step: label, Tool: s.tool, ToolCallID: result.ToolCallID}
	if len(result.Output) <= maxShownOutput {
		failed.Output = result.Output
	}
	return r.fail(&err, failed)
}

// exprFailed says which expression failed, and where in it.
func (r *run) exprFailed(e *evalError) *gongu.Result {
	where := (&Problem{Way: e.expr.at.way()}).Path()
	if e.cause != nil {
		return r.stopped(where, e.cause)
	}
	return r.fail(&gongu.Error{
		Name:       nameExpression,
		Message:    lang.MacroEvalFailed.In(r.lang, where, r.name, e.message.In(r.lang), snippet(e.expr.Source, e.Position)),
		Suggestion: e.hint.In(r.lang) + " " + lang.MacroFix.In(r.lang),
	}, nil)
}

func (r *run) limited(message string) *gongu.Result {
	return r.fail(&gongu.Error{Name: nameLimit, Message: message, Suggestion: lang.MacroFewer.In(r.lang)}, nil)
}

// stopped wraps the cause, so that the executor can distinguish a deadline from a
// cancellation.
func (r *run) stopped(label string, cause error) *gongu.Result {
	return r.fail(fmt.Errorf("%s: %w", lang.MacroStopped.In(r.lang, r.name, label), cause), nil)
}
