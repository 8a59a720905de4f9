package attach

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// attached is a server that never answers what has "forever" in it, and a
// client on pipes that is attached to it.
type attached struct {
	mu   sync.Mutex
	seen []string
	// began and ended hear of the requests that are held.
	began, ended chan string
	in           *io.PipeWriter
	done         chan error
}

func attachTo(t *testing.T) *attached {
	t.Helper()
	a := &attached{began: make(chan string, 8), ended: make(chan string, 8), done: make(chan error, 1)}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	in, out := io.Pipe()
	a.in = out
	link := &client{url: server.URL, http: server.Client(), out: io.Discard}
	go func() { a.done <- link.run(t.Context(), in) }()
	return a
}

func (a *attached) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	message := string(body)
	a.mu.Lock()
	a.seen = append(a.seen, message)
	a.mu.Unlock()
	if !strings.Contains(message, "forever") {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	a.began <- message
	<-r.Context().Done()
	a.ended <- message
}

func (a *attached) say(t *testing.T, message string) {
	t.Helper()
	if _, err := io.Copy(a.in, bytes.NewReader([]byte(message+"\n"))); err != nil {
		t.Fatal(err)
	}
}

func (a *attached) hear(t *testing.T, from <-chan string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	select {
	case message := <-from:
		return message
	case <-ctx.Done():
		t.Fatal("nothing was heard within 20 s")
		return ""
	}
}

// wait is for the end of the client.
func (a *attached) wait(t *testing.T) {
	t.Helper()
	select {
	case err := <-a.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the client on pipes did not end with its input")
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`

// A stream of notes does not keep the program when its input ends: a client
// that waits for that would kill it.
func TestV7AttachedListenEndsWithTheInput(t *testing.T) {
	a := attachTo(t)
	a.say(t, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"forever":1,`+modernMeta+`}}`)
	a.hear(t, a.began)
	_ = a.in.Close()
	a.wait(t)
	a.hear(t, a.ended)
}

// A request of the modern era is cancelled by a notification on pipes and by
// going away over HTTP; the notification itself would mean nothing there. In a
// session of the older era it is passed on.
func TestV7AttachedCancel(t *testing.T) {
	a := attachTo(t)
	a.say(t, `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"forever",`+modernMeta+`}}`)
	a.hear(t, a.began)
	a.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`)
	a.hear(t, a.ended)
	a.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"older"}}`)
	_ = a.in.Close()
	a.wait(t)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.seen) != 2 || !strings.Contains(a.seen[1], `"older"`) {
		t.Errorf("the server was sent %q", a.seen)
	}
}
