package gateway_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/host"
)

// The whole gateway inside of another program: MCP at /mcp, the HTTP API at
// /api/v1, metrics, a status page. A program with a bundle names it in Bundle,
// and leaves out Auth to serve the holders of tokens.
func Example() {
	state, _ := os.MkdirTemp("", "gongu")
	defer os.RemoveAll(state)
	ctx, stop := context.WithCancel(context.Background())
	g, err := gateway.New(ctx, &gateway.Options{
		Host: host.Options{StateRoot: state}, Auth: auth.Options{NoAuth: true}, Logger: slog.New(slog.DiscardHandler),
		Started: func(s gateway.Started) error { go visit(s.Address, stop); return nil },
	})
	if err == nil {
		defer g.Close()
		var listener net.Listener
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
			err = g.Serve(ctx, listener)
		}
	}
	fmt.Println(err)
	// Output:
	// {"status":"ok"}
	// <nil>
}

// visit asks the gateway for its health, and ends it.
func visit(address string, stop func()) {
	defer stop()
	response, err := http.Get("http://" + address + "/healthz")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	_, _ = io.Copy(os.Stdout, response.Body)
}
