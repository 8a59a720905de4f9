package serve

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
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

// notifier sends notifications of changes to its subscriptions. It watches the
// registry and the events only while it has any.
type notifier struct {
	server *Server
	mu     sync.Mutex
	subs   map[*subscription]struct{}
	stop   func()
	closed bool
}

// subscription is one receiver of notifications.
type subscription struct {
	// agent is the agent whose tools the client sees.
	agent string
	// wants decides about a method. Source is the identity of the upstream that
	// a notification is from, and empty for one of ours.
	wants func(method, source string, params json.RawMessage) bool
	// tag is the id of the modern request, added to the parameters.
	tag  json.RawMessage
	send func(message []byte)
}

func newNotifier(s *Server) *notifier {
	return &notifier{server: s, subs: map[*subscription]struct{}{}}
}

// add notifies a subscription until stop is called.
func (h *notifier) add(sub *subscription) (stop func()) {
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

// watch publishes changes of the registry and events until stop is called.
func (h *notifier) watch() (stop func()) {
	ctx, cancel := context.WithCancel(h.server.lifetime)
	// Start here, not in the goroutine, so that no change is missed.
	changes := h.server.opts.Backend.Registry().Watch(ctx)
	h.server.work.Go(func() {
		for range changes {
			h.publish(changedTools, "", nil)
		}
	})
	if h.server.opts.Events != nil {
		events := h.server.opts.Events(ctx)
		h.server.work.Go(func() {
			for e := range events {
				h.handle(e)
			}
		})
	}
	return cancel
}

// handle notifies the subscriptions that an event is for.
func (h *notifier) handle(e Event) {
	switch {
	case e.Kind == event.Tools:
		h.notify(func(sub *subscription) bool { return sub.agent == e.Agent }, changedTools, "", nil)
	case e.Kind == event.Policy:
		h.publish(changedTools, "", nil)
	case e.Kind != event.Server || h.server.opts.Upstreams == nil:
	case e.Method == changedPrompts || e.Method == changedResources || e.Method == updatedResource:
		h.publish(e.Method, e.Source, e.Params)
	}
}

// publish notifies all subscriptions that want the method.
func (h *notifier) publish(method, source string, params json.RawMessage) {
	h.notify(func(*subscription) bool { return true }, method, source, params)
}

// notify notifies the subscriptions that selected accepts and that want the method.
func (h *notifier) notify(selected func(*subscription) bool, method, source string, params json.RawMessage) {
	h.mu.Lock()
	var receivers []*subscription
	for sub := range h.subs {
		if selected(sub) && sub.wants(method, source, params) {
			receivers = append(receivers, sub)
		}
	}
	h.mu.Unlock()
	for _, sub := range receivers {
		own := params
		if sub.tag != nil {
			own = tagged(params, sub.tag)
		}
		sub.send(notification(method, own))
	}
}

func (h *notifier) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	clear(h.subs)
	if h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// tagged adds the id of a subscription to the _meta of parameters.
func tagged(params, tag json.RawMessage) json.RawMessage {
	out := "{"
	if isObject(params) {
		kept := without(params, "_meta")
		out = string(kept[:len(kept)-1])
	}
	if len(out) > 1 {
		out += ","
	}
	return json.RawMessage(out + `"_meta":{"` + metaSubscription + `":` + string(tag) + `}}`)
}

// subscription returns the subscription of a session: to changes of the lists
// that the principal may read, and to the resources that it subscribed to.
func (n *session) subscription(principal *gongu.Principal) *subscription {
	return &subscription{agent: n.agent, wants: func(method, source string, params json.RawMessage) bool {
		switch method {
		case changedPrompts:
			return access.Any(principal, access.Prompts)
		case changedResources:
			return access.Any(principal, access.Resources)
		case changedTools:
			return true
		}
		uri := text(member(params, "uri"))
		n.mu.Lock()
		at, subscribed := n.subscribed[uri]
		n.mu.Unlock()
		return subscribed && concerns(principal, n.agent, source, uri, at)
	}}
}

// concerns reports whether an update of a resource by a source is one that a
// principal subscribed to, at an upstream or, where none accepted the
// subscription, at any: two upstreams may have a resource of the same URI.
func concerns(principal *gongu.Principal, agent, source, uri string, at Upstream) bool {
	if at != nil {
		return source == identityOf(at)
	}
	return access.Item(principal, agent, source, access.Resources, uri) == nil
}

// filter selects the notifications of a listen stream.
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

// wants selects by method alone what is about no resource.
func (f *filter) wants(method, uri string) bool {
	switch method {
	case changedTools:
		return f.Tools
	case changedPrompts:
		return f.Prompts
	case changedResources:
		return f.Resources
	}
	return slices.Contains(f.URIs, uri)
}

// watched are the resources of a listen stream.
type watched struct {
	mu       sync.Mutex
	accepted subscriptions
}

func (t *watched) at(uri string) Upstream {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.accepted[uri]
}

func (t *watched) set(uri string, at Upstream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.accepted[uri] = at
}

// queued gives a subscription a queue of messages, so that a slow client does
// not block the others. It drops messages when the queue is full: they only say
// that the client should read a list again.
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

// mayRead reports whether the principal may read a resource of any upstream,
// without connecting to one.
func (s *Server) mayRead(ctx context.Context, rq *request, uri string) bool {
	return s.opts.Upstreams != nil && slices.ContainsFunc(s.opts.Upstreams.For(ctx, rq.agent, access.Resources), func(up Upstream) bool {
		return rq.mayUse(up, access.Resources, uri)
	})
}

// untilExpired ends a context with the credentials of a principal, for streams,
// which outlive the check of the credentials.
func untilExpired(ctx context.Context, p *gongu.Principal) (context.Context, context.CancelFunc) {
	if p.Expires.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, p.Expires)
}

