package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Group holds the servers of one owner. Servers that are started alike, for
// the same principal, share one process or session. The zero value is not
// ready; see [NewGroup].
type Group struct {
	opts Options
	work sync.WaitGroup // clients being closed

	mu      sync.Mutex
	closed  bool
	clients map[groupKey]*Client
	links   map[string]*link
	// onDemand are the clients that [Group.For] and [Group.ForSession] made and
	// that have a link now; see [Group.expireLocked].
	onDemand map[*Client]struct{}
	timer    *time.Timer
	// freed is closed, and replaced, when a client may have become free.
	freed    chan struct{}
	busyWait time.Duration
}

// groupKey names a client. Two principals have separate clients, and so have
// callers whose sessions have different capabilities.
type groupKey struct{ principal, name, session string }

// NewGroup returns an empty group. The options hold for all its servers.
func NewGroup(opts *Options) (*Group, error) {
	complete, err := opts.complete()
	if err != nil {
		return nil, err
	}
	return &Group{
		opts: complete, clients: map[groupKey]*Client{}, links: map[string]*link{}, onDemand: map[*Client]struct{}{},
		freed: make(chan struct{}), busyWait: busyWait,
	}, nil
}

// Add adds servers, all or none. It connects only to those that are warm.
func (g *Group) Add(configs ...Config) error {
	checked := make([]Config, 0, len(configs))
	seen := map[string]bool{}
	for _, config := range configs {
		config, _, err := prepare(config, &g.opts)
		if err != nil {
			return err
		}
		if seen[config.Name] {
			return fmt.Errorf("mcp server %q is given twice", config.Name)
		}
		seen[config.Name] = true
		checked = append(checked, config)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errors.New("the group of mcp servers was closed")
	}
	for _, config := range checked {
		if _, taken := g.clients[groupKey{principal: g.opts.Principal, name: config.Name}]; taken {
			return fmt.Errorf("mcp server %q is there already; remove it first", config.Name)
		}
	}
	for _, config := range checked {
		g.addLocked(config, g.opts, "", false)
	}
	return nil
}

func (g *Group) addLocked(config Config, opts Options, session string, onDemand bool) *Client {
	c := newClient(config, opts)
	c.group, c.key, c.onDemand = g, groupKey{opts.Principal, config.Name, session}, onDemand
	g.attachLocked(c)
	return c
}

// attachLocked gives a client its link, which clients with the same launch key
// share, and adds the client to the group.
func (g *Group) attachLocked(c *Client) {
	key := c.config.launchKey(c.opts.Principal, c.opts.Capabilities)
	if c.opts.sessions {
		key += " in sessions"
	}
	l, shared := g.links[key]
	if !shared || c.opts.Dial != nil {
		l = newLink(c.config, c.opts)
		if c.opts.Dial == nil {
			g.links[key] = l
		}
	}
	l.users++
	c.attach(l, func() { g.releaseLink(key, l) })
	if _, taken := g.clients[c.key]; !taken {
		g.clients[c.key] = c
	}
	if c.onDemand {
		g.trackLocked(c)
	}
}

// releaseLink ends one use of a link and closes the link after the last.
func (g *Group) releaseLink(key string, l *link) {
	g.mu.Lock()
	l.users--
	last := l.users == 0
	if last && g.links[key] == l {
		delete(g.links, key)
	}
	g.mu.Unlock()
	if last {
		l.close()
	}
}

// For returns the client of a server for a principal, made at the first use
// from the configuration that [Group.Add] got. A shared server has one client
// for all principals.
func (g *Group) For(principal, name string) (*Client, error) {
	return g.forCaller(groupKey{principal: principal, name: name}, g.opts)
}

