package httpapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/limit"
	"github.com/gongu-ai/gongu/internal/resume"
	"github.com/gongu-ai/gongu/state"
)

// ErrGone means that a principal may not make calls any more.
var ErrGone = errors.New("the principal may not make calls any more")

// encodeOrigin keeps the difference between no list, which allows everything, and
// an empty one, which allows nothing.
func encodeOrigin(o asyncOrigin) ([]byte, error) {
	return json.Marshal(o, json.FormatNilSliceAsNull(true))
}

// resumer resumes the calls that were answered with 202 and are decided now.
type resumer struct {
	api   *API
	calls context.Context // of the calls that run
	work  sync.WaitGroup
	// failed means that a call was not resumed and is tried again.
	failed atomic.Bool

	mu      sync.Mutex
	running map[string]bool
}

// resumeInterval is how often calls are tried again that could not be resumed.
const resumeInterval = time.Second

// maxResumed is how many calls are looked at together.
const maxResumed = 100

// ResumeCalls resumes suspended calls that a person has decided about, without
// their callers asking again, until ctx is done; then it waits for those that
// run. They end with the context calls. Several hosts of a store may do so: each
// call runs once.
func (a *API) ResumeCalls(ctx, calls context.Context) {
	if a.opts.Store == nil {
		return
	}
	r := &resumer{api: a, calls: calls, running: map[string]bool{}}
	defer r.work.Wait()
	hints := a.opts.Store.WatchApprovals(ctx)
	again := time.NewTicker(resumeInterval)
	defer again.Stop()
	left := true
	for {
		if left {
			left = r.pass(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case _, open := <-hints:
			if !open {
				return
			}
			left = true
		case <-again.C:
			left = r.failed.Swap(false) || left
		}
	}
}

// pass begins to resume the calls that are ready. It returns true if some are
// left for later.
func (r *resumer) pass(ctx context.Context) (left bool) {
	ready, err := r.api.opts.Store.ReadyCalls(ctx, state.KindAsync, maxResumed)
	if err != nil {
		if ctx.Err() == nil {
			r.api.opts.Logger.Error("the calls that can be resumed were not read", "error", err)
		}
		return true
	}
	for _, c := range ready {
		if !r.begin(c) {
			left = true
		}
	}
	return left || len(ready) == maxResumed
}

// begin resumes one call in the background, unless that is done already.
func (r *resumer) begin(c *state.Call) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[c.ID] {
		return true
	}
	slot, ok := limit.Take(r.api.running, r.api.waiting, "")
	if !ok {
		return false
	}
	r.running[c.ID] = true
	r.work.Go(func() {
		defer func() {
			slot.Release()
			r.mu.Lock()
			delete(r.running, c.ID)
			r.mu.Unlock()
		}()
		ctx, _ := gongu.WithSlot(r.calls, slot.Resume, slot.Wait)
		if err := r.resume(ctx, c); err != nil && r.calls.Err() == nil {
			r.failed.Store(true)
			r.api.opts.Logger.Error("a call was not resumed", "call", c.ID, "tool", c.Tool, "error", err)
		}
	})
	return true
}

// resume continues a call, and records how it ended.
func (r *resumer) resume(ctx context.Context, c *state.Call) error {
	var origin asyncOrigin
	if err := json.Unmarshal(c.Capabilities, &origin); err != nil {
		return r.end(ctx, c, gongu.Fail(fmt.Errorf("the record of the call cannot be read: %w", err)))
	}
	who, err := r.api.principal(ctx, &origin.Principal, c.Created)
	if errors.Is(err, ErrGone) {
		return r.end(ctx, c, gongu.Fail(&gongu.Error{Code: gongu.CodeDenied, Name: "ToolDeniedError", Message: lang.APICallerGone.In(r.api.lang, origin.Principal.Name)}))
	}
	if err != nil || who == nil {
		return err // another host may know it
	}
	ctx = gongu.WithPrincipal(ctx, who)
	backend := r.api.opts.Backend
	backend.Prepare(ctx, c.Tool)
	var suspended *gongu.Suspended
	err = backend.Step(ctx, origin.Agent, func(ctx context.Context, e *gongu.Executor) error {
		_, suspended = e.Resume(ctx, resume.Suspended(c), &asyncJournal{r, c})
		return nil
	})
	switch {
	case err != nil && ctx.Err() == nil:
		return r.end(ctx, c, gongu.Fail(err))
	case suspended != nil:
		_, _, err = r.api.opts.Store.ChangeCall(ctx, c.ID, func(now *state.Call, w state.Writer) bool {
			return now.Suspend(w, c.Round, resume.Waiting(suspended), asyncLife)
		})
	}
	return err
}

// end records the result of a call.
func (r *resumer) end(ctx context.Context, c *state.Call, result gongu.Result) error {
	result.ToolCallID, result.ToolName = c.CallID, c.Tool
	raw, err := jsonx.Marshal(result)
	if err != nil {
		return err
	}
	store := func(ctx context.Context) error {
		_, _, err := r.api.opts.Store.ChangeCall(ctx, c.ID, func(now *state.Call, w state.Writer) bool {
			return now.Round == c.Round && now.End(w, state.CallDone, raw, asyncKept)
		})
		if errors.Is(err, state.ErrNotFound) {
			return nil
		}
		return err
	}
	if err = store(context.WithoutCancel(ctx)); err != nil {
		r.retry(func(ctx context.Context) bool { return store(ctx) == nil })
	}
	return err
}

// retry runs do until it returns true, while calls may run.
func (r *resumer) retry(do func(context.Context) bool) {
	r.work.Go(func() {
		for {
			select {
			case <-time.After(resumeInterval):
			case <-r.calls.Done():
				return
			}
			if do(r.calls) {
				return
			}
		}
	})
}

// asyncJournal is the journal of a call that is resumed.
type asyncJournal struct {
	resumer *resumer
	call    *state.Call
}

var _ gongu.Journal = (*asyncJournal)(nil)

// errElsewhere ends an attempt whose call another one runs.
var errElsewhere = errors.New("another host runs the call")

// Begin lets the handler run on one host.
func (j *asyncJournal) Begin(ctx context.Context) (*gongu.Result, error) {
	started, err := resume.Start(ctx, j.resumer.api.opts.Store, j.call, j.resumer.retry)
	if err == nil && !started {
		err = errElsewhere
	}
	return nil, err
}

// End records the result.
func (j *asyncJournal) End(ctx context.Context, result gongu.Result) error {
	return j.resumer.end(ctx, j.call, result)
}
