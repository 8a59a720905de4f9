package gongu

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Guard checks a call with its frozen arguments before the handler runs. Check
// returns nil to allow the call or an [Error] to refuse it. A panic refuses it,
// too.
type Guard struct {
	Name  string
	Check func(ctx context.Context, a *Attempt) *Error
}

// maxPatches limits how often guards may restart the checks.
const maxPatches = 8

// passGuards checks the frozen arguments: the schema, then the guards in
// order.
func (d *dispatch) passGuards(ctx context.Context) *Error {
	for range maxPatches {
		if err := d.checkSchema(); err != nil {
			return err
		}
		patched, err := d.runGuards(ctx)
		if err != nil || !patched {
			return err
		}
	}
	return &Error{Message: lang.CausePatches.In(d.exec.lang, maxPatches)}
}

func (d *dispatch) runGuards(ctx context.Context) (patched bool, refused *Error) {
	guards := d.exec.opts.Guards
	asking := ""
	defer func() {
		if thrown := recover(); thrown != nil {
			message := lang.CauseGuardPanic.In(d.exec.lang, asking, d.name(), errorOfPanic(thrown).Message)
			patched, refused = false, &Error{Code: CodePanic, Message: message}
		}
	}()
	a := &d.attempt
	ask := func(guard *Guard) *Error {
		asking, a.patch, a.waited = guard.Name, nil, false
		return guard.Check(ctx, a)
	}
	for i := range guards {
		if err := ask(&guards[i]); err != nil {
			return false, err
		}
		if a.patch != nil && d.fixedArgs() {
			if err := d.repatched(a.patch); err != nil {
				return false, err
			}
			a.patch = nil
		}
		if !a.waited && a.patch == nil {
			continue
		}
		if err := d.readmit(); err != nil {
			return false, err
		}
		if a.patch != nil {
			return true, d.freeze(a.patch)
		}
		for j := range i {
			if err := ask(&guards[j]); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// freeze copies the arguments, so that the handler gets the bytes that the guards
// have checked.
func (d *dispatch) freeze(args json.RawMessage) *Error {
	object, problem := jsonx.Object(args, d.exec.opts.MaxArgs)
	if problem != nil {
		return d.invalidArgs([]string{d.issue(problem.Path, problem.Message)}, nil, nil)
	}
	d.attempt.Call.Args = bytes.Clone(object)
	return nil
}

// shownIssues is how many issues an error message lists.
const shownIssues = 5

func (d *dispatch) checkSchema() *Error {
	failure := d.attempt.entry.checker.Check(d.attempt.Call.Args)
	if failure == nil {
		return nil
	}
	l := d.exec.lang
	switch {
	case failure.Broken != nil:
		return &Error{Code: CodeUnavailable, Message: lang.CauseBadSchema.In(l, d.name(), failure.Broken.Error()), cause: failure.Broken}
	case failure.TooComplex:
		return d.invalidArgs([]string{d.issue("args", lang.ArgsTooComplex.With())}, failure.Required, failure.Allowed)
	}
	issues := make([]string, 0, shownIssues+1)
	for _, issue := range failure.Issues[:min(shownIssues, len(failure.Issues))] {
		issues = append(issues, d.issue(issue.Path, issue.Message))
	}
	if more := len(failure.Issues) - shownIssues; more > 0 {
		issues = append(issues, lang.MoreIssues.In(l, more))
	}
	return d.invalidArgs(issues, failure.Required, failure.Allowed)
}

func (d *dispatch) issue(path string, message lang.Message) string {
	return fmt.Sprintf("%s: %s", path, message.In(d.exec.lang))
}

func (d *dispatch) invalidArgs(issues, required, allowed []string) *Error {
	l := d.exec.lang
	return &Error{
		Code:       CodeInvalidArgs,
		Message:    lang.MessageInvalidArgs.In(l, d.name(), strings.Join(issues, "; ")),
		Suggestion: lang.SuggestInvalidArgs.In(l, strings.Join(required, ", "), strings.Join(allowed, ", ")),
	}
}
