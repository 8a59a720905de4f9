package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/access"
)

const (
	// linkLifetime is how long a resource that a result linked can be read.
	linkLifetime = 15 * time.Minute
	// maxLinks bounds the links of one principal, maxLinkers the principals and
	// maxLinkURI the length of a URI. The oldest links are dropped first.
	maxLinks   = 128
	maxLinkers = 1024
	maxLinkURI = 512
)

// link is a resource that a result of a tool linked.
type link struct {
	source, uri string
	expires     time.Time
}

// links are the resources that principals may read because a result that they
// were permitted to get linked them. They are in memory only.
type links struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[string][]link // by principal, the oldest first
}

func newLinks() *links { return &links{now: time.Now, of: map[string][]link{}} }

// add records a link of a principal, or extends it.
func (l *links) add(principal, source, uri string) {
	if uri == "" || len(uri) > maxLinkURI {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	own, known := l.of[principal]
	if !known && len(l.of) >= maxLinkers {
		l.dropOldest(now)
	}
	own = slices.DeleteFunc(own, func(k link) bool {
		return !now.Before(k.expires) || k.source == source && k.uri == uri
	})
	own = append(own, link{source, uri, now.Add(linkLifetime)})
	if len(own) > maxLinks {
		own = slices.Delete(own, 0, len(own)-maxLinks)
	}
	l.of[principal] = own
}

// dropOldest removes the principals whose links have expired, and if there are
// none the one that got its last link first.
func (l *links) dropOldest(now time.Time) {
	oldest, at := "", time.Time{}
	for principal, own := range l.of {
		last := own[len(own)-1].expires
		if !now.Before(last) {
			delete(l.of, principal)
		} else if at.IsZero() || last.Before(at) {
			oldest, at = principal, last
		}
	}
	if len(l.of) >= maxLinkers {
		delete(l.of, oldest)
	}
}

// has reports whether a principal may read a resource because of a link.
func (l *links) has(principal, source, uri string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	return slices.ContainsFunc(l.of[principal], func(k link) bool {
		return k.source == source && k.uri == uri && now.Before(k.expires)
	})
}

// linking returns the upstreams that linked a resource in a result for the
// principal. A link allows reading, not a subscription, which would outlive it.
func (s *Server) linking(ctx context.Context, rq *request, uri string) []Upstream {
	var found []Upstream
	for _, up := range s.upstreams(ctx, rq, access.Linked, "resources") {
		if !rq.mayUse(up, access.Resources, uri) && s.links.has(rq.principal.Name, identityOf(up), uri) {
			found = append(found, up)
		}
	}
	return found
}

// mentionsResource reports cheaply whether a result may link a resource.
func mentionsResource(result json.RawMessage) bool {
	return bytes.Contains(result, []byte(`"resource`))
}

// noteLinks records the resources that a result of a source's tool links or
// embeds, as far as the principal could not read them anyway.
func (s *Server) noteLinks(rq *request, source string, result json.RawMessage) {
	if !mentionsResource(result) {
		return
	}
	blocks, err := elements(member(result, "content"))
	if err != nil {
		return
	}
	for _, block := range blocks {
		var uri string
		switch text(member(block, "type")) {
		case "resource_link":
			uri = text(member(block, "uri"))
		case "resource":
			uri = text(member(member(block, "resource"), "uri"))
		}
		if access.Item(rq.principal, rq.agent, source, access.Resources, uri) != nil {
			s.links.add(rq.principal.Name, source, uri)
		}
	}
}
