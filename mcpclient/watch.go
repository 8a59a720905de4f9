package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const askSubscribe = "resources/subscribe"

// maxWatched is how many resources of one server are followed.
const maxWatched = 1000

// watched are the resources that somebody wants to hear of. They outlive a
// connection: the next one subscribes to them again.
type watched struct {
	mu   sync.Mutex
	uris []string
	more chan struct{} // closed when there is another one
}

// add notes a resource. One that is there already changes nothing.
func (w *watched) add(uri string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case slices.Contains(w.uris, uri):
		return nil
	case len(w.uris) >= maxWatched:
		return fmt.Errorf("%d resources of the server are followed already", maxWatched)
	}
	w.uris = append(w.uris, uri)
	if w.more != nil {
		close(w.more)
		w.more = nil
	}
	return nil
}

func (w *watched) isEmpty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.uris) == 0
}

// list returns the resources, and what tells of the next one.
func (w *watched) list() ([]string, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.more == nil {
		w.more = make(chan struct{})
	}
	return slices.Clone(w.uris), w.more
}

// watch serves a request to subscribe to a resource. A server with sessions is
// asked; in the modern era there is a stream instead, which is made anew.
func (l *link) watch(ctx context.Context, s *session, r *request) (json.RawMessage, error) {
	var params struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(r.params, &params); err != nil || params.URI == "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no uri to subscribe to"}
	}
	if s.about().Modern && !s.about().offers("resources", "subscribe") {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the server tells of no resources"}
	}
	result := json.RawMessage("{}")
	if !s.about().Modern {
		var err error
		if result, err = s.roundTrip(ctx, r); err != nil {
			return nil, err
		}
	}
	if err := l.watched.add(params.URI); err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	return result, nil
}

// followResources lets a new connection tell of the resources that callers
// subscribed to before, and a modern one of those that come.
func (l *link) followResources(s *session) {
	if s.about().Modern {
		l.listenToResources(s)
		return
	}
	uris, _ := l.watched.list()
	for _, uri := range uris {
		_, err := s.roundTrip(s.life, &request{method: askSubscribe, params: object([]member{{"uri", quote(uri)}})})
		if err != nil {
			l.logger.Debug("mcp server tells no more of a resource", "uri", uri, "error", err)
		}
	}
}

// listenToResources keeps one stream for all of them, and makes it anew when
// there is another one.
func (l *link) listenToResources(s *session) {
	for times := 0; s.alive(); times++ {
		uris, more := l.watched.list()
		ctx, cancel := context.WithCancel(s.life)
		s.background(func() {
			select {
			case <-more:
				cancel()
			case <-ctx.Done():
			}
		})
		l.listenTo(ctx, s, uris)
		cancel()
		select {
		case <-more:
			times = -1
			continue
		default:
		}
		if pause(s.life, 0, times) != nil {
			return
		}
	}
}

// listenTo is one stream. Without anything to listen to, and for a server that
// does not want to tell, it waits until ctx ends.
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
