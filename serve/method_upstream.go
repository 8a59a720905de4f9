package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// upstreams returns those that have a capability and whose prompts or resources
// (kind) the principal may use.
func (s *Server) upstreams(ctx context.Context, rq *request, kind access.Kind, capability string) []Upstream {
	var found []Upstream
	for _, up := range s.opts.Upstreams.For(ctx, rq.agent, kind) {
		if up.Offers(ctx, capability) {
			found = append(found, up)
		}
	}
	return found
}

// hasUpstream reports whether the principal may use a kind of any upstream.
func (s *Server) hasUpstream(ctx context.Context, rq *request, kind access.Kind) bool {
	return s.opts.Upstreams != nil && len(s.opts.Upstreams.For(ctx, rq.agent, kind)) > 0
}

// mayUse reports whether the principal may use one resource, by its URI, or one
// prompt, by the name that clients see.
func (rq *request) mayUse(up Upstream, kind access.Kind, name string) bool {
	return access.Item(rq.principal, rq.agent, identityOf(up), kind, name) == nil
}

// identityOf returns the identity of an upstream's source.
func identityOf(up Upstream) string { return gongu.Source{Type: "mcp", Name: up.Name()}.Identity() }

const maxUpstreamPages = 100

// gather returns the handler of a list that joins those of all upstreams in one
// page, as far as the principal may use the items, by their key. It logs and
// leaves out upstreams that fail or list more than the budget allows.
func gather(kind access.Kind, field, key string) func(*Server, context.Context, *request) (json.RawMessage, *rpcError) {
	return func(s *Server, ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
		var all []json.RawMessage
		budget := listBudget{server: s}
		defer func() { budget.giveBack(budget.taken) }()
		for _, up := range s.upstreams(ctx, rq, kind, string(kind)) {
			before, taken := len(all), budget.taken
			err := s.pagesOf(ctx, up, rq.msg.method, field, func(item json.RawMessage) error {
				if field == "prompts" {
					item = renamed(item, up.Prefix())
				}
				if !rq.mayUse(up, kind, text(member(item, key))) {
					return nil
				}
				// A copy, because the item would keep its whole page in memory.
				all = append(all, bytes.Clone(item))
				return budget.take(len(item))
			})
			if errors.Is(err, errManyLists) {
				return nil, s.fail(codeServer, lang.ServeBusy).with(503)
			}
			if errors.Is(err, mcpclient.ErrManyItems) {
				s.opts.Logger.Warn("the rest of an upstream's list is left out", "server", up.Name(), "method", rq.msg.method, "entries", len(all)-before)
			} else if err != nil {
				clear(all[before:])
				all = all[:before]
				budget.giveBack(budget.taken - taken)
				s.opts.Logger.Warn("an upstream's list is left out", "server", up.Name(), "method", rq.msg.method, "error", err)
			}
		}
		return s.listPage(field, all, "", rq.modern), nil
	}
}

// errManyLists means that the answers being made hold too much.
var errManyLists = errors.New("too many large lists are read at the same time")

// listBudget counts the bytes of the entries that one answer keeps, and with
// those of all answers being made, so that many clients that ask for large
// lists at a time do not take more memory than a few.
type listBudget struct {
	server *Server
	taken  int64
}

func (b *listBudget) take(n int) error {
	b.taken += int64(n)
	all := b.server.listing.Add(int64(n))
	switch {
	case b.taken > int64(b.server.limits.List):
		return fmt.Errorf("the lists of the servers have more than %d bytes together", b.server.limits.List)
	case all > 2*int64(b.server.limits.List):
		return errManyLists
	}
	return nil
}

func (b *listBudget) giveBack(n int64) {
	b.taken -= n
	b.server.listing.Add(-n)
}

