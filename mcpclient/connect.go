package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/gongu-ai/gongu/internal/netguard"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// open connects and performs the handshake.
func (l *link) open(ctx context.Context) (*session, error) {
	config, err := expandAll(l.config, l.opts.Dir, l.opts.Keyring, l.opts.Secrets)
	if err != nil {
		return nil, &fault{reason: ReasonConfig, err: err}
	}
	l.mu.Lock()
	known, oldSSE := l.era, l.oldSSE
	l.mu.Unlock()
	s, err := l.first(ctx, config, known, oldSSE)
	switch {
	case errors.Is(err, errOtherEra):
		// The request for the version ended an old server: do not send it again.
		known = eraLegacy
		s, err = l.try(ctx, config, known, false)
	case err != nil && !oldSSE && config.Transport == Auto && l.opts.Dial == nil && mayBeSSE(err):
		var other error
		if s, other = l.try(ctx, config, eraLegacy, true); other == nil {
			oldSSE, err = true, nil
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.era, l.oldSSE = eraUnknown, false // it may be another server by now
		return nil, err
	}
	l.era, l.oldSSE = eraLegacy, oldSSE
	if s.about().Modern {
		l.era = eraModern
	}
	return s, nil
}

// first tries the era of the callers where that is known, and else the newest
// one.
func (l *link) first(ctx context.Context, config Config, known era, oldSSE bool) (*session, error) {
	if !l.opts.sessions || known != eraUnknown || oldSSE || config.ProtocolVersion != "" {
		return l.try(ctx, config, known, oldSSE)
	}
	s, err := l.try(ctx, config, eraLegacy, false)
	if err == nil && (s.asksBack() || declaresNothing(l.opts.Capabilities)) {
		return s, nil
	}
	if err != nil && (ctx.Err() != nil || !mayBeModern(err)) {
		return nil, err
	}
	other, otherErr := l.try(ctx, config, eraUnknown, false)
	switch {
	case err == nil && otherErr == nil && other.about().Modern:
		s.close()
		return other, nil
	case err == nil:
		if otherErr == nil {
			other.close()
		}
		return s, nil
	}
	return other, otherErr
}

// declaresNothing reports whether the callers answer no questions of servers.
func declaresNothing(capabilities json.RawMessage) bool { return string(capabilities) == "{}" }

// mayBeModern reports whether a server may have failed because it supports no
// sessions: it was reached and rejected the request.
func mayBeModern(err error) bool {
	switch faultOf(err).reason {
	case ReasonRemote, ReasonProtocol, ReasonBroken:
		return true
	case ReasonConnect:
		_, answered := errors.AsType[*statusError](err)
		return answered
	}
	return false
}

// asksBack reports whether the server can send requests during a call: over HTTP
// it needs a session for that.
func (s *session) asksBack() bool {
	return !s.conn.traits().http || s.conn.SessionID() != ""
}

// mayBeSSE reports whether the answer looks like that of an address that knows
// HTTP+SSE only.
func mayBeSSE(err error) bool {
	status, ok := errors.AsType[*statusError](err)
	if !ok || status.remote != nil {
		return false
	}
	switch status.status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return false
}

func (l *link) try(ctx context.Context, config Config, known era, oldSSE bool) (*session, error) {
	conn, err := l.dial(ctx, config, oldSSE || config.Transport == SSE)
	if err != nil {
		if f, ok := errors.AsType[*fault](err); ok {
			return nil, f
		}
		return nil, &fault{reason: ReasonConnect, err: secret.WithoutURL(err)}
	}
	s := newSession(conn, l.logger)
	s.secrets = l.opts.Secrets
	s.self, s.capabilities = l.opts.self(), l.opts.Capabilities
	s.owner, s.shared, s.notify = l.opts.Owner, config.Shared, l.notified
	s.start()
	if config.Transport == SSE || oldSSE {
		known = eraLegacy
	}
	if err := s.handshake(ctx, known, config.ProtocolVersion); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		s.close()
		return nil, err
	}
	return s, nil
}

// dial starts the program or prepares the address, without a handshake.
func (l *link) dial(ctx context.Context, config Config, oldSSE bool) (connection, error) {
	limit := l.opts.Limits.Message
	switch {
	case l.opts.Dial != nil:
		transport, err := l.opts.Dial(ctx)
		if err != nil {
			return nil, &fault{reason: ReasonConnect, err: err}
		}
		return connectSDK(ctx, transport)
	case config.Command != "":
		child := &childTransport{config: config, dir: l.opts.Dir, limit: limit, logger: l.logger, secrets: l.opts.Secrets}
		return child.connect(ctx)
	}
	client := l.httpClient(config)
	header := http.Header{}
	for name, value := range config.Headers {
		header.Set(name, value)
	}
	conn := newHTTPConn(&httpConn{url: config.URL, header: header, client: client, limit: limit, logger: l.logger, secrets: l.opts.Secrets})
	if oldSSE {
		return connectSSE(ctx, conn)
	}
	return conn, nil
}

func connectSDK(ctx context.Context, transport mcp.Transport) (connection, error) {
	conn, err := transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &sdkConn{conn}, nil
}

// httpClient returns a client for this server alone, so that no other server gets
// its tokens.
func (l *link) httpClient(config Config) *http.Client {
	client := &http.Client{}
	if own := l.opts.HTTPClient; own != nil {
		*client = *own
	}
	if client.CheckRedirect == nil {
		client.CheckRedirect = netguard.RefuseOtherOrigin
	}
	if client.Transport == nil {
		client.Transport = l.roundTripper()
	}
	client.Transport = &originGuard{config.URL, l.authorization(config).RoundTripper(client.Transport)}
	return client
}

// originGuard refuses requests to any other origin than the configured one,
// whatever names it: they carry the configured headers and the token.
type originGuard struct {
	configured string
	base       http.RoundTripper
}

func (g *originGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	own, err := url.Parse(g.configured)
	if err != nil || !netguard.SameOrigin(own, req.URL) {
		if req.Body != nil {
			_ = req.Body.Close() // a round tripper closes it in any case
		}
		return nil, otherOrigin(req.URL)
	}
	return g.base.RoundTrip(req)
}

// otherOrigin is the error for a server that names an address elsewhere.
func otherOrigin(named *url.URL) error {
	return faultf(ReasonProtocol, false, "the server names the address %s://%s, which is not its own, so nothing is sent there; put that address into the configuration if it is meant", named.Scheme, named.Host)
}

// maxResponseHeader bounds the headers of an answer.
const maxResponseHeader = 1 << 20

// newRoundTripper keeps enough idle connections for all calls at a time.
func newRoundTripper(concurrent int) *http.Transport {
	dialer := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConnsPerHost:    concurrent + 2,
		IdleConnTimeout:        60 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxResponseHeader,
		// Answers are passed on as they are: a server that compressed one would
		// only cost both sides time.
		DisableCompression: true,
	}
}
