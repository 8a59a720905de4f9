package gongu

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"iter"
	"slices"
	"time"
)

// Attempt is one call as guards and observers see it. They run one after the
// other; an Attempt is not safe for concurrent use.
type Attempt struct {
	// Call has the frozen arguments that the handler will get.
	Call Call
	// Catalog is the executor's catalog; nil if it has none.
	Catalog *Catalog
	// Bypassed is true if the tool is not in the catalog and
	// [ExecutorOptions].Bypass allowed the call.
	Bypassed bool
	DryRun   bool
	Started  time.Time
	// Principal is the caller; nil is the program itself.
	Principal *Principal
	// Parent is the call whose handler made this one, such as a macro's; nil
	// if no handler made it.
	Parent *Attempt

	dispatch *dispatch
	entry    *entry
	patch    json.RawMessage
	waited   bool
	limits   Limits
	notes    []note
	expected []FileChange
}

type note struct{ key, value string }

// Tool returns a copy of the tool. It returns false if the call was refused
// before a tool was found.
func (a *Attempt) Tool() (Tool, bool) {
	if a.entry == nil {
		return Tool{}, false
	}
	return a.entry.tool.clone(), true
}

// SharedTool returns the tool without copying it, or nil as [Attempt.Tool] returns
// false. It must not be changed.
func (a *Attempt) SharedTool() *Tool {
	if a.entry == nil {
		return nil
	}
	return &a.entry.tool
}

// ToolDigest returns the SHA-256 of [Tool.Digest] without copying the tool. It
// is zero when the call has no tool.
func (a *Attempt) ToolDigest() [sha256.Size]byte {
	if a.entry == nil {
		return [sha256.Size]byte{}
	}
	return a.entry.digest
}

// Schemas returns the schemas of the tool's arguments and output without copying
// the tool.
func (a *Attempt) Schemas() (parameters, output Schema) {
	if a.entry == nil {
		return "", ""
	}
	return a.entry.tool.Parameters, a.entry.tool.Output
}

// Source returns the owner of the tool without copying the tool.
func (a *Attempt) Source() Source {
	if a.entry == nil {
		return Source{}
	}
	source := a.entry.tool.Source
	if source.MCP != nil {
		source.MCP = new(*source.MCP)
	}
	return source
}

// Matches reports whether one of the rules selects the tool.
func (a *Attempt) Matches(rules []Rule) bool { return a.entry != nil && anyMatches(rules, a.entry) }

// Context returns the [Context] that the handler will see, without Message and
// Logger, which are expensive to make.
func (a *Attempt) Context() Context {
	if a.dispatch == nil {
		return Context{ToolCallID: a.Call.ID, ToolName: a.Call.Name, Principal: a.Principal, Catalog: a.Catalog}
	}
	c := a.dispatch.baseContext(a.dispatch.ctx)
	c.Message, c.Logger = nil, nil
	return c
}

// Limit tightens the limits of this call. A value that is zero or looser than
// the current limit has no effect. Serial and Inline are ignored.
func (a *Attempt) Limit(l Limits) {
	a.limits.Timeout = tighter(a.limits.Timeout, l.Timeout)
	a.limits.ErrorMessage = tighter(a.limits.ErrorMessage, l.ErrorMessage)
	a.limits.Output = tighter(a.limits.Output, l.Output)
}

// tighter returns the smaller limit. Zero and negative values are no limit.
func tighter[T int | time.Duration](now, wanted T) T {
	if wanted <= 0 || now > 0 && now < wanted {
		return now
	}
	return wanted
}

// Note records something about the call for observers, such as the rule that
// allowed it. A second note with the same key replaces the first.
func (a *Attempt) Note(key, value string) {
	for i := range a.notes {
		if a.notes[i].key == key {
			a.notes[i].value = value
			return
		}
	}
	a.notes = append(a.notes, note{key, value})
}

// Notes yields the notes in the order in which they were made.
func (a *Attempt) Notes() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for _, n := range a.notes {
			if !yield(n.key, n.value) {
				return
			}
		}
	}
}

// OnEnd runs fn with the result when the call ends, so that a guard can release
// what it acquired for the call. Functions run in reverse order. If the call
// has already ended, fn runs at once.
func (a *Attempt) OnEnd(fn func(Result)) {
	if a.dispatch != nil {
		a.dispatch.onEnd(fn)
	}
}

// Patch replaces the arguments. All checks then run again, the schema first.
func (a *Attempt) Patch(args json.RawMessage) { a.patch = args }

// Waited records that the guard has waited. The catalog and the earlier guards
// are then checked again, because their answers may have changed.
func (a *Attempt) Waited() { a.waited = true }

// Await runs wait, for an approval for example, and implies [Attempt.Waited].
// Until wait returns, other calls can use the call's place in its batch and its
// server's slot (see [WithSlot]), and the time of the macros around this call
// stops. ctx must be the guard's, or derived from it. Await returns the
// error of wait, or the error of acquiring the slot again.
func (a *Attempt) Await(ctx context.Context, wait func(context.Context) error) error {
	a.waited = true
	for outer := a.Parent; outer != nil; outer = outer.Parent {
		if outer.dispatch != nil {
			outer.dispatch.clock.Stop()
			defer outer.dispatch.clock.Start()
		}
	}
	return slotOf(ctx).outside(ctx, wait)
}

// onEnd registers fn for the end of the call. A middleware may answer while
// guards still run, so the call may have ended already.
func (d *dispatch) onEnd(fn func(Result)) {
	d.endMu.Lock()
	ended := d.ended
	if !ended {
		d.ends = append(d.ends, fn)
	}
	d.endMu.Unlock()
	if ended {
		d.protect("end of call", func() { fn(d.final) })
	}
}

// end runs the functions of [Attempt.OnEnd] and ends the observers.
func (d *dispatch) end(r Result) {
	d.endMu.Lock()
	ends := d.ends
	d.ends, d.ended, d.final = nil, true, r
	d.endMu.Unlock()
	for _, fn := range slices.Backward(ends) {
		d.protect("end of call", func() { fn(r) })
	}
	d.endObservers(r)
}
