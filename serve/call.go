package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
	"github.com/gongu-ai/gongu/internal/capability"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/relay"
)

// taskLabel is the label of tools about tasks. With the value required, clients
// without tasks cannot call the tool.
const taskLabel = "mcp/task"

// callParams are the parameters of tools/call. Arguments are never decoded.
type callParams struct {
	name      string
	arguments json.RawMessage
	responses json.RawMessage
	state     string
	hasState  bool
	// server is the MCP server behind the tool, known once the call runs.
	server string
}

func callParamsOf(rq *request) (callParams, error) {
	p := rq.parts()
	if p.twice {
		return callParams{}, errTwice
	}
	return callParams{
		name: text(p.name), arguments: p.arguments, responses: p.responses, state: text(p.state), hasState: p.state != nil,
	}, nil
}

// outcome is how a call ended.
type outcome struct {
	result  json.RawMessage
	refusal *rpcError
	// crashed reports that the tool panicked.
	crashed bool
}

// toolsCall answers tools/call.
func (s *Server) toolsCall(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	c, err := callParamsOf(rq)
	if err != nil {
		return nil, failf(codeParams, "%v", err).with(400)
	}
	if c.name == "" {
		return nil, s.fail(codeParams, lang.ServeNoName).with(400)
	}
	if !rq.modern {
		o := s.runCall(ctx, rq, &c, s.caller(rq, &c, rq.out, rq.ask), nil, nil)
		return o.result, o.refusal
	}
	return s.modernCall(ctx, rq, &c)
}

// runCall runs a call in one step and encodes its result for the client. With a
// run the call may be suspended, or be the continuation of a suspended one.
func (s *Server) runCall(ctx context.Context, rq *request, c *callParams, caller gongu.Caller, relayed *relay.Call, r *run) outcome {
	var o outcome
	s.opts.Backend.Prepare(ctx, c.name)
	refusal := s.step(ctx, rq, func(ctx context.Context, x *gongu.Executor) *rpcError {
		catalog := x.Catalog()
		name := s.names.original(catalog, c.name)
		known := catalog != nil && catalog.Has(name)
		if known && rq.modern && (r == nil || r.resumed == nil) {
			if err := s.checkTool(catalog, rq, c, name); err != nil {
				return err
			}
		}
		if known && (caller.Elicit != nil || rq.able().task) {
			c.server = serverOf(catalog, name, c.arguments)
		}
		about := *gongu.ContextOf(ctx)
		if rq.agent == "" {
			about.AgentName = "mcp"
		}
		about.Caller = caller
		ctx, err := gongu.WithContext(ctx, about)
		if err != nil {
			return failf(codeInternal, "%v", err)
		}
		if relayed == nil {
			relayed = &relay.Call{Roots: rq.roots(rq.ask)}
		}
		s.describeClient(rq, relayed, name, c.arguments)
		encode := func(result gongu.Result) outcome {
			o := s.outcomeOf(rq, catalog, result, known, relayed)
			if known && mentionsResource(o.result) {
				if tool, ok := catalog.Get(relayed.Tool); ok && tool.Source.Type == "mcp" {
					s.noteLinks(rq, tool.Source.Identity(), o.result)
				}
			}
			return o
		}
		call := gongu.Call{Name: name, Args: c.arguments}
		if r == nil {
			o = encode(x.Call(relay.With(ctx, relayed), call))
			return nil
		}
		call.ID = r.call.CallID
		o = r.execute(relay.With(ctx, relayed), x, call, func(result gongu.Result) outcome {
			o := encode(result)
			o.result, o.refusal = s.inputRequired(ctx, rq, c, o, r.purpose)
			return o
		})
		return nil
	})
	if refusal != nil {
		o.refusal = refusal
	}
	return o
}

