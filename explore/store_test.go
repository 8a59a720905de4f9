package explore_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/toolrequest"
)

// tracker is a queue of somebody's own, such as an issue tracker.
type tracker struct {
	toolrequest.Store
	asked []string
}

func (s *tracker) Add(ctx context.Context, n toolrequest.New) (toolrequest.Request, bool, error) {
	s.asked = append(s.asked, n.Name)
	r, already, err := s.Store.Add(ctx, n)
	r.ID = "ticket-17"
	return r, already, err
}

// promise E8: the queue is an interface; the file is only what it is by
// default.
func TestE8_StoreOfYourOwn(t *testing.T) {
	var _ toolrequest.Store = (*toolrequest.File)(nil)
	store := &tracker{Store: toolrequest.NewMemory()}
	opts := &explore.Options{Requests: store}
	r := drawing(t, opts)
	x := gongu.NewExecutor(r, &gongu.ExecutorOptions{Catalog: gongu.Everything(r), Logger: silence()})
	result := x.Call(t.Context(), gongu.Call{Name: "request_tool", Args: json.RawMessage(`{"name":"draw_sofa","description":"a sofa"}`)})
	var answer struct {
		ID     string `json:"request_id"`
		Status string
	}
	if err := json.Unmarshal(result.Output, &answer); err != nil || answer.ID != "ticket-17" || answer.Status != "queued" {
		t.Errorf("%s %+v", result.Output, result.Error)
	}
	if len(store.asked) != 1 || store.asked[0] != "draw_sofa" {
		t.Errorf("asked for %v", store.asked)
	}
}
