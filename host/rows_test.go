package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/rows"
	"github.com/gongu-ai/gongu/toolrequest"
)

const sharedBundle = `apiVersion: gongu/v1
kind: Tool
metadata: {name: a}
spec: {entry: ./a.ts, exports: [{name: say, description: Says.}]}
`

// sharing returns a copy of a bundle and the options of a host on a store.
func sharing(t *testing.T, store rows.Store, text string) (dir string, o *host.Options) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, "gongu.yaml", sharedBundle)
	write(t, dir, "a.ts", "export const handlers = { say: () => '"+text+"' };\n")
	o = consenting(t)
	o.Rows = store
	return dir, o
}

// soon waits for what a host must notice within a second.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not within 30 seconds: " + what)
		}
	}
}

// Promise R3: a consent on one host counts on every host whose bundle has the same
// content, and runs from a copy on that host; another content is held there; a revocation ends
// all of them.
func TestR3_ConsentOfSeveralHosts(t *testing.T) {
	store := &rows.Memory{}
	dirA, a := sharing(t, store, "one")
	dirB, b := sharing(t, store, "one")
	if _, err := host.Open(t.Context(), dirB, b); !errors.Is(err, host.ErrNoConsent) {
		t.Fatalf("without a consent: %v", err)
	}
	grant(t, dirA, a)
	if files, err := os.ReadDir(a.Consent.Records.Dir); err != nil || len(files) != 0 {
		t.Errorf("the consent is also in a file: %v, %v", files, err)
	}
	b.Watch = true
	h := open(t, dirB, b)
	says := func(want string) func() bool {
		return func() bool { return string(call(t, h, "", "a__say", "{}").Output) == want }
	}
	if !says(`"one"`)() {
		t.Error("the other host has no tool")
	}
	// The copy of the other host is checked, and its own folder is not used.
	write(t, dirB, "a.ts", "export const handlers = { say: () => 'two' };\n")
	soon(t, "the change is held", func() bool { return h.Held() != nil })
	if !says(`"one"`)() {
		t.Error("a change without consent is in use")
	}
	// Another host consents to the same content.
	write(t, dirA, "a.ts", "export const handlers = { say: () => 'two' };\n")
	grant(t, dirA, a)
	soon(t, "the consent of the other host counts", says(`"two"`))
	// Both contents stay consented to: hosts are brought up to date one by one.
	write(t, dirB, "a.ts", "export const handlers = { say: () => 'one' };\n")
	soon(t, "the earlier content is consented to", says(`"one"`))
	records := host.Consents{Rows: store}
	if all, err := records.List(); err != nil || len(all) != 2 || all[0].Folder != dirA {
		t.Errorf("%+v, %v", all, err)
	}
	if err := records.Revoke(dirA); err != nil {
		t.Fatal(err)
	}
	soon(t, "the revocation counts", func() bool { return h.Held() != nil && h.Held().Waiting && len(h.Registry().Tools()) == 0 })
	var actions []string
	for _, d := range store.Decisions() {
		actions = append(actions, d.Action)
	}
	if want := []string{"consent.grant", "consent.grant", "consent.revoke"}; !slices.Equal(actions, want) {
		t.Errorf("recorded %v", actions)
	}
}

