// Command floor stands between clients and an MCP server as a gateway does,
// without being one. It shows what the place costs by itself:
//
//	floor -kind proxy -upstream URL    a reverse proxy that copies bytes
//	floor -kind bridge -upstream URL   the MCP SDK's client behind its server
//
// It listens on a free port of 127.0.0.1; the first line of its output is the
// address. It ends when its input does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"time"
)

func main() {
	kind := flag.String("kind", "proxy", "proxy or bridge")
	upstream := flag.String("upstream", "", "the address of the MCP server")
	flag.Parse()
	if err := run(context.Background(), *kind, *upstream); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kind, upstream string) error {
	var handler http.Handler
	var err error
	switch kind {
	case "proxy":
		handler, err = newProxy(upstream)
	case "bridge":
		handler, err = newBridge(ctx, upstream)
	default:
		err = fmt.Errorf("there is no kind %q", kind)
	}
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that matters
		_ = server.Close()
	}()
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newProxy is the standard library's reverse proxy with what a benchmark of it
// would give it: connections that are kept, and buffers that are used again.
func newProxy(upstream string) (http.Handler, error) {
	target, err := url.Parse(upstream)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = target.Scheme, target.Host, target.Host
		},
		Transport:  newTransport(),
		BufferPool: &buffers{},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without this the server closes a request's body when the response
		// begins, which now and then is before the transport has seen its end,
		// and the transport then drops the connection under the response.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		proxy.ServeHTTP(w, r)
	}), nil
}

func newTransport() *http.Transport {
	return &http.Transport{
		MaxIdleConns: 1024, MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute,
		DisableCompression: true, ResponseHeaderTimeout: 30 * time.Second,
	}
}

// buffers gives the proxy memory to copy with.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if buf, ok := b.pool.Get().(*[]byte); ok {
		return *buf
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(buf []byte) { b.pool.Put(&buf) }
