package gateway

import (
	"context"
	"path/filepath"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
)

// BundleStatus reports which state of a bundle runs, and what is held back.
func BundleStatus(h *host.Host, path string) httpapi.BundleStatus {
	if absolute, err := filepath.Abs(path); path != "" && err == nil {
		path = absolute // the reader's current folder may be another
	}
	out := httpapi.BundleStatus{Path: path}
	if given, ok := h.Consented(); ok {
		out.Digest, out.How, out.Consented = given.Digest, given.How, &given.At
	}
	for _, f := range h.PolicyFiles() {
		if f.Err != nil {
			out.BrokenPolicies = append(out.BrokenPolicies, httpapi.BrokenPolicy{Tier: f.Tier.String(), Path: f.Path, Error: f.Err.Error()})
		}
	}
	held := h.Held()
	if held == nil {
		return out
	}
	out.Held = &httpapi.HeldChange{Digest: held.Digest, Since: held.Since, Changes: held.Changes, Waiting: held.Waiting, Accept: held.Accept}
	if held.Err != nil {
		out.Held.Error = held.Err.Error()
	}
	return out
}

// unlisted counts the sources whose tools are not known yet.
func (g *Gateway) unlisted() int {
	n := 0
	for _, s := range g.host.Sources().Status() {
		if s.Listed.IsZero() {
			n++
		}
	}
	return n
}

// loadSources lists the sources, so that the first client need not wait. Afterwards
// it logs how many tools are offered, if that was not known before.
func (g *Gateway) loadSources(ctx context.Context, say bool) {
	g.host.Sources().Load(ctx)
	if !say || ctx.Err() != nil {
		return
	}
	if counted, err := g.host.Offered(g.access); err == nil {
		g.opts.Logger.Info("sources are listed", "offered", counted.Offered, "tools", counted.Tools)
	}
}
