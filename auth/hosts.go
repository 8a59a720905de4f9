package auth

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// hostPort is a host, as Host and Origin headers name one.
type hostPort struct {
	name string     // lower case, or an address in its usual form
	addr netip.Addr // when it is an address
	port string     // "" when none was given
}

// maxHost is the longest name in the domain name system, with a port.
const maxHost = 253 + len(":65535")

// parseHostPort parses name, name:port, 1.2.3.4:port and [::1]:port. It rejects
// ambiguous forms: a user, a zone, a trailing dot, other spellings of an
// address.
func parseHostPort(text string) (p hostPort, ok bool) {
	if text == "" || len(text) > maxHost {
		return hostPort{}, false
	}
	if rest, found := strings.CutPrefix(text, "["); found {
		literal, after, closed := strings.Cut(rest, "]")
		addr, err := netip.ParseAddr(literal)
		if !closed || err != nil || !addr.Is6() || addr.Zone() != "" {
			return hostPort{}, false
		}
		if p.port, ok = parsePort(after); !ok {
			return hostPort{}, false
		}
		p.addr = addr.Unmap()
		p.name = p.addr.String()
		return p, true
	}
	name, after := text, ""
	if i := strings.IndexByte(text, ':'); i >= 0 {
		name, after = text[:i], text[i:]
	}
	if p.port, ok = parsePort(after); !ok {
		return hostPort{}, false
	}
	p.name = strings.ToLower(name)
	if addr, err := netip.ParseAddr(p.name); err == nil {
		p.addr = addr
		return p, true
	}
	return p, isName(p.name)
}

// parsePort parses ":7410" or an empty text.
func parsePort(text string) (string, bool) {
	if text == "" {
		return "", true
	}
	digits, found := strings.CutPrefix(text, ":")
	n, err := strconv.ParseUint(digits, 10, 16)
	return digits, found && err == nil && n > 0 && strconv.FormatUint(n, 10) == digits
}

func isName(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// isLoopback reports whether a host can only be this machine. Names below
// localhost do not count: some resolvers look them up in the network.
func (p hostPort) isLoopback() bool {
	return p.name == "localhost" || p.addr.IsLoopback()
}

// hostRules are the accepted Host headers.
type hostRules struct {
	any  map[string]bool   // with every port
	port map[hostPort]bool // with one port
}

func (h *hostRules) add(p hostPort) {
	if p.port == "" {
		h.any[p.name] = true
		return
	}
	h.port[p] = true
}

// allows accepts the loopback names, the listed names, and the local address of
// the connection: a page that attacks by DNS rebinding sends its own name.
func (h *hostRules) allows(p hostPort, local net.Addr) bool {
	if p.isLoopback() || h.any[p.name] || h.port[p] {
		return true
	}
	at, ok := addrOf(local)
	return ok && p.addr.IsValid() && p.addr == at
}

// addrOf returns the IP address of one end of a connection.
func addrOf(end net.Addr) (netip.Addr, bool) {
	tcp, ok := end.(*net.TCPAddr)
	if !ok || tcp == nil {
		return netip.Addr{}, false
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	return addr, addr.IsValid()
}

func localAddr(r *http.Request) net.Addr {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return local
}

// origin is the origin of a web page.
type origin struct {
	scheme   string
	hostPort hostPort
}

// parseOrigin parses scheme://host[:port]. It rejects "null", which pages
// without an origin send.
func parseOrigin(text string) (origin, bool) {
	scheme, rest, found := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	if !found || scheme == "" || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return origin{}, false
	}
	p, ok := parseHostPort(rest)
	o := origin{scheme, p}
	if o.hostPort.port == o.defaultPort() {
		o.hostPort.port = ""
	}
	return o, ok
}

func (o origin) defaultPort() string {
	switch o.scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// isOf reports whether the page is one of the requested host. Behind a proxy the
// server cannot know whether the client used https, so the scheme only
// determines the default port.
func (o origin) isOf(host hostPort) bool {
	if o.defaultPort() == "" {
		return false
	}
	if host.port == o.defaultPort() {
		host.port = ""
	}
	return o.hostPort == host
}
