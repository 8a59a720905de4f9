package mcpclient

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/gongu-ai/gongu/internal/netguard"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/stream"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// sseConn is a connection of the HTTP+SSE transport of 2024-11-05: one stream
// has all messages of the server, and its first event names the address for
// ours. The transport of the SDK posts to any origin that the event names and
// queues a hundred events of any size, so it is not used here.
type sseConn struct {
	*httpConn // posts the messages

	stream *http.Response
	events *events
	queue  []jsonrpc.Message // the rest of a batch
}

var _ connection = (*sseConn)(nil)

func (*sseConn) traits() traits         { return traits{} }
func (*sseConn) setVersion(string)      {}
func (*sseConn) listen(context.Context) {}

// connectSSE opens the stream and waits for the address of messages. The stream
// outlasts ctx, which is the time for connecting.
func connectSSE(ctx context.Context, conn *httpConn) (connection, error) {
	stop := context.AfterFunc(ctx, conn.cancel)
	c := &sseConn{httpConn: conn}
	err := c.open()
	if err == nil && !stop() {
		err = ctx.Err()
	}
	if err != nil {
		_ = c.Close() // nothing of it is used
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	return c, nil
}

func (c *sseConn) open() error {
	req, err := http.NewRequestWithContext(c.lifetime, http.MethodGet, c.url, nil)
	if err != nil {
		return err
	}
	c.setCommonHeaders(req)
	req.Header.Set("Accept", "text/event-stream")
	if c.stream, err = c.client.Do(req); err != nil {
		return secret.WithoutURL(err)
	}
	if c.stream.StatusCode < 200 || c.stream.StatusCode > 299 {
		return c.refused(c.stream)
	}
	c.events = newEvents(c.stream.Body, c.limit)
	first, err := c.events.next()
	if err != nil {
		return faultf(ReasonProtocol, false, "the stream has no address for messages: %w", err)
	}
	if first.name != "endpoint" {
		return faultf(ReasonProtocol, false, "the first event of the stream is %q and not the address for messages", cut([]byte(first.name), 80))
	}
	return c.setEndpoint(string(first.data))
}

// setEndpoint sets the address for messages, which must be on the origin of the
// stream: messages have the configured headers.
func (c *sseConn) setEndpoint(named string) error {
	base, err := url.Parse(c.url)
	if err != nil {
		return err
	}
	endpoint, err := base.Parse(named)
	if err != nil {
		return faultf(ReasonProtocol, false, "the address for messages: %w", err)
	}
	if !netguard.SameOrigin(base, endpoint) {
		return otherOrigin(endpoint)
	}
	c.url = endpoint.String()
	return nil
}

// Read returns the next message of the stream. One at a time is in memory.
func (c *sseConn) Read(context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		ev, err := c.events.next()
		if _, long := errors.AsType[*stream.LongLine](err); long {
			return nil, &fault{reason: ReasonTooLarge, sent: true, err: err}
		}
		if err != nil {
			return nil, err
		}
		if len(ev.data) == 0 || ev.name != "" && ev.name != "message" {
			continue
		}
		if c.queue, err = decodeMessages(ev.data, 0); err != nil {
			return nil, faultf(ReasonProtocol, true, "an event %w", err)
		}
	}
	msg := c.queue[0]
	c.queue = c.queue[1:]
	return msg, nil
}

// Write posts a message; its answer comes from the stream.
func (c *sseConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	return c.send(ctx, msg, 0)
}

// Close ends the stream.
func (c *sseConn) Close() error {
	err := c.httpConn.Close()
	if c.stream != nil {
		err = errors.Join(err, c.stream.Body.Close())
	}
	return err
}
