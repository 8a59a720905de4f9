package serve

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// maxSubscribed limits the resources that one session is subscribed to.
const maxSubscribed = 1000

// unsubscribeTimeout limits how long the end of a session or stream waits for
// the upstreams.
const unsubscribeTimeout = 5 * time.Second

// subscriptions are the resources that a session or a listen stream is
// subscribed to, by URI, each with the upstream that accepted it: nil where all
// refused.
type subscriptions map[string]Upstream

// subscribe answers resources/subscribe.
func (s *Server) subscribe(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	uri := text(member(rq.msg.params, "uri"))
	if uri == "" {
		return nil, s.fail(codeParams, lang.ServeNoResource)
	}
	if rq.session.subscribedAt(uri) != nil {
		return emptyResult, nil
	}
	accepted, allowed := s.subscribeUpstream(ctx, rq, uri)
	if !allowed {
		return nil, s.fail(s.resourceCode(rq), lang.ServeNoResource).withData(map[string]string{"uri": uri})
	}
	if !rq.session.addSubscription(uri, accepted) {
		s.unsubscribeUpstreams(ctx, subscriptions{uri: accepted})
	}
	return emptyResult, nil
}

// unsubscribe answers resources/unsubscribe.
func (s *Server) unsubscribe(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	uri := text(member(rq.msg.params, "uri"))
	if uri == "" {
		return nil, s.fail(codeParams, lang.ServeNoResource)
	}
	s.unsubscribeUpstreams(ctx, subscriptions{uri: rq.session.removeSubscription(uri)})
	return emptyResult, nil
}

// subscribeUpstream subscribes to a resource at the first upstream that accepts
// it. Allowed reports whether the principal may read the resource at any.
func (s *Server) subscribeUpstream(ctx context.Context, rq *request, uri string) (accepted Upstream, allowed bool) {
	upstreams := s.byResource(ctx, rq, uri)
	for _, up := range upstreams {
		_, err := up.Request(ctx, "resources/subscribe", uriParams(uri), nil)
		if err == nil {
			return up, true
		}
		s.opts.Logger.Debug("an upstream refuses a subscription", "server", up.Name(), "uri", uri, "error", err)
	}
	return nil, len(upstreams) > 0
}

// unsubscribeUpstreams ends subscriptions at the upstreams that accepted them,
// even after the end of ctx. An upstream counts its subscribers: the others
// keep their subscription.
func (s *Server) unsubscribeUpstreams(ctx context.Context, ended subscriptions) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unsubscribeTimeout)
	defer cancel()
	for uri, up := range ended {
		if up == nil {
			continue
		}
		if _, err := up.Request(ctx, "resources/unsubscribe", uriParams(uri), nil); err != nil {
			s.opts.Logger.Debug("a subscription cannot be ended", "server", up.Name(), "uri", uri, "error", err)
		}
	}
}

func uriParams(uri string) json.RawMessage {
	return append(quote([]byte(`{"uri":`), uri), '}')
}

// subscribedAt returns the upstream where the session is subscribed to a
// resource, or nil.
func (n *session) subscribedAt(uri string) Upstream {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.subscribed[uri]
}

// addSubscription records a subscription, which ends with the session. False
// means that the session has it already, has too many or has ended.
func (n *session) addSubscription(uri string, at Upstream) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.subscribed[uri] != nil || len(n.subscribed) >= maxSubscribed || n.lifetime.Err() != nil {
		return false
	}
	if n.subscribed == nil {
		n.subscribed = subscriptions{}
		n.server.work.Go(n.endSubscriptions)
	}
	n.subscribed[uri] = at
	return true
}

// endSubscriptions waits for the end of the session and unsubscribes it.
func (n *session) endSubscriptions() {
	<-n.lifetime.Done()
	n.mu.Lock()
	ended := n.subscribed
	n.subscribed = nil
	n.mu.Unlock()
	n.server.unsubscribeUpstreams(n.lifetime, ended)
}

func (n *session) removeSubscription(uri string) Upstream {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := n.subscribed[uri]
	delete(n.subscribed, uri)
	return at
}