// pagesOf calls item for each entry of an upstream's list, until it returns an
// error. The entries are parts of their page.
func (s *Server) pagesOf(ctx context.Context, up Upstream, method, field string, item func(json.RawMessage) error) error {
	list := &mcpclient.PagedList{Field: field, Bytes: s.limits.List}
	for range maxUpstreamPages {
		params := list.Params()
		if params == nil {
			params = json.RawMessage(`{}`)
		}
		raw, err := up.Request(ctx, method, params, nil)
		if err == nil {
			err = wellFormed(raw, s.limits.Depth)
		}
		if err != nil {
			return err
		}
		var failure error
		err = list.Add(raw, func(entry json.RawMessage) {
			if failure == nil {
				failure = item(entry)
			}
		})
		if err = cmp.Or(failure, err); err != nil || !list.More() {
			return err
		}
	}
	return errors.New("the list has too many pages")
}

// errFound ends the reading of a list.
var errFound = errors.New("found")

// lists reports whether a list of an upstream has an item whose key has a value.
func (s *Server) lists(ctx context.Context, up Upstream, method, field, key, value string) bool {
	err := s.pagesOf(ctx, up, method, field, func(item json.RawMessage) error {
		if text(member(item, key)) == value {
			return errFound
		}
		return nil
	})
	return errors.Is(err, errFound)
}

const promptSeparator = "__"

// renamed puts the prefix of a server before the name of its prompt.
func renamed(item json.RawMessage, prefix string) json.RawMessage {
	if prefix == "" || !isObject(item) {
		return item
	}
	return replaced(item, "name", quote(nil, prefix+promptSeparator+text(member(item, "name"))))
}

// forward sends a request to an upstream, with the capabilities of the client.
func (s *Server) forward(ctx context.Context, rq *request, up Upstream, params json.RawMessage) (json.RawMessage, *rpcError) {
	opts := &mcpclient.RequestOptions{Capabilities: s.declared(rq), InputRequired: rq.modern, Repeatable: true}
	c := &callParams{name: up.Name(), server: up.Name()}
	if !rq.modern {
		caller := s.caller(rq, c, rq.out, rq.ask)
		opts.Sample = caller.Sample
		if caller.Elicit != nil {
			opts.Elicit = func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
				return caller.Elicit(ctx, up.Name(), params)
			}
		}
	}
	purpose := purposeOf(rq, text(member(params, namedBy(rq.msg.method))), nil)
	if state := member(params, "requestState"); rq.modern && state != nil {
		opened, ok := s.seal.open(ctx, text(state), purpose, time.Now())
		if !ok || opened.Kind != "tool" {
			return nil, s.fail(codeParams, lang.ServeBadState).with(400)
		}
		params = replaced(params, "requestState", quote(nil, opened.State))
	}
	result, err := up.Request(ctx, rq.msg.method, params, opts)
	if err == nil {
		err = wellFormed(result, s.limits.Depth*2)
	}
	if err != nil {
		return nil, s.upstreamError(up, err)
	}
	if rq.modern {
		return s.inputRequired(ctx, rq, c, outcome{result: result}, func() string { return purpose })
	}
	return result, nil
}

// upstreamError returns the error that an upstream answered with, or describes
// why it did not answer.
func (s *Server) upstreamError(up Upstream, err error) *rpcError {
	if remote, ok := errors.AsType[*jsonrpc.Error](err); ok {
		out := &rpcError{code: int(remote.Code), message: remote.Message, data: remote.Data}
		switch out.code {
		case codeCapability:
			out.status = 400
		case codeNoMethod, codeHeader, codeRevision:
			out.code = codeInternal // our request was wrong, not the client's
		}
		return out
	}
	return s.fail(codeInternal, lang.ServeUpstream, up.Name(), err)
}

// promptGet answers prompts/get.
func (s *Server) promptGet(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	name := text(member(rq.msg.params, "name"))
	up, own := s.promptOwner(ctx, rq, name)
	if up == nil {
		return nil, s.fail(codeParams, lang.ServeNoPrompt, name)
	}
	params := only(rq.msg.params, "name", "arguments")
	return s.forward(ctx, rq, up, replaced(params, "name", quote(nil, own)))
}

