package serve_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/serve"
)

// *host.Host is what is served.
var _ serve.Backend = (*host.Host)(nil)

// A host on a pair of pipes, as a client that starts us would use it.
func ExampleServer_ServeStdio() {
	ctx := context.Background()
	h, err := host.Open(ctx, "", &host.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	s, err := serve.New(serve.Options{Backend: h, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"text-transform__upper","arguments":{"text":"hi"}}}
`)
	var out strings.Builder
	if err := s.ServeStdio(ctx, in, &out); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Count(out.String(), "\n"), "answers")
	fmt.Println(s.Drain(ctx))
	// Output:
	// 2 answers
	// <nil>
}
