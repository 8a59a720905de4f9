package httpapi

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/dialect"
	"github.com/gongu-ai/gongu/internal/ask"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
)

// Access is what a principal needs to use a route.
type Access string

// The kinds of access. Health, readiness and login are public and are not
// routes of the API.
const (
	// AccessRead reads the principal's catalogs.
	AccessRead Access = "read"
	// AccessCall calls tools of the principal's catalogs.
	AccessCall Access = "call"
	// AccessHistory reads the principal's own calls, and everything for a
	// principal without restrictions.
	AccessHistory Access = "history"
	// AccessServer reads data of the whole server; it needs a principal without
	// restrictions.
	AccessServer Access = "server"
	// AccessRequests reads the tool requests of all principals; it needs a
	// principal without restrictions, or one that may decide about them.
	AccessRequests Access = "requests"
	// AccessDecide changes what others may do; it needs a principal that may.
	AccessDecide Access = "decide"
	// AccessManage reads what only a principal may that decides about
	// everything.
	AccessManage Access = "manage"
)

// Route is a method and path of the API with the access that it needs.
type Route struct {
	Method, Path string // the path with Prefix
	Access       Access
}

// Routes lists the whole API.
func (a *API) Routes() []Route {
	var routes []Route
	for _, r := range a.routes() {
		routes = append(routes, Route{r.method, Prefix + r.path, r.access})
	}
	return routes
}

// route is one operation with its handler and documentation.
type route struct {
	method, path string
	access       Access
	id           string // operationId
	summary      lang.Text
	params       []param
	body         *shape // nil takes none
	maxBody      int64
	reply        shape
	later        *shape // of a reply with status 202; nil has none
	// list replies have an ETag; a stream sends replies as server-sent events.
	list, stream bool
	// approvals means that a session for approvals may use it.
	approvals bool
	// problems are the codes it may answer with, beside those of all routes.
	problems []string
	serve    func(*exchange) (any, error)
}

// operation is the route's name in metrics; nil is a request that no route
// takes.
func (r *route) operation() string {
	if r == nil {
		return "none"
	}
	return r.id
}

// shape is a JSON body, named in the document by its Go type.
type shape struct {
	name string
	typ  reflect.Type
}

func shapeOf[T any](name string) shape { return shape{name, reflect.TypeFor[T]()} }

func bodyOf[T any](name string) *shape { return new(shapeOf[T](name)) }

// param is a parameter in the query or, when the path has its name, in there.
type param struct {
	name     string
	about    lang.Text
	required bool
	number   bool
	choices  []string
}

const (
	smallBody = 64 << 10
	// A macro is at most as large as the proposal of a request, and a call has
	// the arguments that an executor takes, with something around them.
	macroBody = 256 << 10
	callBody  = 4<<20 + 64<<10
)

