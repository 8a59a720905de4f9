package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	askSubscribe   = "resources/subscribe"
	askUnsubscribe = "resources/unsubscribe"
)

// maxWatched is how many resources of one server are followed.
const maxWatched = 1000

// ErrManyWatched means that as many resources of a server are followed as can be.
var ErrManyWatched = errors.New("too many resources of the server are followed already")

// watched counts the subscriptions to resources, by resource and client. They
// outlive a connection: the next one subscribes to them again.
type watched struct {
	mu      sync.Mutex
	counts  map[string]map[*Client]int
	changed chan struct{} // closed when the list of resources changes
}

// full reports whether no more resources than those followed can be.
func (w *watched) full(uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts[uri] == nil && len(w.counts) >= maxWatched
}

// add counts a subscription of a client.
func (w *watched) add(c *Client, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.counts[uri] == nil {
		if w.counts == nil {
			w.counts = map[string]map[*Client]int{}
		}
		w.counts[uri] = map[*Client]int{}
		w.signal()
	}
	w.counts[uri][c]++
}

// remove ends a subscription of a client. It reports whether other ones to the
// same resource are left.
func (w *watched) remove(c *Client, uri string) (left bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch clients := w.counts[uri]; {
	case clients == nil:
	case clients[c] > 1:
		clients[c]--
	default:
		w.forget(c, uri)
	}
	return w.counts[uri] != nil
}

// removeAll ends all subscriptions of a client.
func (w *watched) removeAll(c *Client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.counts {
		w.forget(c, uri)
	}
}

func (w *watched) forget(c *Client, uri string) {
	delete(w.counts[uri], c)
	if len(w.counts[uri]) == 0 {
		delete(w.counts, uri)
		w.signal()
	}
}

func (w *watched) signal() {
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// has reports whether a client has a subscription.
func (w *watched) has(c *Client) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, clients := range w.counts {
		if clients[c] > 0 {
			return true
		}
	}
	return false
}

// list returns the resources, and a channel that is closed when they change.
func (w *watched) list() ([]string, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return slices.Sorted(maps.Keys(w.counts)), w.changed
}

// watch serves a client's request to subscribe to a resource, or to end one
// such subscription. A server with sessions is asked; in the modern era there
// is a stream instead, which is opened again when the list changes.
func (l *link) watch(ctx context.Context, s *session, c *Client, r *request) (json.RawMessage, error) {
	var params struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(r.params, &params); err != nil || params.URI == "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no uri to subscribe to"}
	}
	if s.about().Modern && !s.about().offers("resources", "subscribe") {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the server tells of no resources"}
	}
	if r.method == askSubscribe && l.watched.full(params.URI) {
		return nil, &fault{reason: ReasonBusy, err: ErrManyWatched}
	}
	// The end of a subscription counts even if the server cannot be notified.
	left := r.method == askUnsubscribe && l.watched.remove(c, params.URI)
	result := json.RawMessage("{}")
	if !s.about().Modern && !left {
		var err error
		if result, err = s.roundTrip(ctx, r); err != nil {
			return nil, err
		}
	}
	if r.method == askUnsubscribe {
		return result, nil
	}
	l.watched.add(c, params.URI)
	return result, nil
}

// followResources subscribes a new connection to the resources that callers
// subscribed to before, and a modern one to later ones.
func (l *link) followResources(s *session) {
	if s.about().Modern {
		l.listenToResources(s)
		return
	}
	uris, _ := l.watched.list()
	for _, uri := range uris {
		_, err := s.roundTrip(s.lifetime, &request{method: askSubscribe, params: object([]member{{"uri", quote(uri)}})})
		if err != nil {
			l.logger.Debug("mcp server tells no more of a resource", "uri", uri, "error", err)
		}
	}
}

// listenToResources keeps one stream for all of them, and opens another when
// the list changes.
func (l *link) listenToResources(s *session) {
	for times := 0; s.alive(); times++ {
		uris, changed := l.watched.list()
		ctx, cancel := context.WithCancel(s.lifetime)
		s.background(func() {
			select {
			case <-changed:
				cancel()
			case <-ctx.Done():
			}
		})
		l.listenTo(ctx, s, uris)
		cancel()
		select {
		case <-changed:
			times = -1
			continue
		default:
		}
		if pause(s.lifetime, 0, times) != nil {
			return
		}
	}
}

// listenTo reads one stream. Without resources, and for a server that rejects
// the subscription, it waits until ctx ends.
func (l *link) listenTo(ctx context.Context, s *session, uris []string) {
	if len(uris) == 0 {
		<-ctx.Done()
		return
	}
	raw, err := json.Marshal(uris)
	if err == nil {
		params := object([]member{{"notifications", object([]member{{"resourceSubscriptions", raw}})}})
		_, err = s.roundTrip(ctx, &request{method: "subscriptions/listen", params: params})
	}
	if err != nil && faultOf(err).reason == ReasonRemote {
		l.logger.Debug("mcp server tells of no resources", "error", err)
		<-ctx.Done()
	}
}
