package gateway

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/attach"
)

// approvals returns the questions that people decide.
func (g *Gateway) approvals() httpapi.Approvals {
	listed, ok := g.host.Approvals().(httpapi.Approvals)
	if !ok {
		return nil
	}
	return listed
}

// ApprovalURL returns the address of the page of an approval. It is empty where a
// person could not decide there: the gateway does not listen, or it does not
// authenticate requests.
func (g *Gateway) ApprovalURL(id string) string {
	base := g.base.Load()
	if base == nil || g.opts.Auth.NoAuth {
		return ""
	}
	return *base + httpapi.ApprovalsPath + "/" + url.PathEscape(id)
}

// setBase notes where people reach the server: the public address, or that of
// the listener.
func (g *Gateway) setBase(address string) {
	g.base.Store(new(cmp.Or(strings.TrimSuffix(g.opts.Auth.PublicURL, "/"), attach.LocalURL(address))))
}

// principal returns the principal of a suspended call as it is now: a token may
// have been revoked or limited since. It is nil if this server would not have
// accepted it.
func (g *Gateway) principal(_ context.Context, was *gongu.Principal, at time.Time) (*gongu.Principal, error) {
	o := &g.opts.Auth
	switch was.Kind {
	case auth.KindAnonymous:
		if !o.NoAuth {
			return nil, nil
		}
	case auth.KindToken:
		if o.Tokens == nil {
			return nil, nil
		}
		now, ok, err := o.Tokens.Named(was.Name, at)
		if err == nil && !ok {
			err = httpapi.ErrGone
		}
		return now, err
	case auth.KindOIDC:
		if o.JWT == nil {
			return nil, nil
		}
	case auth.KindSession:
		if o.Logins == nil {
			return nil, nil
		}
	}
	return was, nil
}

// resumeCalls resumes suspended calls until ctx is done. The channel is closed
// when those that run have ended.
func (g *Gateway) resumeCalls(ctx, calls context.Context) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		g.api.ResumeCalls(ctx, calls)
	}()
	return ended
}

func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
