package oauth

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/gongu-ai/gongu/internal/netguard"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// maxAnswer bounds the headers and the body of an answer: metadata,
// registrations and tokens are small.
const maxAnswer = 1 << 20

// checkChallenge refuses a 401 answer that names resource metadata of another
// origin. Only the metadata of the server itself may say which authorization
// server to trust; that one may be anywhere.
func (a *Authorization) checkChallenge(resp *http.Response) error {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header["Www-Authenticate"])
	if err != nil {
		return fmt.Errorf("the WWW-Authenticate header: %w", err)
	}
	own, err := url.Parse(a.opts.URL)
	if err != nil {
		return err
	}
	for _, challenge := range challenges {
		named := challenge.Params["resource_metadata"]
		if named == "" {
			continue
		}
		address, err := url.Parse(named)
		if err != nil || !netguard.SameOrigin(own, address) {
			return fmt.Errorf("the server names resource metadata at %q, which is not on its own origin %s://%s; it is not used", named, own.Scheme, own.Host)
		}
	}
	return nil
}

// originGuard limits what the requests of an authorization send and read. The
// client's secret goes to the configured issuer, which the SDK compares. Without
// one it goes only to the server's own origin: the server names the others.
type originGuard struct {
	opts *Options
	base http.RoundTripper
}

func (g *originGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost && g.opts.ClientSecret != "" && g.opts.Issuer == "" && !near(g.opts.URL, req.URL) {
		if req.Body != nil {
			_ = req.Body.Close() // a round tripper closes it in any case
		}
		return nil, fmt.Errorf("the authorization server %s://%s is not on the origin of the server, so it does not get the client's secret; name it as oauth.issuer if it is meant", req.URL.Scheme, req.URL.Host)
	}
	resp, err := g.base.RoundTrip(req)
	if err == nil {
		resp.Body = &limitedBody{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	}
	return resp, err
}

// near reports whether an address is on the origin of the server, or on this
// machine as the server is.
func near(server string, to *url.URL) bool {
	own, err := url.Parse(server)
	return err == nil && (netguard.SameOrigin(own, to) || loopback(own.Hostname()) && loopback(to.Hostname()))
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

type limitedBody struct {
	io.Reader
	io.Closer
}
