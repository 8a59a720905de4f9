package oauth

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/modelcontextprotocol/go-sdk/auth"
)

const callbackPath = "/callback"

// outcome is the result of the authorization page.
type outcome struct {
	result *auth.AuthorizationResult
	err    error
}

// receiver receives the redirect of the browser on the loopback address.
type receiver struct {
	port    int
	server  *http.Server
	served  chan struct{}
	outcome chan outcome
	lang    lang.Lang
	// state is what the right answer carries; any web page could send another.
	state atomic.Value
}

// receiver listens where it listened before, because a registration may be
// bound to the address.
func (a *Authorization) receiver() (*receiver, error) {
	a.mu.Lock()
	port := a.port
	a.mu.Unlock()
	if port == 0 {
		port = a.opts.RedirectPort
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil && a.opts.RedirectPort == 0 {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("listen for the answer of the browser: %w", err)
	}
	r := &receiver{
		served: make(chan struct{}), outcome: make(chan outcome, 1), lang: a.opts.Lang,
	}
	if addr, ok := listener.Addr().(*net.TCPAddr); ok {
		r.port = addr.Port
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+callbackPath, r.take)
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		defer close(r.served)
		_ = r.server.Serve(listener) // ends with close
	}()
	return r, nil
}

func (r *receiver) url() string { return fmt.Sprintf("http://127.0.0.1:%d%s", r.port, callbackPath) }

// take reads what the authorization server sent along.
func (r *receiver) take(w http.ResponseWriter, req *http.Request) {
	query := req.URL.Query()
	if want, ok := r.state.Load().(string); !ok || query.Get("state") != want {
		http.Error(w, "not the answer that is waited for", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	text := lang.McpAuthDone.In(r.lang)
	out := outcome{result: &auth.AuthorizationResult{Code: query.Get("code"), State: query.Get("state"), Iss: query.Get("iss")}}
	if problem := query.Get("error"); problem != "" {
		text = lang.McpAuthFailed.In(r.lang, problem)
		out = outcome{err: errors.New("the authorization server says: " + problem + " " + query.Get("error_description"))}
	}
	select {
	case r.outcome <- out:
	default: // it has answered before
	}
	_, _ = fmt.Fprintf(w, "<!doctype html><meta charset=utf-8><title>gongu</title><p>%s</p>", html.EscapeString(text))
}

func (r *receiver) wait(ctx context.Context) (*auth.AuthorizationResult, error) {
	select {
	case out := <-r.outcome:
		return out.result, out.err
	case <-ctx.Done():
		return nil, fmt.Errorf("nobody came back from the authorization page: %w", ctx.Err())
	}
}

func (r *receiver) close() {
	_ = r.server.Close() // the browser has its answer
	<-r.served
}