// forCaller returns the client of a key, made with opts at the first use.
func (g *Group) forCaller(key groupKey, opts Options) (*Client, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	own, ok := g.clients[groupKey{principal: g.opts.Principal, name: key.name}]
	if !ok {
		return nil, fmt.Errorf("there is no mcp server %q; there are %s", key.name, strings.Join(g.namesLocked(), ", "))
	}
	if own.config.Shared {
		key.principal = g.opts.Principal
	}
	if c, ok := g.clients[key]; ok {
		return c, nil
	}
	if g.closed {
		return nil, errors.New("the group of mcp servers was closed")
	}
	opts.Principal = key.principal
	return g.addLocked(own.config, opts, key.session, true), nil
}

// Client returns the client of a server for the group's own principal, or nil.
func (g *Group) Client(name string) *Client {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.clients[groupKey{principal: g.opts.Principal, name: name}]
}

// Remove closes a server for all principals.
func (g *Group) Remove(name string) bool {
	gone := g.take(func(c *Client) bool { return c.key.name == name })
	closeAll(gone)
	return len(gone) > 0
}

// Close closes all servers in parallel and waits for them.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	g.wakeLocked()
	if g.timer != nil {
		g.timer.Stop()
	}
	g.mu.Unlock()
	closeAll(g.take(func(*Client) bool { return true }))
	g.work.Wait()
}

// take returns the clients that chosen accepts.
func (g *Group) take(chosen func(*Client) bool) []*Client {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := maps.Clone(g.onDemand)
	for _, c := range g.clients {
		all[c] = struct{}{}
	}
	maps.DeleteFunc(all, func(c *Client, _ struct{}) bool { return !chosen(c) })
	return slices.Collect(maps.Keys(all))
}

func closeAll(clients []*Client) {
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(c.Close)
	}
	all.Wait()
}

// Names are the servers, sorted.
func (g *Group) Names() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.namesLocked()
}

func (g *Group) namesLocked() []string {
	var names []string
	for key := range g.clients {
		if key.principal == g.opts.Principal && key.session == "" {
			names = append(names, key.name)
		}
	}
	slices.Sort(names)
	return names
}

// Load is the tools of one server, or why there are none.
type Load struct {
	Name    string
	Source  gongu.Source
	Listing *Listing
	Err     error
}

// Tools lists all servers in parallel and waits for all of them, or until ctx
// ends. A server that fails has an error in its Load and does not affect the
// others. The order is that of the names.
func (g *Group) Tools(ctx context.Context) []Load {
	names := g.Names()
	loads := make([]Load, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		loads[i].Name = name
		c := g.Client(name)
		if c == nil { // removed in between
			loads[i].Err = fmt.Errorf("mcp server %q was removed", name)
			continue
		}
		loads[i].Source = c.Source()
		all.Go(func() { loads[i].Listing, loads[i].Err = c.Tools(ctx) })
	}
	all.Wait()
	g.dropDuplicates(loads)
	return loads
}

// dropDuplicates leaves out tools whose name another server of the group has,
// which can happen with an empty or a common prefix. The first server, in the
// order of the names, keeps the tool.
func (g *Group) dropDuplicates(loads []Load) {
	owners := map[string]string{}
	for i, load := range loads {
		if load.Err != nil {
			continue
		}
		clash := slices.ContainsFunc(load.Listing.Tools, func(d Definition) bool { return owners[d.Tool.Name] != "" })
		if clash {
			own := *load.Listing
			own.Problems = slices.Clone(own.Problems)
			own.Tools = slices.DeleteFunc(slices.Clone(own.Tools), func(d Definition) bool {
				owner := owners[d.Tool.Name]
				if owner != "" {
					own.problem(lang.McpEntryTaken, g.opts.lang(), d.Tool.Name, owner)
				}
				return owner != ""
			})
			loads[i].Listing = &own
		}
		for _, d := range loads[i].Listing.Tools {
			owners[d.Tool.Name] = load.Name
		}
	}
}

// Status returns the status of each server, sorted by name. It does not wait.
func (g *Group) Status() []Status {
	var out []Status
	for _, name := range g.Names() {
		if c := g.Client(name); c != nil {
			out = append(out, c.Status())
		}
	}
	return out
}
