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
	// Write sends a message; answers come from Read. The fault of an error says
	// whether the server may have seen the message.
	Write(ctx context.Context, msg jsonrpc.Message) error
	// Read waits for the next message.
	Read(ctx context.Context) (jsonrpc.Message, error)
	// Close ends the connection and waits for everything that belongs to it.
	Close() error

	traits() traits
	// SessionID is the server's id of the session, or "".
	SessionID() string
	// setVersion sets the revision that all later messages of a legacy session
	// name.
	setVersion(version string)
	// listen opens the stream of the server's own messages, after the handshake
	// of a legacy session.
	listen(ctx context.Context)
}

// traits are the differences between transports that a session must know.
type traits struct {
	// http sends each message as a separate request: messages have headers,
	// ending the request cancels the call, and a failure concerns one request.
	http bool
	// pipe sends all messages over one stream of bytes, which a failed write
	// breaks for good.
	pipe bool
}

// sdkConn is a connection of the SDK.
type sdkConn struct{ mcp.Connection }

var _ connection = (*sdkConn)(nil)

func (*sdkConn) traits() traits         { return traits{} }
func (*sdkConn) setVersion(string)      {}
func (*sdkConn) listen(context.Context) {}
