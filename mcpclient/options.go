package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/toolname"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options configure a client for all its callers. Nil and zero values are valid.
type Options struct {
	// Principal is the user of the server. A [Group] shares no
	// connection between two of them.
	Principal string
	// Dir is where relative programs, folders and secret files begin.
	Dir    string
	Logger *slog.Logger
	// Lang is the language of messages: en (default) or ko.
	Lang string
	// Version is the client's version in its handshakes.
	Version string
	// Keyring answers ${keyring:NAME}.
	Keyring Keyring
	// Secrets remembers the secrets of configurations and grants, and removes
	// them from errors and logs; nil makes one.
	Secrets *secret.Vault
	// Names builds the names of tools. Clients whose tools are in one registry
	// share one, so that it finds collisions.
	Names *toolname.Map
	// Capabilities are the client capabilities that a session declares, a JSON
	// object. Nil declares elicitation. In the modern era each call narrows
	// them to what its caller can do.
	Capabilities json.RawMessage
	// Owner serves the requests of servers that no caller can.
	Owner Handlers
	// OnChange is called when the tools of the server have changed.
	OnChange func(*Listing)
	// OnNotification gets the notifications that belong to no call, in order,
	// with the name of the server.
	OnNotification func(server, method string, params json.RawMessage)
	// Authorize shows an authorization page to the user; nil means that there
	// is no user. Tokens stores the grants.
	Authorize Authorizer
	Tokens    TokenStore
	// HTTPClient replaces the client for HTTP, without its authorization.
	HTTPClient *http.Client
	// Dial replaces the whole transport, for servers in the same process.
	Dial   func(ctx context.Context) (mcp.Transport, error)
	Limits Limits
	// Clock is for tests.
	Clock func() time.Time

	// sessions prefers the revisions that have them; see [Group.ForSession].
	sessions bool
}

// Limits bound what a server may send. Zero values take the defaults.
type Limits struct {
	// Message is the largest message, in bytes (default 16 MiB).
	Message int
	// Tools is the most tools taken (default 10,000), Pages the most pages read
	// for them (default 1,000), and List the most bytes of all pages (default
	// [MaxList]).
	Tools, Pages, List int
}

const (
	defaultMessage = 16 << 20
	defaultPages   = 1_000
)

// complete returns a copy with the defaults filled in.
func (o *Options) complete() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Logger == nil {
		out.Logger = slog.Default()
	}
	if out.Secrets == nil {
		out.Secrets = &secret.Vault{}
	}
	out.Logger = out.Secrets.Logger(out.Logger)
	if out.Names == nil {
		out.Names = &toolname.Map{}
	}
	if out.Clock == nil {
		out.Clock = time.Now
	}
	out.Version = cmp.Or(out.Version, "dev")
	out.Limits.Message = cmp.Or(out.Limits.Message, defaultMessage)
	out.Limits.Tools = cmp.Or(out.Limits.Tools, MaxItems)
	out.Limits.Pages = cmp.Or(out.Limits.Pages, defaultPages)
	out.Limits.List = cmp.Or(out.Limits.List, MaxList)
	if out.Capabilities == nil {
		out.Capabilities = json.RawMessage(`{"elicitation":{}}`)
	}
	if _, err := membersOf(out.Capabilities); err != nil {
		return out, fmt.Errorf("capabilities: %w", err)
	}
	return out, nil
}

func (o *Options) lang() lang.Lang {
	l, _ := lang.Parse(o.Lang)
	return l
}

// self returns the client's name and version, for handshakes.
func (o *Options) self() json.RawMessage {
	return object([]member{{"name", quote("gongu")}, {"version", quote(o.Version)}})
}
