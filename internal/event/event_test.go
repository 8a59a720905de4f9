package event

import (
	"context"
	"testing"
	"testing/synctest"
)

// Everybody hears what is published after they subscribed, in order.
func TestBus(t *testing.T) {
	var bus Bus
	bus.Publish(Event{Kind: Tools, Agent: "before"})
	one, two := bus.Subscribe(t.Context()), bus.Subscribe(t.Context())
	for _, agent := range []string{"a", "b", "c"} {
		bus.Publish(Event{Kind: Tools, Agent: agent})
	}
	for _, events := range []func(func(Event) bool){one, two} {
		heard := ""
		for e := range events {
			if heard += e.Agent; len(heard) == 3 {
				break
			}
		}
		if heard != "abc" {
			t.Errorf("heard %q", heard)
		}
	}
	if len(bus.subs) != 0 {
		t.Errorf("%d subscribers are left", len(bus.subs))
	}
}

// A subscriber that does not read holds up nobody, keeps a bounded number of
// events, and is told how many it missed.
func TestBusIsBounded(t *testing.T) {
	var bus Bus
	events := bus.Subscribe(t.Context())
	for i := range 10 * queueSize {
		bus.Publish(Event{Revision: uint64(i)})
	}
	count := 0
	for e := range events {
		if count == 0 && (e.Missed != 9*queueSize || e.Revision != 9*queueSize) {
			t.Errorf("the first is %+v", e)
		}
		if count > 0 && e.Missed != 0 {
			t.Errorf("%+v", e)
		}
		if count++; e.Revision == 10*queueSize-1 {
			break
		}
	}
	if count != queueSize {
		t.Errorf("%d events, want %d", count, queueSize)
	}
}

// The end of the context ends a subscription, read or not.
func TestBusEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bus Bus
		ctx, cancel := context.WithCancel(t.Context())
		bus.Subscribe(ctx)
		events := bus.Subscribe(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range events {
				t.Error("an event from nowhere")
			}
		}()
		synctest.Wait()
		cancel()
		<-done
		synctest.Wait()
		if len(bus.subs) != 0 {
			t.Errorf("%d subscribers are left", len(bus.subs))
		}
	})
}