// routes is the whole API.
func (a *API) routes() []route {
	agent := param{name: "agent", about: lang.APIParamAgent}
	limit := param{name: "limit", about: lang.APIParamLimit, number: true}
	cursor := param{name: "cursor", about: lang.APIParamCursor}
	id := param{name: "id", about: lang.APIParamID, required: true}
	return append(slices.Concat(recordRoutes(agent, limit, cursor), approvalRoutes(agent, limit, cursor), ruleRoutes()), []route{
		{
			method: http.MethodGet, path: "/tools", access: AccessRead, id: "listTools", summary: lang.APIListTools, list: true,
			params: []param{agent, {name: "domain", about: lang.APIParamDomain}, {name: "source", about: lang.APIParamSource}, limit, cursor},
			reply:  shapeOf[toolList]("ToolList"), problems: []string{CodeNotFound}, serve: (*exchange).listTools,
		},
		{
			method: http.MethodGet, path: "/tools/{name}", access: AccessRead, id: "getTool", summary: lang.APIGetTool, list: true,
			params: []param{{name: "name", about: lang.APIParamName, required: true}, agent},
			reply:  shapeOf[tool]("Tool"), problems: []string{CodeNotFound}, serve: (*exchange).getTool,
		},
		{
			method: http.MethodGet, path: "/domains", access: AccessRead, id: "listDomains", summary: lang.APIListDomains, list: true,
			params: []param{agent}, reply: shapeOf[domainList]("DomainList"), problems: []string{CodeNotFound}, serve: (*exchange).listDomains,
		},
		{
			method: http.MethodGet, path: "/agents", access: AccessRead, id: "listAgents", summary: lang.APIListAgents, list: true,
			reply: shapeOf[agentList]("AgentList"), serve: (*exchange).listAgents,
		},
		{
			method: http.MethodGet, path: "/search", access: AccessRead, id: "searchTools", summary: lang.APISearch, list: true,
			params: []param{{name: "q", about: lang.APIParamQuery, required: true}, agent, {name: "limit", about: lang.APIParamHits, number: true}},
			reply:  shapeOf[hitList]("SearchResult"), problems: []string{CodeNotFound}, serve: (*exchange).search,
		},
		{
			method: http.MethodGet, path: "/declarations", access: AccessRead, id: "declareTools", summary: lang.APIDeclare, list: true,
			params: []param{{name: "dialect", about: lang.APIParamDialect, required: true, choices: dialect.Names()}, agent},
			reply:  shapeOf[declarations]("Declarations"), problems: []string{CodeNotFound}, serve: (*exchange).declare,
		},
		{
			method: http.MethodPost, path: "/calls", access: AccessCall, id: "callTool", summary: lang.APICall,
			body: bodyOf[callBodyJSON]("Call"), maxBody: callBody, reply: shapeOf[gongu.Result]("ToolCallResult"), later: bodyOf[CallTree](callTreeName),
			problems: []string{CodeNotFound}, serve: (*exchange).call,
		},
		{
			method: http.MethodGet, path: "/requests", access: AccessRequests, id: "listRequests", summary: lang.APIListRequests, list: true,
			params: []param{{name: "status", about: lang.APIParamStatus, choices: []string{"queued", "approved", "rejected", "fulfilled"}}, limit, cursor},
			reply:  shapeOf[requestList]("RequestList"), problems: []string{CodeNotFound}, serve: (*exchange).listRequests,
		},
		{
			method: http.MethodGet, path: "/requests/{id}", access: AccessRequests, id: "getRequest", summary: lang.APIGetRequest, list: true,
			params: []param{id}, reply: shapeOf[toolRequest]("Request"), problems: []string{CodeNotFound}, serve: (*exchange).getRequest,
		},
		{
			method: http.MethodPost, path: "/requests/{id}/approve", access: AccessDecide, id: access.ApproveRequest, summary: lang.APIApprove,
			params: []param{id}, body: bodyOf[approveJSON]("Approval"), maxBody: macroBody, reply: shapeOf[toolRequest]("Request"),
			problems: []string{CodeNotFound, CodeConflict, CodeRefused}, serve: (*exchange).approve,
		},
		{
			method: http.MethodPost, path: "/requests/{id}/reject", access: AccessDecide, id: access.RejectRequest, summary: lang.APIReject,
			params: []param{id}, body: bodyOf[rejectJSON]("Rejection"), maxBody: smallBody, reply: shapeOf[toolRequest]("Request"),
			problems: []string{CodeNotFound, CodeConflict}, serve: (*exchange).reject,
		},
		{
			method: http.MethodGet, path: "/pins", access: AccessServer, id: "listPins", summary: lang.APIListPins, list: true,
			params: []param{limit, cursor}, reply: shapeOf[pinList]("PinList"), problems: []string{CodeRefused}, serve: (*exchange).listPins,
		},
		{
			method: http.MethodPost, path: "/pins/accept", access: AccessDecide, id: "acceptPins", summary: lang.APIAccept,
			body: bodyOf[acceptJSON]("PinChoice"), maxBody: smallBody, reply: shapeOf[accepted]("AcceptedPins"),
			problems: []string{CodeNotFound, CodeConflict, CodeRefused}, serve: (*exchange).acceptPins,
		},
		{
			method: http.MethodGet, path: "/status", access: AccessServer, id: "getStatus", summary: lang.APIStatus, list: true,
			reply: shapeOf[ServerStatus]("ServerStatus"), serve: (*exchange).serverStatus,
		},
		{
			method: http.MethodGet, path: "/sources", access: AccessServer, id: "listSources", summary: lang.APIListSources, list: true,
			params: []param{limit, cursor}, reply: shapeOf[sourceList]("SourceList"), serve: (*exchange).listSources,
		},
		{
			method: http.MethodPost, path: "/sources/refresh", access: AccessDecide, id: "refreshSources", summary: lang.APIRefresh,
			body: bodyOf[refreshJSON]("SourceChoice"), maxBody: smallBody, reply: shapeOf[refreshed]("RefreshedSources"),
			problems: []string{CodeNotFound}, serve: (*exchange).refresh,
		},
		{
			method: http.MethodGet, path: "/openapi.json", access: AccessRead, id: "getOpenAPI", summary: lang.APIOpenAPI, list: true,
			reply: shapeOf[map[string]any]("OpenAPI"), serve: func(x *exchange) (any, error) { return document(a.openapi[x.lang]), nil },
		},
	}...)
}

