package gongu

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"iter"
	"slices"
	"time"
)

// Attempt is one call on its way to a handler, as guards and observers see it.
// Both run one after the other; Attempt is not safe for concurrent use.
type Attempt struct {
	// Call has the arguments as they are now: frozen, and what the handler
	// will get.
	Call Call
	// Catalog is the one the call was made under; nil if there was none.
	Catalog *Catalog
	// Bypassed says that the catalog did not have the tool but the executor's
	// bypass did.
	Bypassed bool
	DryRun   bool
	Started  time.Time
	// Principal is the caller; nil is the program itself.
	Principal *Principal
	// Parent is the call whose handler made this one, such as a macro; nil
	// for a call from outside.
	Parent *Attempt

	dispatch *dispatch
	entry    *entry
	patch    json.RawMessage
	waited   bool
	limits   Limits
	notes    []note
}

type note struct{ key, value string }

// Tool returns a copy of the tool, and whether the call got as far as having
// one.
func (a *Attempt) Tool() (Tool, bool) {
	if a.entry == nil {
		return Tool{}, false
	}
	return a.entry.tool.clone(), true
}

// ToolDigest is the SHA-256 behind [Tool.Digest], without the cost of a copy
// of the tool; zero when the call has no tool.
func (a *Attempt) ToolDigest() [sha256.Size]byte {
	if a.entry == nil {
		return [sha256.Size]byte{}
	}
	return a.entry.digest
}

// Source is the owner of the tool, without the cost of a copy of all of it.
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

// Context is the [Context] that the handler will see, without Message and
// Logger, which are expensive to make.
func (a *Attempt) Context() Context {
	if a.dispatch == nil {
		return Context{ToolCallID: a.Call.ID, ToolName: a.Call.Name, Principal: a.Principal, Catalog: a.Catalog}
	}
	c := a.dispatch.baseContext(a.dispatch.ctx)
	c.Message, c.Logger = nil, nil
	return c
}

// Limit tightens the limits of this call. A value that is zero, or looser than
// what holds already, changes nothing. Serial and Inline are the tool's and are
// ignored.
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

// Notes yields what guards noted, in that order.
func (a *Attempt) Notes() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for _, n := range a.notes {
			if !yield(n.key, n.value) {
				return
			}
		}
	}
}

// OnEnd runs fn once with the result when the call is over, the last one added
// first. It is for what a guard took for the time of the call. If the call is
// already over, fn runs at once.
func (a *Attempt) OnEnd(fn func(Result)) {
	if a.dispatch != nil {
		a.dispatch.onEnd(fn)
	}
}

// Patch replaces the arguments. All checks begin again, with the schema.
func (a *Attempt) Patch(args json.RawMessage) { a.patch = args }

// Waited tells that time has passed. The catalog and earlier guards are asked
// again, because the answers may have changed meanwhile.
func (a *Attempt) Waited() { a.waited = true }

// Await runs wait, for an approval for example, as [Attempt.Waited] and without
// holding up other calls: the call's place in its batch, and its server's slot
// (see [WithSlot]), are free until wait returns. ctx must be the guard's, or
// derived from it. Await returns the error of wait, or why no slot could be
// taken again.
func (a *Attempt) Await(ctx context.Context, wait func(context.Context) error) error {
	a.waited = true
	return outsideSlots(ctx, wait)
}

// onEnd keeps fn for the end of the call. A middleware may answer while guards
// still run, so that this can be later.
func (d *dispatch) onEnd(fn func(Result)) {
	d.endMu.Lock()
	ended := d.ended
	if ended == nil {
		d.ends = append(d.ends, fn)
	}
	d.endMu.Unlock()
	if ended != nil {
		d.protect("end of call", func() { fn(*ended) })
	}
}

// end runs what guards left for the end of the call, and tells the observers.
func (d *dispatch) end(r Result) {
	d.endMu.Lock()
	ends := d.ends
	d.ends, d.ended = nil, &r
	d.endMu.Unlock()
	for _, fn := range slices.Backward(ends) {
		d.protect("end of call", func() { fn(r) })
	}
	d.endObservers(r)
}
