package source

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/shellword"
	"github.com/gongu-ai/gongu/pin"
)

// Guard returns a guard that checks before a call that the tool is still the
// accepted one. It lists the source again when the list is too old.
func (m *Manager) Guard() gongu.Guard {
	return gongu.Guard{Name: "pin", Check: m.check}
}

func (m *Manager) check(ctx context.Context, a *gongu.Attempt) *gongu.Error {
	owner := a.Source()
	if owner.Type != "mcp" && owner.Type != "command" {
		return nil
	}
	e := m.find(owner)
	if e == nil {
		return nil // not a source of this manager
	}
	if !a.DryRun && !e.fresh(m.oldest(e)) {
		a.Waited()
		if refusal := m.reach(ctx, e); refusal != nil {
			return refusal
		}
	}
	// The list may have changed after the call was admitted.
	if refusal, held := m.heldError(e, a.Call.Name); held {
		return refusal
	}
	return nil
}

// oldest is when the list of a source must have been requested to be used now.
func (m *Manager) oldest(e *entry) time.Time { return m.opts.Now().Add(-e.maxAge) }

// reach lists a source again unless its list is recent enough.
func (m *Manager) reach(ctx context.Context, e *entry) *gongu.Error {
	if err := e.refresh(ctx, m.oldest(e)); err != nil {
		return m.unreachable(ctx, e, err)
	}
	return nil
}

// Reach does what the guard does before a call of a tool of the source: it lists
// the source again when its list is too old. It returns why that failed, or nil.
func (m *Manager) Reach(ctx context.Context, s gongu.Source) *gongu.Error {
	e := m.find(s)
	if e == nil || e.fresh(m.oldest(e)) {
		return nil
	}
	return m.reach(ctx, e)
}

func (m *Manager) unreachable(ctx context.Context, e *entry, err error) *gongu.Error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return &gongu.Error{Code: gongu.CodeCancelled, Message: err.Error()}
	}
	return &gongu.Error{
		Code:       gongu.CodeUnavailable,
		Message:    lang.SourceUnreachable.In(m.lang, e.source.Identity(), err),
		Suggestion: lang.SourceUnreachHint.In(m.lang),
	}
}

// Held returns why a tool of this name is held back, and its source.
func (m *Manager) Held(name string) (refusal *gongu.Error, owner gongu.Source, ok bool) {
	for _, e := range m.all() {
		if refusal, ok := m.heldError(e, name); ok {
			return refusal, e.source, true
		}
	}
	return nil, gongu.Source{}, false
}

// HeldVerdict returns what the pins say about a tool that is held back.
func (m *Manager) HeldVerdict(name string) (pin.Verdict, bool) {
	for _, e := range m.all() {
		if v, ok := e.view.Load().held[name]; ok {
			return v, true
		}
	}
	return pin.Verdict{}, false
}

// HeldNames returns the names of the tools that are held back.
func (m *Manager) HeldNames() []string {
	var names []string
	for _, e := range m.all() {
		names = slices.AppendSeq(names, maps.Keys(e.view.Load().held))
	}
	slices.Sort(names)
	return names
}

func (m *Manager) heldError(e *entry, name string) (*gongu.Error, bool) {
	v, ok := e.view.Load().held[name]
	if !ok {
		return nil, false
	}
	text := lang.SourceChanged
	switch v.State {
	case pin.New:
		text = lang.SourceNew
	case pin.Flagged:
		text = lang.SourceFlagged
	case pin.Moved:
		text = lang.SourceMoved
	}
	message := text.In(m.lang, name)
	if parts := partsOf(v); len(parts) > 0 {
		message += " " + lang.SourceParts.In(m.lang, strings.Join(parts, ", "))
	}
	target := shellword.Quote(pin.Visible(v.Name)) // people copy it into a shell
	return &gongu.Error{Code: gongu.CodeQuarantined, Message: message, Suggestion: lang.SourceHeldHint.In(m.lang, target, target)}, true
}

// partsOf names the members of a definition that changed or have findings, and
// nothing of what they say: the text was not accepted, so a model does not read
// it, not even the names of its parameters.
func partsOf(v pin.Verdict) []string {
	var parts []string
	add := func(path, rule string) {
		if strings.HasPrefix(path, pin.LaunchPath) {
			return
		}
		part := path
		if end := strings.IndexAny(path, ".[ "); end >= 0 {
			part = path[:end]
		}
		switch part {
		case "name", "title", "description", "inputSchema", "outputSchema", "annotations":
		default:
			return
		}
		if rule != "" {
			part += " (" + rule + ")"
		}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	for _, change := range v.Changes {
		add(change.Path, "")
	}
	for _, f := range v.Findings {
		add(f.Path, f.Rule)
	}
	return parts
}
