package gongu

import (
	"context"
	"strings"
	"testing"
)

// What a served call attaches (principal, slot, conversation, and the
// conversation again with who answers questions) is one layer of the context, and
// each value is found through other layers as well.
func TestValuesShareALayer(t *testing.T) {
	type foreignKey struct{}
	base := context.WithValue(t.Context(), foreignKey{}, "below")
	who := &Principal{Name: "p"}
	ctx := WithPrincipal(base, who)
	ctx, done := WithSlot(ctx, func(context.Context) error { return nil }, func() {})
	defer done()
	about := Context{AgentName: "a", InstanceKey: "i", TurnID: "t", TraceID: strings.Repeat("a", 32)}
	for _, workdir := range []string{"", "/w"} {
		about.Workdir = workdir
		var err error
		if ctx, err = WithContext(ctx, about); err != nil {
			t.Fatal(err)
		}
	}
	v, ok := ctx.(*values)
	if !ok || v.Context != base {
		t.Fatalf("%T is not one layer above the caller's context", ctx)
	}
	ctx = context.WithValue(ctx, foreignKey{}, "above")
	if got := ContextOf(ctx); PrincipalOf(ctx) != who || slotOf(ctx) == nil || got.Workdir != "/w" || got.AgentName != "a" {
		t.Errorf("%+v", got)
	}
	other := WithPrincipal(ctx, nil)
	if PrincipalOf(other) != nil || slotOf(other) == nil || PrincipalOf(ctx) != who {
		t.Error("a second principal must hide the first, and nothing else")
	}
	if v.Value(foreignKey{}) != "below" {
		t.Error("the caller's own values are lost")
	}
}
