package netguard

import "net/netip"

// IsPublic reports whether an address can belong to a host on the public
// internet, by the special-purpose registries of IANA. An IPv6 address that
// carries an IPv4 address for a translator is judged by that one.
func IsPublic(addr netip.Addr) bool {
	if !addr.IsValid() {
		return false
	}
	if addr.Zone() != "" {
		return false // a zone names an interface of this machine
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return !contains(special4(), addr)
	}
	if translated().Contains(addr) {
		bytes := addr.As16()
		return IsPublic(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	return unicast6().Contains(addr) && !contains(special6(), addr)
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, prefix := range prefixes {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// translated is the prefix under which networks without IPv4 reach it (NAT64,
// RFC 6052).
func translated() netip.Prefix { return netip.MustParsePrefix("64:ff9b::/96") }

// unicast6 is all that was ever given out as global unicast. Loopback, unique
// local, link-local, multicast, the deprecated IPv4-compatible addresses and
// local NAT64 prefixes are outside of it.
func unicast6() netip.Prefix { return netip.MustParsePrefix("2000::/3") }

func special4() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),       // this network; reaches this host
		netip.MustParsePrefix("10.0.0.0/8"),      // private
		netip.MustParsePrefix("100.64.0.0/10"),   // carrier-grade NAT, some metadata services
		netip.MustParsePrefix("127.0.0.0/8"),     // loopback
		netip.MustParsePrefix("169.254.0.0/16"),  // link-local, metadata services
		netip.MustParsePrefix("172.16.0.0/12"),   // private
		netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
		netip.MustParsePrefix("192.0.2.0/24"),    // documentation
		netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relays
		netip.MustParsePrefix("192.168.0.0/16"),  // private
		netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
		netip.MustParsePrefix("198.51.100.0/24"), // documentation
		netip.MustParsePrefix("203.0.113.0/24"),  // documentation
		netip.MustParsePrefix("224.0.0.0/4"),     // multicast
		netip.MustParsePrefix("240.0.0.0/4"),     // reserved, broadcast
	}
}

func special6() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("2001::/23"),     // protocol assignments, Teredo among them
		netip.MustParsePrefix("2001:db8::/32"), // documentation
		netip.MustParsePrefix("2002::/16"),     // 6to4: any IPv4 address inside
		netip.MustParsePrefix("3fff::/20"),     // documentation
	}
}
