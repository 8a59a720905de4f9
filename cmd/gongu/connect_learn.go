package main

import (
	"context"
	"log/slog"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
)

// learn lists the servers of a bundle as gongu serve will, so that their
// definitions are pinned and known before the client first asks: several
// clients begin without the tools that are not there within a second. A server
// that does not answer now is asked again then.
func (c *connection) learn(ctx context.Context, dir string) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	h, err := host.Open(ctx, dir, &host.Options{
		Lang: string(c.lang), StateRoot: c.stateRoot, Child: childProgram(), Version: thisBuild().Version,
		// The person has just put them there.
		Approve: func(*bundle.Bundle) error { return nil },
		Logger:  slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return // gongu serve says what is wrong with it
	}
	h.LoadSources(ctx)
	c.close(h)
}
