package macro

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/expr"
	"github.com/gongu-ai/gongu/internal/lang"
)

// run is one call of a macro.
type run struct {
	*machine
	lang     lang.Lang
	executor *gongu.Executor
	budget   *budget
	parent   string // the id of the macro's call
	vars     map[string]any
	steps    map[string]any // what vars shows as steps
	// answer is the output of the last step that gave one.
	answer    gongu.Result
	completed []string // labels of the step runs that succeeded
	held      int
}

// all runs the steps. A result other than nil ends the macro.
func (r *run) all(ctx context.Context) gongu.Result {
	r.answer = gongu.OK(nil)
	for i := range r.machine.steps {
		if end := r.step(ctx, i); end != nil {
			return *end
		}
	}
	if r.output == nil {
		return r.answer
	}
	rendered, failure := r.render(ctx, r.output)
	if failure != nil {
		return *r.exprFailed(failure)
	}
	return gongu.Result{Status: gongu.StatusOK, Output: rendered}
}

// release gives back what the outputs of this macro took from the budget that
// it shares with its callers.
func (r *run) release() { r.budget.release(r.held) }

// outcome is the result of one run of a step.
type outcome struct {
	skipped bool
	// result has the output, or that of onError.
	result gongu.Result
	failed *gongu.Error
	// hasOutput is false after a failure without a fallback.
	hasOutput bool
}

const statusSkipped = "skipped"

// step runs one step, or all items of one.
func (r *run) step(ctx context.Context, i int) *gongu.Result {
	s := &r.machine.steps[i]
	label := s.id
	if label == "" {
		label = strconv.Itoa(i + 1)
	}
	if s.forEach != nil {
		return r.loop(ctx, s, label)
	}
	out, end := r.once(ctx, s, label)
	if end != nil {
		return end
	}
	record, end := r.record(s, label, out)
	if end != nil {
		return end
	}
	r.keep(s, record)
	if out.hasOutput {
		r.answer = out.result
	}
	return nil
}

// loop runs a step for each item of its list.
func (r *run) loop(ctx context.Context, s *step, label string) *gongu.Result {
	items, end := r.items(ctx, s)
	if end != nil {
		return end
	}
	defer func() { delete(r.vars, varItem); delete(r.vars, varIndex) }()
	record := map[string]any{"status": gongu.StatusOK}
	outputs, records, raws := []any{}, []any{}, []json.RawMessage{}
	for i, item := range items {
		r.vars[varItem], r.vars[varIndex] = item, int64(i)
		itemLabel := label + "[" + strconv.Itoa(i) + "]"
		out, end := r.once(ctx, s, itemLabel)
		if end != nil {
			return end
		}
		one, end := r.record(s, itemLabel, out)
		if end != nil {
			return end
		}
		if s.kept {
			records = append(records, one)
		}
		if out.failed != nil && record["error"] == nil {
			record["status"], record["error"] = gongu.StatusError, one["error"]
		}
		if out.hasOutput {
			outputs = append(outputs, one["output"])
			raws = append(raws, out.result.Output)
		}
	}
	record["output"], record["items"] = outputs, records
	r.keep(s, record)
	r.answer = gongu.OK(raws)
	return nil
}

// items evaluates forEach.
func (r *run) items(ctx context.Context, s *step) ([]ref.Val, *gongu.Result) {
	value, failure := s.forEach.eval(ctx, r.vars, r.budget)
	if failure != nil {
		return nil, r.exprFailed(failure)
	}
	list, ok := value.(traits.Lister)
	if !ok {
		return nil, r.exprFailed(s.forEach.failure(lang.MacroNotList.With(value.Type().TypeName()), lang.MacroHintList.With()))
	}
	size, ok := list.Size().(types.Int)
	if limit := r.opts.Limits.Items; !ok || int(size) > limit {
		return nil, r.exprFailed(s.forEach.failure(lang.MacroItems.With(int(size), limit), lang.MacroFewer.With()))
	}
	items := make([]ref.Val, 0, size)
	for it := list.Iterator(); it.HasNext() == types.True; {
		items = append(items, it.Next())
	}
	return items, nil
}

