package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestGoondanW14_IsPublic has an address of each range that must not be reached, and
// the ones right beside it.
func TestGoondanW14_IsPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "93.184.216.34": true,
		"9.255.255.255": true, "10.0.0.0": false, "10.255.255.255": false, "11.0.0.0": true,
		"100.63.255.255": true, "100.64.0.1": false, "100.127.255.255": false, "100.128.0.0": true,
		"126.255.255.255": true, "127.0.0.1": false, "127.255.0.1": false, "128.0.0.0": true,
		"169.253.0.1": true, "169.254.169.254": false, "169.255.0.1": true,
		"172.15.0.1": true, "172.16.0.1": false, "172.31.255.255": false, "172.32.0.0": true,
		"192.0.0.192": false, "192.0.1.0": true, "192.0.2.1": false,
		"192.167.0.1": true, "192.168.1.1": false, "192.169.0.1": true,
		"198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false,
		"0.0.0.0": false, "0.1.2.3": false, "224.0.0.1": false, "239.255.255.255": false,
		"240.0.0.1": false, "255.255.255.255": false,

		"2606:4700:4700::1111": true, "2a00:1450:4001::1": true,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false,
		"fc00::1": false, "fd00:ec2::254": false, "ff02::1": false, "fec0::1": false,
		"2001:db8::1": false, "2001::1": false, "3fff::1": false, "2000::1%eth0": false,
		"::ffff:127.0.0.1": false, "::ffff:8.8.8.8": true, "::127.0.0.1": false,
		"64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b::808:808": true,
		"64:ff9b:1::808:808": false, "2002:7f00:1::": false, "2002:808:808::": false,
	} {
		if got := IsPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("IsPublic(%s) = %v", text, got)
		}
	}
	if IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestNew(t *testing.T) {
	for _, bad := range []string{"", "10.0.0.0/99", "*.example.com", "a b", "host:", "host:http", "1.2.3.4/x", "u@h"} {
		if _, err := New([]string{bad}); err == nil {
			t.Errorf("New(%q) is no error", bad)
		}
	}
	g, err := New([]string{"10.1.0.0/16", "::1", " 192.168.0.7 ", "[fd00::1]", "LocalHost", "db.internal:8080"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"10.1.2.3": true, "10.2.0.1": false, "::1": true, "127.0.0.1": false,
		"192.168.0.7": true, "192.168.0.8": false, "::ffff:10.1.2.3": true, "fd00::1": true, "8.8.8.8": true,
	} {
		if got := g.Allows(netip.MustParseAddr(text)); got != want {
			t.Errorf("Allows(%s) = %v", text, got)
		}
	}
}

// listen serves connections on loopback that are closed at once.
func listen(t *testing.T) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestGoondanW14_Dial dials a real listener, which answers whoever reaches it.
func TestGoondanW14_Dial(t *testing.T) {
	port := listen(t)
	for _, tc := range []struct {
		name, host string
		allow      []string
		refused    bool
	}{
		{"address", "127.0.0.1", nil, true},
		{"name", "localhost", nil, true},
		{"mapped", "::ffff:127.0.0.1", nil, true},
		{"unspecified", "0.0.0.0", nil, true},
		{"other host allowed", "127.0.0.1", []string{"localhost", "10.0.0.0/8"}, true},
		{"other port allowed", "localhost", []string{"localhost:1"}, true},
		{"address allowed", "127.0.0.1", []string{"127.0.0.1"}, false},
		{"prefix allowed", "localhost", []string{"127.0.0.0/8"}, false},
		{"name allowed", "LOCALHOST", []string{"localhost"}, false},
		{"name and port allowed", "localhost", []string{"localhost:" + port}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g, err := New(tc.allow)
			if err != nil {
				t.Fatal(err)
			}
			// tcp4 is where the listener is, but a mapped address is no name there.
			conn, err := g.Dial(net.Dialer{})(t.Context(), "tcp", net.JoinHostPort(tc.host, port))
			if err == nil {
				_ = conn.Close()
			}
			_, refused := errors.AsType[*Refused](err)
			if refused != tc.refused || !tc.refused && err != nil {
				t.Errorf("error %v, want refused %v", err, tc.refused)
			}
		})
	}
}

// TestGoondanW14_Rebinding: a resolver that answers with a public address first and
// with loopback afterwards gains nothing, because no answer is trusted.
func TestGoondanW14_Rebinding(t *testing.T) {
	var g Guard
	if err := g.check("rebind.example", "8.8.8.8:80"); err != nil {
		t.Error(err)
	}
	for _, resolved := range []string{"127.0.0.1:80", "[::1]:80", "[::ffff:169.254.169.254]:80", "garbage"} {
		if g.check("rebind.example", resolved) == nil {
			t.Errorf("%s was let through", resolved)
		}
	}
	_, err := g.Dial(net.Dialer{})(context.Background(), "tcp", "no port")
	if err == nil {
		t.Error("an address without a port was dialled")
	}
}
