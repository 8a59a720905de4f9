package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/oauth"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	headerVersion   = "Mcp-Protocol-Version"
	headerSession   = "Mcp-Session-Id"
	headerLastEvent = "Last-Event-Id"
	headerMethod    = "Mcp-Method"
	headerName      = "Mcp-Name"
	headerParam     = "Mcp-Param-"

	deleteTimeout = 2 * time.Second
	streamTimeout = 2 * time.Second
	maxErrorBody  = 64 << 10
	// incomingBuffer is small: each message may have the full size.
	incomingBuffer = 4
)

// httpConn is a logical connection over many requests of streamable HTTP. The
// connection of the SDK ends for all callers when one answer is invalid, and has
// neither the stream of notifications nor the headers of a session without the
// session of the SDK, so it is not used here.
type httpConn struct {
	url     string
	header  http.Header
	client  *http.Client
	limit   int
	logger  *slog.Logger
	secrets *secret.Vault

	lifetime context.Context // ends with Close
	cancel   context.CancelFunc
	incoming chan jsonrpc.Message
	streams  sync.WaitGroup

	mu      sync.Mutex
	session string
	version string // of a legacy session
	closed  bool

	losing sync.Once
	lost   chan struct{} // closed when the server has forgotten the session
}

var _ connection = (*httpConn)(nil)

// newHTTPConn completes a connection. It does not connect yet: each message is a
// separate request.
func newHTTPConn(c *httpConn) *httpConn {
	c.lifetime, c.cancel = context.WithCancel(context.Background())
	c.incoming, c.lost = make(chan jsonrpc.Message, incomingBuffer), make(chan struct{})
	return c
}

func (*httpConn) traits() traits { return traits{http: true} }

// errSessionLost means that the server rejected the request, because it does not
// know the session any more.
var errSessionLost = errors.New("the server does not know the session any more")

// statusError is an HTTP error status without an MCP answer.
type statusError struct {
	status int
	remote *jsonrpc.Error // the JSON-RPC error in its body, if any
	detail string
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status))
	if e.remote != nil {
		return text + ": " + e.remote.Message
	}
	if e.detail != "" {
		return text + ": " + e.detail
	}
	return text
}

func (e *statusError) Unwrap() error {
	if e.remote == nil {
		return nil
	}
	return e.remote
}

// SessionID returns a legacy server's id of the session.
func (c *httpConn) SessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// setVersion sets the version that all later messages of a legacy session name.
func (c *httpConn) setVersion(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = version
}

