package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxRounds is how often a server may ask for more input.
	maxRounds = 10
	// maxBareRounds is how often it may ask for a repetition without input.
	maxBareRounds = 3
	bareDelay     = 200 * time.Millisecond
)

// inputRequired is a result that asks for input before the real result.
type inputRequired struct {
	requests []member
	state    json.RawMessage // opaque, echoed as it came
}

// asksForInput reads such a result, or returns nil for any other.
func asksForInput(result json.RawMessage) (*inputRequired, error) {
	if !bytes.Contains(result, []byte(`"input_required"`)) {
		return nil, nil
	}
	members, err := membersOf(result)
	if err != nil {
		return nil, faultf(ReasonProtocol, true, "the result %w", err)
	}
	if kind, _ := get(members, "resultType"); textOf(kind) != "input_required" {
		return nil, nil
	}
	out := &inputRequired{}
	out.state, _ = get(members, "requestState")
	requests, _ := get(members, "inputRequests")
	if isNull(requests) {
		return out, nil
	}
	if out.requests, err = membersOf(requests); err != nil {
		return nil, faultf(ReasonProtocol, true, "inputRequests %w", err)
	}
	return out, nil
}

// rounds sends a request and gives the server the input it asks for, until it
// has a result.
func (s *session) rounds(ctx context.Context, r *request) (json.RawMessage, error) {
	round := *r
	for n, bare := 1, 0; ; n++ {
		result, err := s.roundTrip(ctx, &round)
		if err != nil {
			return nil, err
		}
		wants, err := asksForInput(result)
		if err != nil || wants == nil {
			return result, err
		}
		if n == maxRounds {
			return nil, faultf(ReasonProtocol, true, "the server asked %d times for input and gave no result", n)
		}
		if len(wants.requests) == 0 {
			if bare++; bare == maxBareRounds {
				return nil, faultf(ReasonProtocol, true, "the server asked %d times to come again without saying why", bare)
			}
			if err := pause(ctx, bareDelay*time.Duration(bare), 0); err != nil {
				return nil, &fault{reason: faultOf(err).reason, sent: true, err: err}
			}
		}
		responses, err := s.collectInput(ctx, wants.requests, r.handlers)
		if err != nil {
			return nil, err
		}
		round.members = nil
		if round.params, err = again(r.whole(), responses, wants.state); err != nil {
			return nil, err
		}
	}
}

// collectInput asks the caller for each input, one after the other: a person can
// answer one question at a time.
func (s *session) collectInput(ctx context.Context, requests []member, h *Handlers) ([]member, error) {
	if h == nil {
		h = &Handlers{}
	}
	var responses []member
	for _, m := range requests {
		var ask struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(m.value, &ask); err != nil {
			return nil, faultf(ReasonProtocol, true, "input request %q: %w", m.name, err)
		}
		with := h
		if h.answerTo(ask.Method) == nil {
			with = &s.owner
		}
		result, err := answer(ctx, ask.Method, ask.Params, with)
		if err == nil && len(result) == 0 {
			err = errors.New("the caller gave no answer")
		}
		if err != nil {
			return nil, &fault{reason: ReasonRemote, sent: true, err: &jsonrpc.Error{
				Code: codeMissing, Message: fmt.Sprintf("the server asks for %s: %v", ask.Method, err),
			}}
		}
		responses = append(responses, member{m.name, result})
	}
	return responses, nil
}

// again returns the parameters of the request with the input added.
func again(params json.RawMessage, responses []member, state json.RawMessage) (json.RawMessage, error) {
	var members []member
	if !isNull(params) {
		var err error
		if members, err = membersOf(params); err != nil {
			return nil, &fault{reason: ReasonProtocol, err: err}
		}
	}
	members = without(without(members, "inputResponses"), "requestState")
	if len(responses) > 0 {
		members = append(members, member{"inputResponses", object(responses)})
	}
	if state != nil {
		members = append(members, member{"requestState", state})
	}
	return object(members), nil
}
