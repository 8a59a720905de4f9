package serve

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
)

type accepting struct{}

func (accepting) Name() string                        { return "u" }
func (accepting) Prefix() string                      { return "" }
func (accepting) Offers(context.Context, string) bool { return true }
func (accepting) Request(context.Context, string, json.RawMessage, *mcpclient.RequestOptions) (json.RawMessage, error) {
	return emptyResult, nil
}

// A session records a subscription once, up to its limit, and none after its
// end: the caller ends what is not recorded.
func TestSessionSubscriptionLimits(t *testing.T) {
	s, err := New(Options{Backend: Tools(gongu.NewRegistry(nil))})
	if err != nil {
		t.Fatal(err)
	}
	n := s.newSession(&gongu.Principal{Name: "p"}, "")
	if !n.addSubscription("0", accepting{}) || n.addSubscription("0", accepting{}) {
		t.Error("the same resource twice")
	}
	for i := 1; i < maxSubscribed; i++ {
		if !n.addSubscription(strconv.Itoa(i), accepting{}) {
			t.Fatalf("only %d", i)
		}
	}
	if n.addSubscription("more", accepting{}) {
		t.Errorf("more than %d", maxSubscribed)
	}
	n.removeSubscription("0")
	n.end()
	if n.addSubscription("late", accepting{}) {
		t.Error("after the end of the session")
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}