// answerer is a sink that can end its request.
type answerer interface {
	sink
	answer(id, result json.RawMessage, refusal *rpcError, status int)
}

// listen answers subscriptions/listen with a stream of notifications, until
// either side ends it.
func (s *Server) listen(ctx context.Context, rq *request, out answerer) {
	var wanted filter
	if raw := member(rq.msg.params, "notifications"); !isObject(raw) || json.Unmarshal(raw, &wanted) != nil {
		err := s.fail(codeParams, lang.ServeNoFilter)
		out.answer(rq.msg.id, nil, err, 400)
		return
	}
	if len(wanted.URIs) > maxSubscribed {
		out.answer(rq.msg.id, nil, s.fail(codeParams, lang.ServeSubscriptions, maxSubscribed), 400)
		return
	}
	if !s.openStream(rq.principal) {
		out.answer(rq.msg.id, nil, s.fail(codeServer, lang.ServeStreams), 429)
		return
	}
	defer s.streams.Release(rq.principal.Name)
	wanted.Prompts = wanted.Prompts && s.hasUpstream(ctx, rq, access.Prompts)
	wanted.Resources = wanted.Resources && s.hasUpstream(ctx, rq, access.Resources)
	wanted.URIs = slices.DeleteFunc(wanted.URIs, func(uri string) bool { return !s.mayRead(ctx, rq, uri) })
	ctx, cancel := untilExpired(ctx, rq.principal)
	defer cancel()
	resources := &watched{accepted: subscriptions{}}
	sub := &subscription{agent: rq.agent, tag: rq.msg.id, wants: func(method, source string, params json.RawMessage) bool {
		uri := text(member(params, "uri"))
		return wanted.wants(method, uri) && (method != updatedResource || concerns(rq.principal, rq.agent, source, uri, resources.at(uri)))
	}}
	messages := queued(sub)
	defer s.notifier.add(sub)()
	ack := tagged(append(append([]byte(`{"notifications":`), marshal(wanted)...), '}'), rq.msg.id)
	if err := out.send(notification("notifications/subscriptions/acknowledged", ack)); err != nil {
		out.answer(rq.msg.id, nil, failf(codeInvalid, "%v", err), 406)
		return
	}
	defer func() { s.unsubscribeUpstreams(ctx, resources.accepted) }()
	for _, uri := range wanted.URIs {
		if resources.at(uri) == nil {
			at, _, _ := s.subscribeUpstream(ctx, rq, uri)
			resources.set(uri, at)
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
			if beat, ok := out.(*postSink); ok && beat.conn.Comment() != nil {
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
