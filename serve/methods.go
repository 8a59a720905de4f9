package serve

import (
	"context"
	"encoding/json"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Access is what a principal needs to use a method.
type Access string

// The kinds of access. Session needs access to the path only.
const (
	AccessSession       Access = "session"
	AccessTools         Access = "tools"
	AccessTasks         Access = "tasks"
	AccessResources     Access = "resources"
	AccessPrompts       Access = "prompts"
	AccessCompletions   Access = "completions"
	AccessSubscriptions Access = "subscriptions"
	AccessLogs          Access = "logs"
)

// Method is one request that clients can make.
type Method struct {
	Name   string
	Access Access
	// Legacy and Modern are the eras that have the method.
	Legacy, Modern bool
	// Upstream methods exist only when the server has upstreams.
	Upstream bool

	answer func(s *Server, ctx context.Context, rq *request) (json.RawMessage, *rpcError)
}

// methodListen is answered with a stream: see listen.
const methodListen = "subscriptions/listen"

// Methods lists all requests that a server answers. Tests require a transcript
// of each.
func Methods() []Method {
	return []Method{
		{Name: "initialize", Access: AccessSession, Legacy: true, answer: (*Server).initialize},
		{Name: "ping", Access: AccessSession, Legacy: true, answer: (*Server).ping},
		{Name: "server/discover", Access: AccessSession, Modern: true, answer: (*Server).discover},
		{Name: "logging/setLevel", Access: AccessLogs, Legacy: true, answer: (*Server).setLevel},

		{Name: "tools/list", Access: AccessTools, Legacy: true, Modern: true, answer: (*Server).toolsList},
		{Name: "tools/call", Access: AccessTools, Legacy: true, Modern: true, answer: (*Server).toolsCall},
		{Name: "tasks/get", Access: AccessTasks, Modern: true, answer: (*Server).tasksMethod},
		{Name: "tasks/update", Access: AccessTasks, Modern: true, answer: (*Server).tasksMethod},
		{Name: "tasks/cancel", Access: AccessTasks, Modern: true, answer: (*Server).tasksMethod},

		{Name: methodListen, Access: AccessSubscriptions, Modern: true},
		{Name: "resources/subscribe", Access: AccessSubscriptions, Legacy: true, Upstream: true, answer: (*Server).subscribe},
		{Name: "resources/unsubscribe", Access: AccessSubscriptions, Legacy: true, Upstream: true, answer: (*Server).unsubscribe},

		{Name: "prompts/list", Access: AccessPrompts, Legacy: true, Modern: true, Upstream: true, answer: gather(access.Prompts, "prompts", "name")},
		{Name: "prompts/get", Access: AccessPrompts, Legacy: true, Modern: true, Upstream: true, answer: (*Server).promptGet},
		{Name: "resources/list", Access: AccessResources, Legacy: true, Modern: true, Upstream: true, answer: gather(access.Resources, "resources", "uri")},
		{Name: "resources/templates/list", Access: AccessResources, Legacy: true, Modern: true, Upstream: true, answer: gather(access.Resources, "resourceTemplates", "uriTemplate")},
		{Name: "resources/read", Access: AccessResources, Legacy: true, Modern: true, Upstream: true, answer: (*Server).resourceRead},
		{Name: "completion/complete", Access: AccessCompletions, Legacy: true, Modern: true, Upstream: true, answer: (*Server).complete},
	}
}

// methods are the methods of one server, by era and name.
type methods struct{ legacy, modern map[string]Method }

func newMethods(upstreams bool) methods {
	m := methods{legacy: map[string]Method{}, modern: map[string]Method{}}
	for _, method := range Methods() {
		if method.Upstream && !upstreams {
			continue
		}
		if method.Legacy {
			m.legacy[method.Name] = method
		}
		if method.Modern {
			m.modern[method.Name] = method
		}
	}
	return m
}

// answer runs the method of a request.
func (s *Server) answer(ctx context.Context, rq *request, known map[string]Method) (json.RawMessage, *rpcError) {
	method, ok := known[rq.msg.method]
	if !ok || method.answer == nil {
		return nil, s.fail(codeNoMethod, lang.ServeNoMethod, rq.msg.method).with(404)
	}
	result, refusal := method.answer(s, ctx, rq)
	if rq.modern && method.Upstream && refusal == nil && !hasResultType(result) {
		// An older upstream does not say that its result is complete.
		result = splice(`"resultType":"complete"`, result)
	}
	return result, refusal
}
