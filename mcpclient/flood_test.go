package mcpclient_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gongu-ai/gongu/mcpclient"
)

// endless is a server over streamable HTTP or HTTP+SSE whose list of tools has
// no end: each page has one tool, a megabyte and another cursor.
type endless struct {
	sse   bool
	pages atomic.Int32
	out   chan string
}

func (e *endless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.sse && r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: /messages\n\n")
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case text := <-e.out:
				fmt.Fprintf(w, "data: %s\n\n", text)
			case <-r.Context().Done():
				return
			}
		}
	}
	raw, _ := io.ReadAll(r.Body)
	var m message
	if json.Unmarshal(raw, &m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	answer := ""
	switch m.Method {
	case "initialize":
		answer = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"endless","version":"1"}}`
	case "tools/list":
		n := e.pages.Add(1)
		answer = fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"c%d","fat":%q}`, n, n, strings.Repeat("x", 1<<20))
	}
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer)
	if answer == "" {
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
	}
	switch {
	case len(m.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	case e.sse:
		w.WriteHeader(http.StatusAccepted)
		go func() { e.out <- text }()
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// K12, attack 9: the pages of a list together took 2 GB. They are counted while
// they are read, over every transport, whatever of them is used.
func TestK12ListBytes(t *testing.T) {
	web, sse := &endless{}, &endless{sse: true, out: make(chan string)}
	for name, cfg := range map[string]mcpclient.Config{
		"stdio": config(t, "srv", fixture{PageSize: 1, Growing: true, Fat: 1 << 20}),
		"http":  {Name: "srv", URL: serveHTTP(t, web).URL},
		"sse":   {Name: "srv", URL: serveHTTP(t, sse).URL, Transport: mcpclient.SSE},
	} {
		t.Run(name, func(t *testing.T) {
			c := client(t, cfg, nil)
			_, err := c.Tools(t.Context())
			own, ok := errors.AsType[*mcpclient.Error](err)
			if !ok || own.Reason != mcpclient.ReasonTooLarge || !strings.Contains(err.Error(), "33554432 bytes") {
				t.Errorf("got %v", err)
			}
			c.Close()
		})
	}
	for _, e := range []*endless{web, sse} {
		if n := e.pages.Load(); n != 32 {
			t.Errorf("%d pages of a megabyte were read, the budget has 32", n)
		}
	}
}

// K12: a list of any kind ends at its number of entries, at a cursor that was
// there before, and at a page that is none.
func TestK12PagedList(t *testing.T) {
	list := &mcpclient.PagedList{Field: "prompts", Items: 3}
	page := json.RawMessage(`{"prompts":[{},{}],"nextCursor":"a"}`)
	count := 0
	item := func(json.RawMessage) { count++ }
	if err := list.Add(page, item); err != nil || !list.More() || string(list.Params()) != `{"cursor":"a"}` {
		t.Fatalf("%v %s", err, list.Params())
	}
	if err := list.Add(page, item); !errors.Is(err, mcpclient.ErrManyItems) || count != 3 || list.More() {
		t.Errorf("%v after %d entries", err, count)
	}
	for raw, want := range map[string]string{
		`{"prompts":{}}`: "not an array", `{"prompts":[}`: "the list of prompts is", `{"prompts":null}`: "", `{}`: "",
	} {
		err := (&mcpclient.PagedList{Field: "prompts"}).Add(json.RawMessage(raw), item)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
	again := &mcpclient.PagedList{Field: "prompts"}
	_ = again.Add(page, item)
	if err := again.Add(page, item); !errors.Is(err, mcpclient.ErrCursorRepeats) || again.More() {
		t.Errorf("a cursor that repeats: %v", err)
	}
}
