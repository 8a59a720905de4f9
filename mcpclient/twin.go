package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// twinRest is how long a server that has no older era is not asked for it
// again.
const twinRest = 5 * time.Minute

// twin is a second way to a modern server over HTTP, in the era before. A client
// of MCP that speaks the older era and declares no capabilities needs nothing
// that only the newer one has, and answering it in its own costs a server half
// as much. The session says of its client what such a client says: nothing.
type twin struct {
	mu   sync.Mutex
	link *link
	rest time.Time
}

// sessionFor is the connection that a request goes over, and the link it
// belongs to.
func (c *Client) sessionFor(ctx context.Context, opts *RequestOptions) (*link, *session, error) {
	s, err := c.link.session(ctx)
	if err != nil || !opts.older || !s.about().Modern {
		return c.link, s, err
	}
	if _, overHTTP := s.conn.(*httpConn); !overHTTP {
		return c.link, s, nil // a second one would be a second process
	}
	other := c.link.older()
	if other == nil {
		return c.link, s, nil
	}
	t, err := other.session(ctx)
	switch {
	case err == nil && !t.about().Modern:
		return other, t, nil
	case ctx.Err() == nil:
		c.link.noOlder()
	}
	return c.link, s, nil
}

// older is the link of the older era, or nil while there is none.
func (l *link) older() *link {
	l.twin.mu.Lock()
	defer l.twin.mu.Unlock()
	if l.config.ProtocolVersion != "" || l.config.OAuth != nil || l.opts.Clock().Before(l.twin.rest) || l.life.Err() != nil {
		return nil
	}
	if l.twin.link == nil {
		config, opts := l.config, l.opts
		config.ProtocolVersion, config.Transport, config.Warm = newestLegacy, HTTP, false
		opts.Capabilities, opts.Owner = json.RawMessage(`{}`), Handlers{}
		// Nobody is asked or told: whatever fails here is tried the other way.
		opts.Authorize, opts.Logger = nil, slog.New(slog.DiscardHandler)
		l.twin.link = newLink(config, opts)
	}
	return l.twin.link
}

// noOlder remembers that the server does not speak the older era.
func (l *link) noOlder() {
	gone := l.dropOlder(l.opts.Clock().Add(twinRest))
	if gone != nil && !l.background(gone.close) {
		gone.close()
	}
}

// dropOlder takes the link of the older era away; there is none before rest.
func (l *link) dropOlder(rest time.Time) *link {
	l.twin.mu.Lock()
	defer l.twin.mu.Unlock()
	gone := l.twin.link
	l.twin.link, l.twin.rest = nil, rest
	return gone
}

// declaresNothing reports whether the capabilities of a client are none.
func declaresNothing(capabilities json.RawMessage) bool {
	raw := bytes.TrimSpace(capabilities)
	return len(raw) == 0 || raw[0] == '{' && rawjson.Space(raw, 1) == len(raw)-1
}
