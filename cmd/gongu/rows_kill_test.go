//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu/internal/pgtest"
	"github.com/gongu-ai/gongu/internal/rows"
	"github.com/gongu-ai/gongu/state"
	"github.com/gongu-ai/gongu/toolrequest"
)

// Promise R3: a server that is killed while it decides leaves each decision whole or
// not made: the status of the request, its tool and its record.
func TestR3_KilledWhileDeciding(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	const yaml = "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: text-transform}\nspec: {entry: \"builtin:text-transform\", exports: [{name: case}]}\n"
	a, store := newStoreHost(t, url, yaml), openShared(t, url)
	manager := a.decide("token", "new", "--name", "boss", "--manage", "all")
	kills, requests := 3, 40
	if os.Getenv("GONGU_CHAOS") != "" {
		kills, requests = 40, 400
	}
	queue := toolrequest.NewRows(store.Documents(), filepath.Join(t.TempDir(), toolrequest.FileName), nil)
	for i := range requests {
		if _, _, err := queue.Add(t.Context(), toolrequest.New{Name: fmt.Sprintf("tool_%d", i), Description: "d", Proposal: json.RawMessage(`{"steps":[{"tool":"text-transform__case","params":{"text":"a","to":"upper"}}]}`)}); err != nil {
			t.Fatal(err)
		}
	}
	next := 0
	for range kills {
		s := a.serve()
		ending := make(chan struct{})
		var group sync.WaitGroup
		var mu sync.Mutex
		for range 4 {
			group.Go(func() {
				for {
					mu.Lock()
					id := fmt.Sprintf("req_%03d", next%requests+1)
					next++
					mu.Unlock()
					select {
					case <-ending:
						return
					default:
						approveOver(t, s.bearing(manager), queue, id)
					}
				}
			})
		}
		before := len(decisions(t, store))
		waitFor(t, "for some decisions", func() bool { return len(decisions(t, store)) >= min(before+requests/kills/2, requests) })
		s.kill()
		close(ending)
		group.Wait()
		checkDecided(t, store, queue)
	}
}

// approveOver approves a request over HTTP, if the server lives.
func approveOver(t *testing.T, u *mcpUser, queue toolrequest.Store, id string) {
	r, err := queue.Get(t.Context(), id)
	if err != nil || r.Status != toolrequest.Queued {
		return
	}
	u.do(t.Context(), http.MethodPost, "/api/v1/requests/"+id+"/approve", `{"digest":"`+r.Digest()+`"}`, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") })
}

// checkDecided compares the requests with their tools and with the record.
func checkDecided(t *testing.T, store *state.Store, queue toolrequest.Store) {
	t.Helper()
	var tools []rows.Row
	if err := store.Documents().View(t.Context(), func(ctx context.Context, tx rows.Tx) (err error) {
		tools, err = tx.List(ctx, "requests.tool")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	installed := map[string]bool{}
	for _, tool := range tools {
		installed[tool.Key] = true
	}
	decided := 0
	for f := (toolrequest.Filter{}); ; {
		page, err := queue.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Requests {
			if (r.Status != toolrequest.Queued) != installed[r.Name] {
				t.Errorf("%s is %s, and its tool is installed: %t", r.ID, r.Status, installed[r.Name])
			}
			if r.Status != toolrequest.Queued {
				decided++
			}
		}
		if f.Cursor = page.NextCursor; f.Cursor == "" {
			break
		}
	}
	recorded := 0
	for _, action := range decisions(t, store) {
		if action == "request.approved" {
			recorded++
		}
	}
	if recorded != decided {
		t.Errorf("%d decisions, %d recorded", decided, recorded)
	}
}
