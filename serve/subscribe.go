package serve

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/mcpclient"
)

// maxSubscribed limits the resources that one session or listen stream is
// subscribed to.
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
	accepted, allowed, full := s.subscribeUpstream(ctx, rq, uri)
	switch {
	case full:
		return nil, s.fail(codeServer, lang.ServeSubscriptions, maxSubscribed)
	case !allowed:
		return nil, s.fail(s.resourceCode(rq), lang.ServeNoResource).withData(map[string]string{"uri": uri})
	}
	added, full := rq.session.addSubscription(uri, accepted)
	if !added {
		s.unsubscribeUpstreams(ctx, subscriptions{uri: accepted})
	}
	if full {
		return nil, s.fail(codeServer, lang.ServeSubscriptions, maxSubscribed)
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
// it. Allowed reports whether the principal may read the resource at any, and full
// that one of them has as many subscriptions as it may.
func (s *Server) subscribeUpstream(ctx context.Context, rq *request, uri string) (accepted Upstream, allowed, full bool) {
	upstreams := s.byResource(ctx, rq, uri)
	for _, up := range upstreams {
		_, err := up.Request(ctx, "resources/subscribe", uriParams(uri), nil)
		if err == nil {
			return up, true, false
		}
		full = full || errors.Is(err, mcpclient.ErrManyWatched)
		s.opts.Logger.Debug("an upstream refuses a subscription", "server", up.Name(), "uri", uri, "error", err)
	}
	return nil, len(upstreams) > 0, full
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

// addSubscription records a subscription, which ends with the session. It is not
// added when the session has it already, has ended or has too many (full).
func (n *session) addSubscription(uri string, at Upstream) (added, full bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, refused := n.subscribed[uri] // by all upstreams, until now
	switch {
	case n.subscribed[uri] != nil || n.lifetime.Err() != nil:
		return false, false
	case !refused && len(n.subscribed) >= maxSubscribed:
		return false, true
	}
	if n.subscribed == nil {
		n.subscribed = subscriptions{}
		n.server.work.Go(n.endSubscriptions)
	}
	n.subscribed[uri] = at
	return true, false
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
