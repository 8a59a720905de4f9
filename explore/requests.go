package explore

import (
	"context"
	"errors"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/toolrequest"
)

func (x *explorer) requestTool() gongu.Tool {
	return define(x, definition{
		name: RequestTool, text: lang.ExploreRequest, hints: queues(),
		params: []param{
			{Name: "name", Rule: rule{Type: "string"}},
			{Name: "description", Rule: rule{Type: "string"}},
			{Name: "rationale", Optional: true, Rule: rule{Type: "string"}},
			{Name: "suggested_params", Optional: true, Rule: rule{Type: "array", Items: &rule{Type: "string"}}},
		},
		aliases:  []string{"needed_params"},
		keywords: []string{"missing tool", "ask for", "요청", "없는 도구"},
	}, requestTool)
}

type requestArgs struct {
	Name            string   `json:"name"`
	Description     string   `json:"description"`
	Rationale       string   `json:"rationale"`
	SuggestedParams []string `json:"suggested_params"`
	// NeededParams is another name for SuggestedParams.
	NeededParams []string `json:"needed_params"`
}

// queued is the output for a request. Status is that of the request, or
// already_requested, or already_available for a tool that needs no request.
type queued struct {
	RequestID string  `json:"request_id,omitempty"`
	Status    string  `json:"status"`
	Message   string  `json:"message"`
	Tool      *brief  `json:"tool,omitempty"`
	Similar   []brief `json:"similar,omitempty"`
}

const (
	alreadyRequested = "already_requested"
	alreadyAvailable = "already_available"
)

func requestTool(ctx context.Context, c *call, in requestArgs) gongu.Result {
	// Who asks for a tool that is there has overlooked it: no person needs to
	// review that.
	if tool, ok := c.catalog().Get(in.Name); ok {
		found := fit([]brief{{tool.Name, tool.Description}}, replyCost)
		return gongu.OK(queued{Status: alreadyAvailable, Message: lang.ExploreCallable.In(c.lang, tool.Name), Tool: &found[0]})
	}
	if len(in.SuggestedParams) == 0 {
		in.SuggestedParams = in.NeededParams
	}
	answer, refused := c.add(ctx, toolrequest.New{
		Name: in.Name, Description: in.Description, Rationale: in.Rationale, SuggestedParams: in.SuggestedParams,
	}, lang.RequestQueued)
	if refused != nil {
		return *refused
	}
	answer.Similar = c.similar(ctx, in.Name, in.Description)
	return gongu.OK(answer)
}

// add puts a request into the queue and words the answer.
func (c *call) add(ctx context.Context, n toolrequest.New, done lang.Text) (queued, *gongu.Result) {
	n.Agent, n.Principal = agentOf(ctx), c.requester(ctx)
	r, already, err := c.opts.Requests.Add(ctx, n)
	if err != nil {
		return queued{}, new(c.storeFailed(err))
	}
	if r.Warning != "" {
		c.about.Logger.Warn("tool request", "request", r.ID, "warning", r.Warning)
	}
	if already {
		return queued{RequestID: r.ID, Status: alreadyRequested, Message: lang.ExploreRequestedTool.In(c.lang)}, nil
	}
	return queued{RequestID: r.ID, Status: string(r.Status), Message: done.In(c.lang)}, nil
}

// requester is the principal that sees only its own requests, or empty.
func (c *call) requester(ctx context.Context) string {
	if c.opts.Requester == nil {
		return ""
	}
	return c.opts.Requester(ctx)
}

// agentOf is the agent that calls. The names that stand for a caller outside a
// conversation (see [gongu.ExecutorOptions]) are of no agent.
func agentOf(ctx context.Context) string {
	switch name := gongu.ContextOf(ctx).AgentName; name {
	case "cli", "mcp", "api":
		return ""
	default:
		return name
	}
}

// storeFailed distinguishes what the model can correct from what it can only
// report.
func (c *call) storeFailed(err error) gongu.Result {
	known, ok := errors.AsType[*toolrequest.Error](err)
	switch {
	case ok && errors.Is(err, toolrequest.ErrInvalid):
		return c.badArgs(known.Message(string(c.lang)), known.Near, known.Hint(string(c.lang)))
	case ok:
		return c.refuse(gongu.CodeUnavailable, lang.ExploreNoRequests.In(c.lang, known.Message(string(c.lang))), known.Near, lang.ExploreSuggestRequests.In(c.lang))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return gongu.Fail(err)
	}
	return c.refuse(gongu.CodeUnavailable, lang.ExploreNoRequests.In(c.lang, err.Error()), nil, lang.ExploreSuggestRequests.In(c.lang))
}

func (x *explorer) listRequestsTool() gongu.Tool {
	return define(x, definition{
		name: ListToolRequests, text: lang.ExploreRequests, hints: looks(),
		params: []param{
			{Name: "status", Optional: true, Rule: rule{Type: "string", Enum: []string{
				string(toolrequest.Queued), string(toolrequest.Approved), string(toolrequest.Rejected), string(toolrequest.Fulfilled),
			}}},
			limitParam,
			cursorParam,
		},
		keywords: []string{"queue", "요청", "대기"},
		limits:   gongu.Limits{Output: pageBytes + pageRoom},
	}, listRequests)
}

type requestsArgs struct {
	Status toolrequest.Status `json:"status"`
	Limit  int                `json:"limit"`
	Cursor string             `json:"cursor"`
}

type requestPage struct {
	Requests   []toolrequest.Request `json:"requests"`
	NextCursor string                `json:"next_cursor,omitempty"`
}

func listRequests(ctx context.Context, c *call, in requestsArgs) gongu.Result {
	filter := toolrequest.Filter{Status: in.Status, Principal: c.requester(ctx), Limit: in.Limit, Cursor: in.Cursor}
	if filter.Limit == 0 {
		filter.Limit = c.opts.Limits.Page
	}
	page, err := c.opts.Requests.List(ctx, filter)
	if err != nil {
		return c.storeFailed(err)
	}
	// Proposals can be large. Where a page goes on is for the queue to say, so
	// it is asked for a shorter one.
	if short := fitting(page.Requests); short < len(page.Requests) {
		filter.Limit = short
		if page, err = c.opts.Requests.List(ctx, filter); err != nil {
			return c.storeFailed(err)
		}
	}
	return gongu.OK(requestPage{append([]toolrequest.Request{}, page.Requests...), page.NextCursor})
}

// fitting is how many requests, and at least one, a page has room for.
func fitting(requests []toolrequest.Request) int {
	room := pageBytes
	for i := range requests {
		if room -= len(encode(requests[i])); room < 0 {
			return max(i, 1)
		}
	}
	return len(requests)
}
