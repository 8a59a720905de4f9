package auth

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

// P12: the public address is https, or http on loopback, and nothing more.
func TestP12_ParsePublicURL(t *testing.T) {
	for _, good := range []string{"https://gongu.example.com", "https://gongu.example.com/", "https://gongu.example.com:8443", "http://127.0.0.1:7410", "http://localhost", "http://[::1]:1"} {
		if u, err := ParsePublicURL(good); err != nil || u.Path != "" {
			t.Errorf("%s: %v, %v", good, u, err)
		}
	}
	for _, bad := range []string{"", "gongu.example.com", "http://gongu.example.com", "http://10.0.0.1", "ftp://x", "https://", "https://a/b", "https://a?x=1", "https://a?", "https://a#b", "https://u@a", "https://a b", "javascript:alert(1)"} {
		if u, err := ParsePublicURL(bad); err == nil {
			t.Errorf("%q is %v", bad, u)
		}
	}
}

// Requests for the public host and from its origin are accepted, and count as
// https there alone.
func TestP12_PublicURL(t *testing.T) {
	g := &authenticator{opts: Options{PublicURL: "https://gongu.example.com"}, hosts: hostRules{map[string]bool{}, map[hostPort]bool{}}, origins: map[origin]bool{}}
	if err := g.readPublicURL(); err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{"gongu.example.com": true, "gongu.example.com:443": true, "other.example.com": false, "evil-gongu.example.com": false} {
		if p, ok := parseHostPort(host); !ok || g.hosts.allows(p, nil) != want {
			t.Errorf("%s", host)
		}
	}
	for host, want := range map[string]bool{"gongu.example.com": true, "127.0.0.1:7410": false} {
		r := httptest.NewRequest(http.MethodGet, "http://"+host+"/", nil)
		if g.isHTTPS(r) != want {
			t.Errorf("%s: https %t", host, !want)
		}
		if name := g.cookieName(r); strings.HasPrefix(name, "__Host-") != want {
			t.Errorf("%s: %s", host, name)
		}
	}
	from, _ := parseOrigin("https://gongu.example.com")
	if !g.origins[from] || len(g.origins) != 1 {
		t.Errorf("origins %v", g.origins)
	}
}

// A session for approvals begins at the approvals.
func TestP12_HomeOf(t *testing.T) {
	for want, p := range map[string]gongu.Principal{"/approvals": {Kind: KindSession, Manage: "approvals"}, "/": {Kind: KindSession, Manage: "all"}} {
		if got := homeOf(&p); got != want {
			t.Errorf("%+v: %s", p, got)
		}
	}
}