// Promise R3: consents of other contents do not count, also when their bytes are in
// the store's row.
func TestR3_ConsentIsToADigest(t *testing.T) {
	store := &rows.Memory{}
	dirA, a := sharing(t, store, "one")
	grant(t, dirA, a)
	dirB, b := sharing(t, store, "evil")
	if _, err := host.Open(t.Context(), dirB, b); !errors.Is(err, host.ErrNoConsent) {
		t.Errorf("another content: %v", err)
	}
	p, err := host.Propose(dirB, b)
	if err != nil || !p.Needed() {
		t.Fatalf("%+v, %v", p, err)
	}
	// A row whose key is not its digest, and some of another format.
	for _, row := range [][2]string{{"sha256:00", "2"}, {p.Digest, "1"}, {p.Digest, "9"}} {
		if err := store.Update(t.Context(), "consents", func(ctx context.Context, tx rows.Tx) error {
			return tx.Put(ctx, "consents.bundle", row[0], []byte(`{"version":`+row[1]+`,"digest":"`+p.Digest+`"}`))
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := host.Open(t.Context(), dirB, b); !errors.Is(err, host.ErrNoConsent) {
			t.Errorf("%v: %v", row, err)
		}
	}
}

// Promise R3: approving on one host gives the tool to all, with the decision, as one
// transaction; of many that decide at once, one does.
func TestR3_ApprovalOnAnotherHost(t *testing.T) {
	store := &rows.Memory{}
	dirA, a := sharing(t, store, "one")
	dirB, b := sharing(t, store, "one")
	grant(t, dirA, a)
	b.Watch = true
	ha, hb := open(t, dirA, a), open(t, dirB, b)
	id := ask(t, hb, "request_tool", `{"name":"shout","description":"Shouts"}`)
	code := filepath.Join(t.TempDir(), "shout.ts")
	write(t, filepath.Dir(code), "shout.ts", "export const handlers = { shout: () => 'hey!' };\n")
	approve(t, ha, id, "", code)
	soon(t, "the script runs on the other host", func() bool {
		return string(call(t, hb, "", "shout", "{}").Output) == `"hey!"`
	})
	soon(t, "the file of the other host follows", func() bool {
		raw, err := os.ReadFile(filepath.Join(dirB, toolrequest.FileName))
		return err == nil && strings.Contains(string(raw), `"status": "fulfilled"`)
	})
	// Eight decide at once.
	id = ask(t, ha, "request_tool", `{"name":"whisper","description":"Whispers"}`)
	var group sync.WaitGroup
	results := make(chan error, 8)
	for i := range cap(results) {
		h := ha
		if i%2 == 0 {
			h = hb
		}
		group.Go(func() {
			_, err := h.Approve(t.Context(), id, toolrequest.Decision{Reviewer: "kim"}, json.RawMessage(`{"steps":[{"tool":"a__say","params":{}}]}`), nil)
			results <- err
		})
	}
	group.Wait()
	close(results)
	won := 0
	for err := range results {
		if err == nil {
			won++
		}
	}
	if won != 1 {
		t.Errorf("%d decisions about one request", won)
	}
	// A decision that fails installs nothing.
	id = ask(t, ha, "request_tool", `{"name":"mumble","description":"Mumbles"}`)
	if _, err := ha.Requests().Review(t.Context(), id, toolrequest.Decision{Status: toolrequest.Rejected}); err != nil {
		t.Fatal(err)
	}
	if _, err := ha.Approve(t.Context(), id, toolrequest.Decision{}, json.RawMessage(shout), nil); err == nil {
		t.Error("a rejected request was approved")
	}
	if err := store.View(t.Context(), func(ctx context.Context, tx rows.Tx) error {
		list, err := tx.List(ctx, "requests.tool")
		var names []string
		for _, row := range list {
			names = append(names, row.Key)
		}
		if !slices.Equal(names, []string{"shout", "whisper"}) {
			t.Errorf("approved tools: %v", names)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// Promise R3: the first host brings the tools that were approved on it along, with
// their requests.
func TestR3_ApprovedToolsAreImported(t *testing.T) {
	store := &rows.Memory{}
	dirA, a := sharing(t, store, "one")
	a.Rows = nil
	grant(t, dirA, a)
	before := open(t, dirA, a)
	id := ask(t, before, "request_tool", `{"name":"shout","description":"Shouts"}`)
	code := filepath.Join(t.TempDir(), "shout.ts")
	write(t, filepath.Dir(code), "shout.ts", "export const handlers = { shout: () => 'hey!' };\n")
	approve(t, before, id, "", code)
	dirB, b := sharing(t, store, "one")
	a.Rows = store
	grant(t, dirA, a) // files of consents are not imported
	for _, h := range []*host.Host{open(t, dirA, a), open(t, dirB, b)} {
		if r := call(t, h, "", "shout", "{}"); string(r.Output) != `"hey!"` {
			t.Errorf("%s %+v", r.Output, r.Error)
		}
		if r, err := h.Requests().Get(t.Context(), id); err != nil || r.Status != toolrequest.Fulfilled {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// Promise R3: a row cannot write outside of the folder of approved scripts, and
// while the store does not answer the tools stay.
func TestR3_ApprovedRowsAreChecked(t *testing.T) {
	var down error
	var mu sync.Mutex
	store := &rows.Memory{Fail: func() error {
		mu.Lock()
		defer mu.Unlock()
		return down
	}}
	dir, o := sharing(t, store, "one")
	o.Consent = nil
	if err := store.Update(t.Context(), toolrequest.Feed, func(ctx context.Context, tx rows.Tx) error {
		return tx.Put(ctx, "requests.tool", "x", []byte(`{"version":1,"name":"x","script":"../x.ts","code":"eA=="}`))
	}); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir, o)
	if _, err := os.Stat(filepath.Join(o.StateRoot, "x.ts")); !os.IsNotExist(err) {
		t.Errorf("written outside: %v", err)
	}
	mu.Lock()
	down = errors.New("no connection")
	mu.Unlock()
	if r := h.Reload(t.Context()); r.Err == nil {
		t.Error("loaded without the store")
	}
	if r := call(t, h, "", "a__say", "{}"); string(r.Output) != `"one"` {
		t.Errorf("%s %+v", r.Output, r.Error)
	}
}

// Promise R3: the last 256 contents stay consented to.
func TestR3_ConsentsAreBounded(t *testing.T) {
	records := host.Consents{Rows: &rows.Memory{}}
	for i := range 260 {
		if err := records.Grant(host.Consent{Folder: "shop", Digest: fmt.Sprintf("sha256:%064d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := records.List()
	if err != nil || len(all) != 256 || all[len(all)-1].Digest != fmt.Sprintf("sha256:%064d", 259) {
		t.Errorf("%d, %v", len(all), err)
	}
}
