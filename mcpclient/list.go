package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

// Listing is the tools of a server at one time. It is never changed.
type Listing struct {
	Server string
	Tools  []Definition
	// Problems are entries that were left out or repaired, and why.
	Problems []string
	At       time.Time
	// TTL is how long the list is valid by the server; zero if it did not say.
	TTL time.Duration
	// Listed is how many entries the server gave, those left out included.
	Listed int

	bindings map[string][]binding // by the server's names
	// choose finds the client for a call; nil is the one that made the list.
	choose func(context.Context) (*Client, error)
}

// Tools returns the tools of the server. The first use reads the list, and
// later ones when the server's time for it is over; a failed reading is tried
// again at the next use, and what was read before stays.
func (c *Client) Tools(ctx context.Context) (*Listing, error) {
	c.mu.Lock()
	have := c.listing
	c.mu.Unlock()
	if have != nil && (have.TTL == 0 || c.opts.Clock().Sub(have.At) < have.TTL) {
		return have, nil
	}
	fresh, err := c.Refresh(ctx)
	if err != nil && have != nil && ctx.Err() == nil {
		c.link().logger.Warn("mcp server: the list cannot be read again and stays as it was", "error", err)
		return have, nil
	}
	return fresh, err
}

// Listed returns the last list that was read, or nil, without a request.
func (c *Client) Listed() *Listing {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listing
}

// Refresh reads the list of tools now. A failure leaves the last one in place.
// Concurrent callers share one reading.
func (c *Client) Refresh(ctx context.Context) (*Listing, error) {
	end, err := c.use(ctx)
	if err != nil {
		return nil, c.fail(err)
	}
	c.mu.Lock()
	begun := c.loading == nil
	if begun {
		load := newPending[*Listing]()
		started := c.link().background(func() {
			defer end()
			c.load(load)
		})
		if !started {
			c.mu.Unlock()
			end()
			return nil, c.fail(faultf(ReasonClosed, false, "the client was closed"))
		}
		c.loading = load
	}
	load := c.loading
	c.mu.Unlock()
	if !begun {
		end() // the caller that began the reading keeps its use
	}
	listing, err := load.wait(ctx)
	if err != nil {
		return nil, c.fail(err)
	}
	return listing, nil
}

// load reads the list for all callers that wait, so it does not end with one of
// them.
func (c *Client) load(load *pending[*Listing]) {
	listing, err := c.read(c.link().lifetime)
	c.mu.Lock()
	c.loading = nil
	if err == nil {
		c.listing = listing
	}
	load.value, load.err = listing, err
	c.mu.Unlock()
	close(load.done)
}

// read takes all pages; once more, if the server has forgotten the session.
func (c *Client) read(ctx context.Context) (*Listing, error) {
	listing, err := c.readOnce(ctx)
	if errors.Is(err, errSessionLost) && ctx.Err() == nil {
		return c.readOnce(ctx)
	}
	return listing, err
}

// readOnce connects and takes all pages.
func (c *Client) readOnce(ctx context.Context) (*Listing, error) {
	s, err := c.link().session(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withTimeout(ctx, c.config.Timeouts.List)
	defer cancel()
	listing := &Listing{Server: c.config.Name, At: c.opts.Clock()}
	if !s.about().offers("tools") {
		return listing, nil
	}
	began := c.opts.Clock()
	raws, err := c.pages(ctx, s, listing)
	if err != nil && faultOf(err).reason == ReasonTimeout {
		err = faultf(ReasonTimeout, false, "no list of tools within %s", c.config.Timeouts.List)
	}
	c.record(s, err, began)
	if err != nil {
		return nil, err
	}
	c.define(listing, raws, overHTTP(s))
	for _, problem := range listing.Problems {
		c.link().logger.Warn("mcp server: tool definitions", "problem", problem)
	}
	return listing, nil
}

// overHTTP reports whether parameters can be headers on this connection.
func overHTTP(s *session) bool {
	return s.conn.traits().http && s.about().Modern
}

// pages follows the cursors of tools/list, up to the limits.
func (c *Client) pages(ctx context.Context, s *session, listing *Listing) ([]json.RawMessage, error) {
	var raws []json.RawMessage
	limits := c.opts.Limits
	list := &PagedList{Field: "tools", Bytes: limits.List, Items: limits.Tools}
	for n := 1; ; n++ {
		result, err := s.roundTrip(ctx, &request{method: "tools/list", params: list.Params()})
		if err != nil {
			return nil, err
		}
		before := len(raws)
		// The elements are copied: they would keep the whole message in memory.
		err = list.Add(result, func(item json.RawMessage) { raws = append(raws, bytes.Clone(item)) })
		if ttl, err := strconv.ParseFloat(string(rawjson.Member(result, "ttlMs")), 64); err == nil && ttl > 0 {
			listing.TTL = time.Duration(min(ttl, float64(24*time.Hour/time.Millisecond))) * time.Millisecond
		}
		switch {
		case errors.Is(err, ErrManyItems):
			listing.problem(lang.McpTooManyTools, c.lang, limits.Tools)
			return raws, nil
		case errors.Is(err, ErrCursorRepeats), err == nil && list.More() && len(raws) == before && n > 1:
			listing.problem(lang.McpCursorRepeats, c.lang, len(raws))
			return raws, nil
		case err != nil:
			return nil, err
		case !list.More():
			return raws, nil
		case n == limits.Pages:
			listing.problem(lang.McpTooManyPages, c.lang, limits.Pages)
			return raws, nil
		}
	}
}

func (l *Listing) problem(t lang.Text, in lang.Lang, args ...any) {
	l.Problems = append(l.Problems, t.In(in, args...))
}

// secondLook is when an unchanged list is read once more after a notification of
// a change: some servers notify before they change it.
const secondLook = 500 * time.Millisecond

// changed begins to read the list again, unless that is being done already. It
// does not block.
func (c *Client) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listing == nil {
		return // the list was not read yet
	}
	if c.refreshing {
		c.again = true
		return
	}
	c.refreshing = c.link().background(c.refresh)
}

func (c *Client) refresh() {
	for {
		c.relist()
		c.mu.Lock()
		if !c.again {
			c.refreshing = false
			c.mu.Unlock()
			return
		}
		c.again = false
		c.mu.Unlock()
		// A server that notifies without end is not listed without end.
		if pause(c.link().lifetime, secondLook, 0) != nil {
			continue // relist ends at once
		}
	}
}

// relist reads the list and calls OnChange when it has changed.
func (c *Client) relist() {
	lifetime := c.link().lifetime
	for times := range 2 {
		if lifetime.Err() != nil {
			return // the connection was closed meanwhile
		}
		before := c.Listed()
		listing, err := c.Refresh(lifetime)
		if err != nil {
			c.link().logger.Warn("mcp server: the changed list cannot be read, the old one stays", "error", err)
			return
		}
		if !same(before, listing) {
			if c.opts.OnChange != nil {
				c.opts.OnChange(listing)
			}
			return
		}
		if times == 0 && pause(lifetime, secondLook, 0) != nil {
			return
		}
	}
}

func same(a, b *Listing) bool {
	return a != nil && b != nil && slices.EqualFunc(a.Tools, b.Tools, func(x, y Definition) bool {
		return string(x.Raw) == string(y.Raw) && x.Tool.Name == y.Tool.Name
	})
}

// mirror returns the headers that a call of a tool needs.
func (c *Client) mirror(r *request) map[string]string {
	listing := c.Listed()
	if listing == nil || len(listing.bindings[r.name]) == 0 {
		return nil
	}
	return mirror(listing.bindings[r.name], r.whole())
}