// listen opens the stream of the server's own messages. It waits a moment for
// the stream: a server may send the requests of a call there, and drops them
// when there is no stream.
func (c *httpConn) listen(ctx context.Context) {
	opened := make(chan struct{})
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.streams.Go(func() { c.followEvents(opened) })
	c.mu.Unlock()
	timer := time.NewTimer(streamTimeout)
	defer timer.Stop()
	select {
	case <-opened:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Read returns the next message of any stream.
func (c *httpConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-c.incoming:
		return msg, nil
	default:
	}
	select {
	case msg := <-c.incoming:
		return msg, nil
	case <-c.lifetime.Done():
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// push hands a message to the reader, unless the connection is closed.
func (c *httpConn) push(msg jsonrpc.Message) {
	select {
	case c.incoming <- msg:
	case <-c.lifetime.Done():
	}
}

// Write posts a message. An answer that is a stream is read in the background,
// to its end, so that the connection below can be used again.
func (c *httpConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	var origin int64
	if request, ok := msg.(*jsonrpc.Request); ok {
		origin = ourID(request.ID)
	}
	return c.send(ctx, msg, origin)
}

// send posts a message. An origin other than 0 is the id of a request that the
// response answers.
func (c *httpConn) send(ctx context.Context, msg jsonrpc.Message, origin int64) error {
	body, err := encodeMessage(msg)
	if err != nil {
		return &fault{reason: ReasonProtocol, err: err}
	}
	s := c.newStream(ctx, origin)
	var sent atomic.Bool
	if s.resp, err = c.post(ctx, s.ctx, body, msg, &sent); err != nil {
		s.end()
		return c.unanswered(ctx, err, sent.Load())
	}
	return s.begin(msg)
}

// post makes one request. It sets sent before the first byte of it can reach the
// server.
func (c *httpConn) post(caller, ctx context.Context, body []byte, msg jsonrpc.Message, sent *atomic.Bool) (*http.Response, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	c.setHeaders(req, msg)
	setTrace(caller, req.Header)
	return c.client.Do(req)
}

// unanswered converts the error of a request that got no answer.
func (c *httpConn) unanswered(ctx context.Context, err error, wrote bool) error {
	switch {
	case ctx.Err() != nil:
		return &fault{reason: faultOf(ctx.Err()).reason, sent: wrote, err: ctx.Err()}
	case c.lifetime.Err() != nil:
		return faultf(ReasonClosed, wrote, "the connection was closed")
	}
	if denied, ok := errors.AsType[*oauth.Error](err); ok {
		return &fault{reason: ReasonAuth, err: denied}
	}
	if refused, ok := errors.AsType[*fault](err); ok {
		return refused // by us
	}
	err = secret.WithoutURL(err)
	if wrote {
		return &fault{reason: ReasonBroken, sent: true, err: err}
	}
	return &fault{reason: ReasonConnect, err: err}
}

// setHeaders sets the headers of a message.
func (c *httpConn) setHeaders(req *http.Request, msg jsonrpc.Message) {
	c.setCommonHeaders(req)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	request, ok := msg.(*jsonrpc.Request)
	if !ok {
		return
	}
	out, ok := request.Extra.(*outbound)
	if !ok || out == nil || out.version == "" {
		return
	}
	req.Header.Set(headerVersion, out.version)
	req.Header.Set(headerMethod, request.Method)
	if out.name != "" {
		req.Header.Set(headerName, headerValue(out.name))
	}
	for name, value := range out.params {
		req.Header.Set(headerParam+name, value)
	}
}

func (c *httpConn) setCommonHeaders(req *http.Request) {
	for name, values := range c.header {
		req.Header[name] = slices.Clone(values)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" {
		req.Header.Set(headerSession, c.session)
	}
	if c.version != "" {
		req.Header.Set(headerVersion, c.version)
	}
}

// forget marks the session as lost, for all callers.
func (c *httpConn) forget() error {
	c.losing.Do(func() { close(c.lost) })
	return &fault{reason: ReasonConnect, err: errSessionLost}
}

// refused turns an error status into an error.
func (c *httpConn) refused(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil {
		body = nil
	}
	status := &statusError{status: resp.StatusCode}
	if msg, err := decodeMessage(bytes.TrimSpace(body), 0); err == nil {
		if answer, ok := msg.(*jsonrpc.Response); ok {
			redactAnswer(answer, c.secrets)
			status.remote, _ = errors.AsType[*jsonrpc.Error](answer.Error)
		}
	} else if mediaType(resp) == "text/plain" {
		status.detail = string(cut([]byte(c.secrets.Redact(string(bytes.TrimSpace(body)))), 200))
	}
	// The specification says 404; servers made after the examples of the
	// TypeScript SDK say 400 and -32000.
	if c.SessionID() != "" && (status.status == http.StatusNotFound && (status.remote == nil || status.remote.Code != jsonrpc.CodeMethodNotFound) ||
		status.status == http.StatusBadRequest && status.remote != nil && status.remote.Code == -32000) {
		return c.forget()
	}
	switch status.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return &fault{reason: ReasonAuth, err: status}
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return &fault{reason: ReasonBroken, sent: true, err: status}
	}
	if status.remote != nil {
		return &fault{reason: ReasonRemote, sent: true, err: status}
	}
	return &fault{reason: ReasonConnect, err: status}
}

func mediaType(resp *http.Response) string {
	name, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return name
}

// noteSession stores the session id in the answer to initialize.
func (c *httpConn) noteSession(msg jsonrpc.Message, resp *http.Response) {
	request, ok := msg.(*jsonrpc.Request)
	if !ok || request.Method != "initialize" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = resp.Header.Get(headerSession)
}

// Close ends all streams and, in a legacy session, tells the server.
func (c *httpConn) Close() error {
	c.mu.Lock()
	closed := c.closed
	c.closed = true
	session := c.session
	c.mu.Unlock()
	if closed {
		c.streams.Wait()
		return nil
	}
	select {
	case <-c.lost:
	default:
		if session != "" {
			c.end()
		}
	}
	c.cancel()
	c.streams.Wait()
	return nil
}

// end tells the server that the session is over. It waits deleteTimeout at
// most: nothing depends on it.
func (c *httpConn) end() {
	ctx, cancel := context.WithTimeout(c.lifetime, deleteTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.url, nil)
	if err != nil {
		return
	}
	c.setCommonHeaders(req)
	if resp, err := c.client.Do(req); err == nil {
		_ = resp.Body.Close() // its content is not needed
	}
}

// response makes an answer to a request that the server will not answer.
func response(id int64, err error) *jsonrpc.Response {
	return &jsonrpc.Response{ID: numberID(id), Error: err}
}
