package mcpclient

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connection carries the messages of one session: over the pipes of a child
// process ([childConn]), over streamable HTTP ([httpConn]) or over a transport
// of the SDK ([sdkConn]).
type connection interface {
	// Send sends a message. It returns the answer to a request where the
	// transport gives it as the reply, and nil where it comes from Read. The
	// fault of an error says whether the server may have seen the message.
	Send(ctx context.Context, msg jsonrpc.Message) (*jsonrpc.Response, error)
	// Read waits for the next message that is not returned by Send.
	Read(ctx context.Context) (jsonrpc.Message, error)
	// Close ends the connection and waits for everything that belongs to it.
	Close() error

	traits() traits
	// SessionID is what the server called the session, or "".
	SessionID() string
	// setVersion names the revision of a legacy session in all that follows.
	setVersion(version string)
	// listen follows the handshake of a legacy session: it lets the server
	// speak without being asked.
	listen(ctx context.Context)
}

// traits are the differences between transports that a session must know.
type traits struct {
	// http sends each message as a request of its own: messages have headers,
	// ending the request cancels the call, and a failure concerns one request.
	http bool
	// pipe sends all messages over one stream of bytes, which a failed write
	// breaks for good.
	pipe bool
	// encoded takes messages that were encoded before.
	encoded bool
}

// sdkConn is a connection of the SDK.
type sdkConn struct{ mcp.Connection }

var _ connection = (*sdkConn)(nil)

// Send writes a message; answers come from Read.
func (c *sdkConn) Send(ctx context.Context, msg jsonrpc.Message) (*jsonrpc.Response, error) {
	return nil, c.Write(ctx, msg)
}

func (*sdkConn) traits() traits         { return traits{} }
func (*sdkConn) setVersion(string)      {}
func (*sdkConn) listen(context.Context) {}
