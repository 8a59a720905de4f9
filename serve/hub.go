package serve

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	changedTools     = "notifications/tools/list_changed"
	changedPrompts   = "notifications/prompts/list_changed"
	changedResources = "notifications/resources/list_changed"
	updatedResource  = "notifications/resources/updated"
)

// hub tells those who listen what has changed. It watches only while somebody
// listens.
type hub struct {
	server *Server
	mu     sync.Mutex
	subs   map[*subscription]struct{}
	stop   func()
	closed bool
}

// subscription is one who listens.
type subscription struct {
	// agent is whose tools are listened to.
	agent string
	wants func(method string, params json.RawMessage) bool
	// tag is added to the parameters, in the modern era.
	tag  json.RawMessage
	send func(message []byte)
}

func newHub(s *Server) *hub { return &hub{server: s, subs: map[*subscription]struct{}{}} }

// add begins to tell a subscription, until stop is called.
func (h *hub) add(sub *subscription) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return func() {}
	}
	h.subs[sub] = struct{}{}
	if h.stop == nil {
		h.stop = h.watch()
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, sub)
		if len(h.subs) == 0 && h.stop != nil {
			h.stop()
			h.stop = nil
		}
	}
}

// watch follows the registry and the events.
func (h *hub) watch() (stop func()) {
	ctx, cancel := context.WithCancel(h.server.lifetime)
	// Changes count from here on, not from when the goroutines run.
	changes := h.server.opts.Backend.Registry().Watch(ctx)
	h.server.work.Go(func() {
		for range changes {
			h.publish(changedTools, nil)
		}
	})
	if h.server.opts.Events != nil {
		events := h.server.opts.Events(ctx)
		h.server.work.Go(func() {
			for e := range events {
				h.take(e)
			}
		})
	}
	return cancel
}

// take tells the subscriptions that an event is for.
func (h *hub) take(e Event) {
	switch {
	case e.Kind == event.Tools:
		h.tell(func(sub *subscription) bool { return sub.agent == e.Agent }, changedTools, nil)
	case e.Kind != event.Server || h.server.opts.Upstreams == nil:
	case e.Method == changedPrompts || e.Method == changedResources || e.Method == updatedResource:
		h.publish(e.Method, e.Params)
	}
}

// publish tells everybody who wants to hear it.
func (h *hub) publish(method string, params json.RawMessage) {
	h.tell(func(*subscription) bool { return true }, method, params)
}

// tell tells those who are meant and want to hear it.
func (h *hub) tell(meant func(*subscription) bool, method string, params json.RawMessage) {
	h.mu.Lock()
	var told []*subscription
	for sub := range h.subs {
		if meant(sub) && sub.wants(method, params) {
			told = append(told, sub)
		}
	}
	h.mu.Unlock()
	for _, sub := range told {
		own := params
		if sub.tag != nil {
			own = tagged(params, sub.tag)
		}
		sub.send(notification(method, own))
	}
}

func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	clear(h.subs)
	if h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// tagged adds the subscription to the _meta of parameters.
func tagged(params, tag json.RawMessage) json.RawMessage {
	meta := `"_meta":{"` + metaSubscription + `":` + string(tag) + `}`
	if !isObject(params) {
		return json.RawMessage("{" + meta + "}")
	}
	out := []byte{'{'}
	_ = members(params, func(name string, value json.RawMessage) error { // it is an object
		if name != "_meta" {
			out = append(append(append(quote(out, name), ':'), value...), ',')
		}
		return nil
	})
	return append(append(out, meta...), '}')
}

// subscription of a session: all changes of lists, and those resources that it
// asked for.
func (n *session) subscription() *subscription {
	return &subscription{agent: n.agent, wants: func(method string, params json.RawMessage) bool {
		if method != updatedResource {
			return true
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		_, subscribed := n.subscribed[text(member(params, "uri"))]
		return subscribed
	}}
}

// filter is what a client of the modern era wants to hear.
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

func (f *filter) wants(method string, params json.RawMessage) bool {
	switch method {
	case changedTools:
		return f.Tools
	case changedPrompts:
		return f.Prompts
	case changedResources:
		return f.Resources
	}
	uri := text(member(params, "uri"))
	for _, wanted := range f.URIs {
		if wanted == uri {
			return true
		}
	}
	return false
}

// queued is a subscription whose messages wait for their reader, so that one
// slow client holds up nobody. What finds no room is lost: a client that reads
// the list again has missed nothing.
func queued(sub *subscription) <-chan []byte {
	messages := make(chan []byte, 64)
	sub.send = func(message []byte) {
		select {
		case messages <- message:
		default:
		}
	}
	return messages
}

// answering is a sink that can end its request.
type answering interface {
	sink
	answer(id, result json.RawMessage, refusal *rpcError, status int)
}

// listen answers subscriptions/listen: a stream that goes on until either side
// ends it.
func (s *Server) listen(ctx context.Context, rq *request, out answering) {
	var wanted filter
	if raw := member(rq.msg.params, "notifications"); !isObject(raw) || json.Unmarshal(raw, &wanted) != nil {
		err := s.fail(codeParams, lang.ServeNoFilter)
		out.answer(rq.msg.id, nil, err, 400)
		return
	}
	if !s.openStream(rq.who) {
		out.answer(rq.msg.id, nil, s.fail(codeServer, lang.ServeStreams), 429)
		return
	}
	defer s.closeStream(rq.who)
	wanted.Prompts = wanted.Prompts && s.reaches(ctx, rq, access.Prompts)
	if !s.reaches(ctx, rq, access.Resources) {
		wanted.Resources, wanted.URIs = false, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sub := &subscription{agent: rq.agent, tag: rq.msg.id, wants: wanted.wants}
	messages := queued(sub)
	defer s.hub.add(sub)()
	ack := tagged(append(append([]byte(`{"notifications":`), marshal(wanted)...), '}'), rq.msg.id)
	if err := out.send(notification("notifications/subscriptions/acknowledged", ack)); err != nil {
		out.answer(rq.msg.id, nil, failf(codeInvalid, "%v", err), 406)
		return
	}
	accepted := subscriptions{}
	defer func() { s.unsubscribeUpstreams(ctx, accepted) }()
	for _, uri := range wanted.URIs {
		if accepted[uri] == nil {
			accepted[uri], _ = s.subscribeUpstream(ctx, rq, uri)
		}
	}
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case message := <-messages:
			if out.send(message) != nil {
				return
			}
		case <-tick.C:
			if beat, ok := out.(*postSink); ok && beat.conn.comment() != nil {
				return
			}
		case <-ctx.Done():
			return
		case <-s.draining:
			out.answer(rq.msg.id, json.RawMessage(`{"resultType":"complete","_meta":{"`+metaSubscription+`":`+string(rq.msg.id)+`}}`), nil, 200)
			return
		}
	}
}