// recordRoutes read what was recorded.
func recordRoutes(agent, limit, cursor param) []route {
	rows := []param{
		{name: "principal", about: lang.APIParamPrincipal}, agent, {name: "status", about: lang.APIParamOutcome},
		{name: "trace", about: lang.APIParamTrace}, {name: "since", about: lang.APIParamSince}, limit, cursor,
	}
	return []route{
		{
			method: http.MethodGet, path: "/calls", access: AccessHistory, id: "listCalls", summary: lang.APIListCalls, list: true,
			params: append([]param{{name: "tool", about: lang.APIParamTool}}, rows...),
			reply:  shapeOf[callList]("CallList"), problems: []string{CodeNotFound}, serve: (*exchange).listCalls,
		},
		{
			method: http.MethodGet, path: "/calls/{id}", access: AccessHistory, id: "getCall", summary: lang.APIGetCall, list: true,
			params: []param{{name: "id", about: lang.APIParamCall, required: true}},
			reply:  shapeOf[CallTree](callTreeName), problems: []string{CodeNotFound}, serve: (*exchange).getCall,
		},
		{
			method: http.MethodGet, path: "/audit", access: AccessServer, id: "listAudit", summary: lang.APIListAudit, list: true,
			params: append([]param{{name: "tool", about: lang.APIParamTool}, {name: "kind", about: lang.APIParamRowKind}}, rows...),
			reply:  shapeOf[auditList]("AuditList"), problems: []string{CodeNotFound}, serve: (*exchange).listAudit,
		},
		{
			method: http.MethodGet, path: "/audit/head", access: AccessServer, id: "getAuditHead", summary: lang.APIAuditHead, list: true,
			reply: shapeOf[auditHead]("AuditHead"), problems: []string{CodeNotFound}, serve: (*exchange).auditHead,
		},
		{
			method: http.MethodGet, path: "/audit/verify", access: AccessManage, id: "verifyAudit", summary: lang.APIAuditVerify,
			params: []param{{name: "head", about: lang.APIParamHead}},
			reply:  shapeOf[state.AuditReport]("AuditReport"), problems: []string{CodeNotFound}, serve: (*exchange).verifyAudit,
		},
		{
			method: http.MethodGet, path: "/events", access: AccessHistory, id: "followEvents", summary: lang.APIEvents, stream: true,
			params: []param{{name: "kind", about: lang.APIParamEventKind, choices: eventKinds()}, {name: "after", about: lang.APIParamAfter}},
			reply:  shapeOf[EventView]("Event"), problems: []string{CodeNotFound}, serve: (*exchange).events,
		},
	}
}

// approvalRoutes are about the questions that people decide.
func approvalRoutes(agent, limit, cursor param) []route {
	id := param{name: "id", about: lang.APIParamApproval, required: true}
	return []route{
		{
			method: http.MethodGet, path: "/approvals", access: AccessHistory, id: "listApprovals", summary: lang.APIListApprovals, list: true, approvals: true,
			params: []param{{name: "state", about: lang.APIParamApprovalState, choices: approvalStates()}, agent, limit, cursor},
			reply:  shapeOf[approvalList]("ApprovalList"), problems: []string{CodeNotFound}, serve: (*exchange).listApprovals,
		},
		{
			method: http.MethodGet, path: "/approvals/{id}", access: AccessHistory, id: "getApproval", summary: lang.APIGetApproval, list: true, approvals: true,
			params: []param{id}, reply: shapeOf[ask.View]("CallApproval"), problems: []string{CodeNotFound}, serve: (*exchange).getApproval,
		},
		{
			method: http.MethodPost, path: "/approvals/{id}", access: AccessDecide, id: access.DecideApproval, summary: lang.APIDecideApproval, approvals: true,
			params: []param{id}, body: bodyOf[decisionJSON]("Decision"), maxBody: callBody, reply: shapeOf[decisionReply]("DecidedApproval"),
			problems: []string{CodeNotFound, CodeConflict, CodeRefused}, serve: (*exchange).decideApproval,
		},
	}
}