// outcomeOf turns the result of a tool into the answer for the client.
func (s *Server) outcomeOf(rq *request, catalog *gongu.Catalog, r gongu.Result, known bool, relayed *relay.Call) outcome {
	if !known && r.Error != nil && (r.Error.Code == gongu.CodeNotInCatalog || r.Error.Code == gongu.CodeNotFound) {
		// The protocol has an error for unknown names.
		return outcome{refusal: failf(codeParams, "%s", r.Error.Message).withData(r.Error)}
	}
	if refused := relayed.Refused(); refused != nil && r.Failed() && (refused.Code == codeCapability || refused.Code == codeURLElicitation) {
		return outcome{refusal: &rpcError{code: refused.Code, message: refused.Message, data: refused.Data, status: 400}}
	}
	if missing := s.missing(rq, r); missing != nil {
		return outcome{refusal: missing}
	}
	if r.Failed() {
		s.count.callErrors.Add(1)
	}
	if raw, ok := relayed.Passed(r.Output, r.Content, r.Meta); ok && isObject(raw) {
		s.count.passed.Add(1)
		if rq.modern && !hasResultType(raw) {
			// An older upstream does not set it, and the client needs it.
			return outcome{result: splice(`"resultType":"complete"`, raw)}
		}
		return outcome{result: raw}
	}
	s.count.encoded.Add(1)
	return s.encode(rq, catalog, r)
}

const codeURLElicitation = -32042

func hasResultType(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`"resultType"`)) && member(raw, "resultType") != nil
}

// missing returns an error if the tool failed because the client did not
// declare a capability that the tool needs.
func (s *Server) missing(rq *request, r gongu.Result) *rpcError {
	if !rq.modern || r.Error == nil {
		return nil
	}
	lacks, ok := errors.AsType[*capability.MissingError](r.Error)
	if !ok {
		return nil
	}
	able := rq.able()
	name, declared := "sampling", able.sampling
	if lacks.Asked == capability.Elicit {
		name, declared = "elicitation", able.elicitation
	}
	if declared {
		return nil
	}
	return s.lacks(r.ToolName, name, map[string]any{name: struct{}{}})
}

// lacks returns the error for a client that lacks a capability.
func (s *Server) lacks(what, capability string, required any) *rpcError {
	return s.fail(codeCapability, lang.ServeNeedsAbility, what, capability).
		withData(map[string]any{"requiredCapabilities": required}).with(400)
}

// checkTool checks the request against the definition of the tool.
func (s *Server) checkTool(catalog *gongu.Catalog, rq *request, c *callParams, name string) *rpcError {
	tool, ok := catalog.Get(name)
	if !ok {
		return nil
	}
	if tool.Labels[taskLabel] == "required" && !rq.able().task {
		return s.lacks(name, tasksExtension, map[string]any{"extensions": map[string]any{tasksExtension: struct{}{}}})
	}
	if rq.header != nil && strings.Contains(string(tool.Parameters), mirrorAnnotation) {
		if header := mismatch(rq.header, []byte(tool.Parameters), c.arguments); header != "" {
			return s.fail(codeHeader, lang.ServeHeader, header).with(400)
		}
	}
	return nil
}

// encode encodes a result that was made here.
func (s *Server) encode(rq *request, catalog *gongu.Catalog, r gongu.Result) outcome {
	raw := plainResult(r)
	if raw == nil {
		opts := &dialect.Options{Lang: s.opts.Lang}
		if rq.modern && catalog != nil {
			if tool, ok := catalog.Get(r.ToolName); ok {
				opts.Output = tool.Output
			}
		}
		var err error
		if raw, err = dialect.EncodeResult(dialect.MCP, r, opts); err != nil {
			return outcome{refusal: failf(codeInternal, "%v", err)}
		}
	}
	if rq.modern {
		raw = s.signed("complete", raw)
	}
	return outcome{result: raw, crashed: r.Error != nil && r.Error.Code == gongu.CodePanic}
}

// plainResult encodes the most common result, a text, without decoding it. It
// returns nil for all others, which the dialect encodes.
func plainResult(r gongu.Result) json.RawMessage {
	if r.Failed() || r.Error != nil || len(r.Content) > 0 || len(r.Meta) > 0 || len(r.Output) < 2 || r.Output[0] != '"' {
		return nil
	}
	const before, after = `{"content":[{"type":"text","text":`, `}]}`
	out := make([]byte, 0, len(before)+len(r.Output)+len(after))
	return append(append(append(out, before...), r.Output...), after...)
}
