package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/gongu-ai/gongu"
)

// Tool makes the tool of one definition, such as one from an earlier list,
// without a request to the server.
func (c *Client) Tool(definition json.RawMessage) (gongu.Tool, error) {
	return c.ToolFor(definition, nil)
}

// ToolFor is [Client.Tool] for several callers: each call is made by the client
// that choose returns for its context. All clients of one [Group] and one server
// can make it.
func (c *Client) ToolFor(definition json.RawMessage, choose func(context.Context) (*Client, error)) (gongu.Tool, error) {
	listing := &Listing{Server: c.config.Name, choose: choose}
	c.define(listing, []json.RawMessage{definition}, false)
	if len(listing.Tools) == 1 {
		return listing.Tools[0].Tool, nil
	}
	if len(listing.Problems) > 0 {
		return gongu.Tool{}, errors.New(strings.Join(listing.Problems, "; "))
	}
	return gongu.Tool{}, errors.New("the settings of the server leave it out")
}

// Owns reports whether a tool of this name could be one of the server's.
func (c *Client) Owns(name string) bool {
	prefix := c.config.prefix()
	return prefix == "" || strings.HasPrefix(name, prefix+"__")
}

// Excludes reports whether a tool of this name, if the server has it, is left out
// by Include or Exclude of the configuration.
func (c *Client) Excludes(name string) bool {
	if prefix := c.config.prefix(); prefix != "" {
		name = strings.TrimPrefix(name, prefix+"__")
	}
	return !c.config.selects(name)
}

// Prefix returns the prefix of the names of the server's tools, or "".
func (c *Client) Prefix() string { return c.config.prefix() }

// Offers reports whether the server declares a capability, such as prompts. A
// server that cannot be reached declares none.
func (c *Client) Offers(ctx context.Context, capability string) bool {
	info, err := c.Info(ctx)
	return err == nil && info.offers(capability)
}
