package secret

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// Logger returns a logger that redacts what it passes on to another.
func (v *Vault) Logger(to *slog.Logger) *slog.Logger {
	if v == nil || to == nil {
		return to
	}
	if own, ok := to.Handler().(*handler); ok && own.vault == v {
		return to
	}
	return slog.New(&handler{v, to.Handler()})
}

// handler redacts messages and attributes.
type handler struct {
	vault *Vault
	next  slog.Handler
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, h.vault.Redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, out)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = h.attr(a)
	}
	return &handler{h.vault, h.next.WithAttrs(out)}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.vault, h.next.WithGroup(name)}
}

func (h *handler) attr(a slog.Attr) slog.Attr {
	a.Value = a.Value.Resolve()
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(h.vault.Redact(a.Value.String()))
	case slog.KindGroup:
		group := a.Value.Group()
		out := make([]slog.Attr, len(group))
		for i, member := range group {
			out[i] = h.attr(member)
		}
		a.Value = slog.GroupValue(out...)
	case slog.KindAny:
		a.Value = h.any(a.Value)
	}
	return a
}

// any keeps a value in which there is no secret as it is.
func (h *handler) any(v slog.Value) slog.Value {
	var text string
	switch held := v.Any().(type) {
	case []byte:
		text = string(held)
	case json.RawMessage:
		text = string(held)
	default:
		text = fmt.Sprintf("%+v", held)
	}
	if redacted := h.vault.Redact(text); redacted != text {
		return slog.StringValue(redacted)
	}
	return v
}
