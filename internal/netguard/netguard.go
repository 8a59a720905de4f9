// Package netguard prevents connections to addresses that are not on the
// public internet: this machine, the networks around it, and the metadata
// services of clouds. It looks at the address that is really dialled, after
// names are resolved, so a name that answers differently the second time gains
// nothing, and it does so for each connection, so a redirect gains nothing.
package netguard

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// Guard decides which addresses may be dialled. The zero value lets public
// addresses through and nothing else.
type Guard struct {
	hosts    map[string]bool // names, lower case, with or without a port
	prefixes []netip.Prefix
}

// Refused is the error for an address that may not be dialled.
type Refused struct {
	// Host is what was asked for, Addr what it turned out to be.
	Host string
	Addr netip.Addr
}

func (r *Refused) Error() string {
	return fmt.Sprintf("%s is at %s, which is not a public address", r.Host, r.Addr)
}

// New returns a guard that also lets through what allow lists: addresses
// (10.0.0.5, ::1), prefixes (10.0.0.0/8), and host names with or without a port
// (localhost, db.internal:8080). A name is trusted with whatever address it has.
func New(allow []string) (*Guard, error) {
	g := &Guard{hosts: map[string]bool{}}
	for _, item := range allow {
		item = strings.ToLower(strings.TrimSpace(item))
		if addr, err := netip.ParseAddr(strings.Trim(item, "[]")); err == nil {
			addr = addr.Unmap()
			g.prefixes = append(g.prefixes, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		if strings.Contains(item, "/") {
			prefix, err := netip.ParsePrefix(item)
			if err != nil {
				return nil, fmt.Errorf("%q is no address prefix such as 10.0.0.0/8", item)
			}
			g.prefixes = append(g.prefixes, prefix.Masked())
			continue
		}
		if !isHost(item) {
			return nil, fmt.Errorf("%q is no address, prefix or host name", item)
		}
		g.hosts[item] = true
	}
	return g, nil
}

// isHost accepts name and name:port. Wildcards are refused rather than taken
// for names that never match.
func isHost(item string) bool {
	name, port, found := strings.Cut(item, ":")
	if found && (port == "" || strings.Trim(port, "0123456789") != "") {
		return false
	}
	return name != "" && !strings.ContainsAny(name, " \t*?@[]\\%")
}

// Dial dials through d, except to addresses that are refused. It fits
// http.Transport.DialContext.
func (g *Guard) Dial(d net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.ToLower(host), ".")
		if g.hosts[name] || g.hosts[strings.ToLower(address)] {
			return d.DialContext(ctx, network, address)
		}
		guarded := d
		guarded.ControlContext = func(ctx context.Context, network, resolved string, c syscall.RawConn) error {
			if err := g.check(host, resolved); err != nil {
				return err
			}
			if d.ControlContext != nil {
				return d.ControlContext(ctx, network, resolved, c)
			}
			return nil
		}
		return guarded.DialContext(ctx, network, address)
	}
}

// check judges the address that the socket is about to connect to.
func (g *Guard) check(host, resolved string) error {
	target, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return fmt.Errorf("%s is at %q, which is no address", host, resolved)
	}
	addr := target.Addr()
	if !g.Allows(addr) {
		return &Refused{Host: host, Addr: addr}
	}
	return nil
}

// Allows reports whether an address is public or was listed.
func (g *Guard) Allows(addr netip.Addr) bool {
	if IsPublic(addr) {
		return true
	}
	return contains(g.prefixes, addr.Unmap().WithZone(""))
}
