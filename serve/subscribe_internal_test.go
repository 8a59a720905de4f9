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
	want := func(uri string, wantAdded, wantFull bool) {
		t.Helper()
		if added, full := n.addSubscription(uri, accepting{}); added != wantAdded || full != wantFull {
			t.Errorf("%s: added %t, full %t", uri, added, full)
		}
	}
	want("0", true, false)
	want("0", false, false)
	for i := 1; i < maxSubscribed; i++ {
		want(strconv.Itoa(i), true, false)
	}
	want("more", false, true)
	n.removeSubscription("0")
	n.end()
	want("late", false, false)
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}
