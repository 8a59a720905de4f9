package pgtest

import (
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy stands between clients and a server, on a loopback port. It can cut
// connections, hold what is sent, and refuse new connections.
type Proxy struct {
	url             string
	network, server string
	listener        net.Listener
	done            sync.WaitGroup

	mu      sync.Mutex
	changed sync.Cond
	closed  bool
	refused bool
	// held says for each direction whether bytes wait in the proxy.
	held  [2]bool
	links map[*link]bool
}

// The directions of bytes through a proxy.
const (
	requests = iota // from the client to the server
	replies         // from the server to the client
)

// link is one connection through the proxy.
type link struct {
	client, server net.Conn
	ended          bool
}

// NewProxy starts a proxy before the server of a URL that URL or Server.URL
// returned. It ends after the test.
func NewProxy(tb testing.TB, target string) *Proxy {
	tb.Helper()
	config, err := pgconn.ParseConfig(target)
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{listener: listener, links: map[*link]bool{}}
	p.network, p.server = pgconn.NetworkAddress(config.Host, config.Port)
	p.changed.L = &p.mu
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(),
		Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	p.url = u.String()
	p.done.Go(p.accept)
	tb.Cleanup(p.close)
	return p
}

// URL is the URL of the same database through the proxy, over TCP.
func (p *Proxy) URL() string { return p.url }

// Cut closes all connections and returns how many there were. Held bytes are
// lost.
func (p *Proxy) Cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cutAll()
}

func (p *Proxy) cutAll() int {
	n := len(p.links)
	for l := range p.links {
		// The client gets a reset, as from a network that was lost.
		if c, ok := l.client.(*net.TCPConn); ok {
			_ = c.SetLinger(0) // without it the client gets an orderly end
		}
		p.end(l)
	}
	return n
}

// end closes a link, with the lock held.
func (p *Proxy) end(l *link) {
	l.ended = true
	_ = errors.Join(l.client.Close(), l.server.Close())
	delete(p.links, l)
	p.changed.Broadcast()
}

// Refuse closes new connections at once from now on, or no longer does.
func (p *Proxy) Refuse(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = on
}

// Hold lets no byte through from now on, in either direction, as a server that
// was stopped.
func (p *Proxy) Hold() { p.set(true, true) }

// HoldReplies lets requests through and holds what the server answers. Cut
// afterwards loses the answers to requests that the server has executed.
func (p *Proxy) HoldReplies() { p.set(false, true) }

// Release ends Hold and HoldReplies.
func (p *Proxy) Release() { p.set(false, false) }

func (p *Proxy) set(request, reply bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[requests], p.held[replies] = request, reply
	p.changed.Broadcast()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.done.Go(func() { p.carry(client) })
	}
}

func (p *Proxy) carry(client net.Conn) {
	server, err := net.Dial(p.network, p.server)
	if err != nil {
		_ = client.Close() // the client sees the end of a server that does not answer
		return
	}
	l := &link{client: client, server: server}
	p.mu.Lock()
	p.links[l] = true
	if p.closed || p.refused {
		p.end(l)
	}
	p.mu.Unlock()
	p.done.Go(func() { p.copy(l, replies, client, server) })
	p.copy(l, requests, server, client)
}

// copy carries the bytes of one direction until either side ends.
func (p *Proxy) copy(l *link, direction int, to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !p.pass(l, direction) {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !l.ended {
		p.end(l)
	}
}

// pass waits while the direction is held and reports whether the link is whole.
func (p *Proxy) pass(l *link, direction int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held[direction] && !l.ended {
		p.changed.Wait()
	}
	return !l.ended
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.cutAll()
	p.mu.Unlock()
	_ = p.listener.Close() // nothing listens after the test
	p.done.Wait()
}
