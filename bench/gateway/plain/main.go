// Command plain serves a bundle as a program does that uses gongu as a library and
// keeps no records: no store, no history of calls, no events.
//
//	plain -bundle DIR -state DIR
//
// It listens on a free port of 127.0.0.1; the first line of its output is the
// address. It ends when its input does.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/policy"
)

func main() {
	bundle := flag.String("bundle", "", "the folder of the bundle")
	state := flag.String("state", "", "the state root")
	flag.Parse()
	if err := run(context.Background(), *bundle, *state); err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bundle, state string) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that matters
		cancel()
	}()
	g, err := gateway.New(ctx, &gateway.Options{
		Bundle: bundle, Logger: slog.New(slog.DiscardHandler), Auth: auth.Options{NoAuth: true},
		Host: host.Options{StateRoot: state, Policy: host.PolicyOptions{
			Rules: []policy.Set{{Tier: policy.User, Name: "bench", Default: policy.Allow}},
		}},
	})
	if err != nil {
		return err
	}
	defer func() { _ = g.Close() }() // nothing was kept
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	return g.Serve(ctx, listener)
}