// once runs a step for one item, or the only time.
func (r *run) once(ctx context.Context, s *step, label string) (outcome, *gongu.Result) {
	if err := ctx.Err(); err != nil {
		return outcome{}, r.stopped(label, err)
	}
	if s.when != nil {
		wanted, end := r.wanted(ctx, s.when)
		if end != nil || !wanted {
			return outcome{skipped: true}, end
		}
	}
	if !r.budget.run() {
		message := lang.MacroRuns.In(r.lang, label, r.name, r.budget.limits.Runs)
		return outcome{}, r.limited(message)
	}
	args, failure := r.render(ctx, s.params)
	if failure != nil {
		return outcome{}, r.exprFailed(failure)
	}
	result := r.executor.Call(ctx, gongu.Call{ID: r.parent + "/" + label, Name: s.tool, Args: args})
	if !result.Failed() {
		r.completed = append(r.completed, label)
		return outcome{result: result, hasOutput: true}, nil
	}
	if err := ctx.Err(); err != nil {
		return outcome{}, r.stopped(label, err)
	}
	if !s.onError.goesOn() {
		return outcome{}, r.stepFailed(s, label, result)
	}
	return r.fallBack(ctx, s, result)
}

// fallBack goes on after a failure, with another output if there is one.
func (r *run) fallBack(ctx context.Context, s *step, result gongu.Result) (outcome, *gongu.Result) {
	out := outcome{failed: result.Error}
	if s.fallback == nil {
		return out, nil
	}
	r.vars[varError] = errorRecord(result.Error)
	defer delete(r.vars, varError)
	output, failure := r.render(ctx, s.fallback)
	if failure != nil {
		return out, r.exprFailed(failure)
	}
	out.result, out.hasOutput = gongu.Result{Status: gongu.StatusOK, Output: output}, true
	return out, nil
}

func (r *run) wanted(ctx context.Context, when *expression) (bool, *gongu.Result) {
	value, failure := when.eval(ctx, r.vars, r.budget)
	if failure != nil {
		return false, r.exprFailed(failure)
	}
	yes, ok := value.(types.Bool)
	if !ok {
		return false, r.exprFailed(when.failure(lang.MacroNotBool.With(value.Type().TypeName()), lang.MacroHintBool.With()))
	}
	return bool(yes), nil
}

// record returns what later expressions see of one run. It does not decode
// outputs that no expression uses.
func (r *run) record(s *step, label string, out outcome) (map[string]any, *gongu.Result) {
	record := map[string]any{"status": gongu.StatusOK}
	if out.skipped {
		record["status"] = statusSkipped
		return record, nil
	}
	if out.failed != nil {
		record["status"], record["error"] = gongu.StatusError, errorRecord(out.failed)
	}
	if !out.hasOutput {
		return record, nil
	}
	if s.kept || r.output == nil {
		size := len(out.result.Output)
		r.held += size
		if !r.budget.hold(size) {
			return nil, r.limited(lang.MacroHeld.In(r.lang, label, r.name, r.budget.limits.Held))
		}
	}
	if s.kept {
		output, err := expr.Decode(out.result.Output)
		if err != nil {
			return nil, r.limited(fmt.Sprintf("%s: %v", label, err))
		}
		record["output"] = output
	}
	return record, nil
}

func (r *run) keep(s *step, record map[string]any) {
	if s.kept {
		r.steps[s.id] = record
	}
}

func errorRecord(err *gongu.Error) map[string]any {
	if err == nil {
		err = &gongu.Error{}
	}
	return map[string]any{"message": err.Message, "code": err.Code, "name": err.Name, "suggestion": err.Suggestion}
}