// only returns the parameters of a request that were checked, with those that
// all requests have. An upstream must not get others: it could take another
// spelling of a name, or the second of two, for the one that was checked.
func only(params json.RawMessage, names ...string) json.RawMessage {
	names = append(names, "_meta", "inputResponses", "requestState")
	return edited(params, func(name string, value json.RawMessage) json.RawMessage {
		i := slices.Index(names, name)
		if i < 0 {
			return nil
		}
		names = slices.Delete(names, i, i+1)
		return value
	})
}

// promptOwner returns the upstream of a prompt, and the prompt's name there.
func (s *Server) promptOwner(ctx context.Context, rq *request, name string) (Upstream, string) {
	for _, up := range s.upstreams(ctx, rq, access.Prompts, "prompts") {
		own, ok := name, true
		if prefix := up.Prefix(); prefix != "" {
			own, ok = strings.CutPrefix(name, prefix+promptSeparator)
		}
		if ok && own != "" && rq.mayUse(up, access.Prompts, name) && s.lists(ctx, up, "prompts/list", "prompts", "name", own) {
			return up, own
		}
	}
	return nil, ""
}

// resourceRead answers resources/read. It asks upstreams that list the URI
// first, then the others, which may have a template for it, and then those that
// linked the resource in a result.
func (s *Server) resourceRead(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	uri := text(member(rq.msg.params, "uri"))
	missing := s.fail(s.resourceCode(rq), lang.ServeNoResource).withData(map[string]string{"uri": uri})
	for _, up := range append(s.byResource(ctx, rq, uri), s.linking(ctx, rq, uri)...) {
		result, refusal := s.forward(ctx, rq, up, replaced(only(rq.msg.params, "uri"), "uri", quote(nil, uri)))
		switch {
		case refusal == nil:
			if rq.modern && member(result, "ttlMs") == nil && text(member(result, "resultType")) != "input_required" {
				result = splice(`"ttlMs":0,"cacheScope":"private"`, result)
			}
			return result, nil
		case refusal.code != codeResource && refusal.code != codeParams:
			return nil, refusal
		}
	}
	return nil, missing
}

// resourceCode returns the error code for an unknown resource.
func (s *Server) resourceCode(rq *request) int {
	if rq.modern {
		return codeParams
	}
	return codeResource
}

// byResource returns the upstreams whose resource of this URI the principal may
// read: those that list it, then the others.
func (s *Server) byResource(ctx context.Context, rq *request, uri string) []Upstream {
	var sure, maybe []Upstream
	for _, up := range s.upstreams(ctx, rq, access.Resources, "resources") {
		if !rq.mayUse(up, access.Resources, uri) {
			continue
		}
		if s.lists(ctx, up, "resources/list", "resources", "uri", uri) {
			sure = append(sure, up)
		} else {
			maybe = append(maybe, up)
		}
	}
	return append(sure, maybe...)
}

// complete answers completion/complete. A completion follows the prompt or the
// resource template that it is for.
func (s *Server) complete(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	ref := member(rq.msg.params, "ref")
	if !isObject(ref) {
		return nil, s.fail(codeParams, lang.ServeNoCompletion)
	}
	params := only(rq.msg.params, "ref", "argument", "context")
	if text(member(ref, "type")) == "ref/prompt" {
		up, own := s.promptOwner(ctx, rq, text(member(ref, "name")))
		if up == nil || !up.Offers(ctx, "completions") {
			return nil, s.fail(codeParams, lang.ServeNoCompletion)
		}
		own = string(append(quote([]byte(`{"type":"ref/prompt","name":`), own), '}'))
		return s.forward(ctx, rq, up, replaced(params, "ref", []byte(own)))
	}
	uri := text(member(ref, "uri"))
	for _, up := range s.upstreams(ctx, rq, access.Resources, "completions") {
		if rq.mayUse(up, access.Resources, uri) && s.lists(ctx, up, "resources/templates/list", "resourceTemplates", "uriTemplate", uri) {
			own := append(quote([]byte(`{"type":"ref/resource","uri":`), uri), '}')
			return s.forward(ctx, rq, up, replaced(params, "ref", own))
		}
	}
	return nil, s.fail(codeParams, lang.ServeNoCompletion)
}
