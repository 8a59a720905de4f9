//go:build linux

package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/serve"
)

// checkAccess wants that the tables of methods and routes say what is true:
// a principal that has nothing of a kind gets nothing, whatever the golden file
// says.
func (m *authMatrix) checkAccess(t *testing.T, q *authRequest, who, answer string) {
	t.Helper()
	allowed := map[string][]string{
		string(serve.AccessResources):     {"full", "looker", "anonymous", "reader", "scopes"},
		string(serve.AccessPrompts):       {"full", "looker", "anonymous", "prompter"},
		string(serve.AccessCompletions):   {"full", "looker", "anonymous", "reader", "scopes", "prompter"},
		string(serve.AccessSubscriptions): {"full", "looker", "anonymous", "reader", "scopes"},
		string(serve.AccessLogs):          {"full", "looker", "anonymous", "logger"},
		string(httpapi.AccessDecide):      {"approver", "decider", "manage", "steward", "person"},
		"approvals":                       {"approver", "decider", "manage", "steward", "person", "asks", "attended", "looker", "anonymous"},
		string(httpapi.AccessManage):      {"manage", "steward", "person"},
		string(httpapi.AccessRequests):    {"approver", "manage", "steward", "person", "full", "looker", "anonymous"},
		"metrics":                         {"manage", "steward", "person", "full", "looker", "anonymous"},
		string(httpapi.AccessHistory):     {"manage", "steward", "person", "full", "looker", "anonymous"}, // of the calls of others
		string(httpapi.AccessServer):      {"manage", "steward", "person", "full", "looker", "anonymous"},
	}
	kind := q.access
	if q.path == "/metrics" {
		kind = "metrics"
	}
	for _, r := range new(httpapi.API).Routes() {
		if q.era == "" && r.Method == q.method && likePattern(r.Path).MatchString(q.path) {
			kind = string(r.Access)
		}
	}
	if q.path == "/api/v1/approvals" { // everybody sees their own
		kind = "approvals"
	}
	names, limited := allowed[kind]
	refused := strings.HasPrefix(answer, "401") || strings.HasPrefix(answer, "403") || strings.HasPrefix(answer, "404") || strings.Contains(answer, "rpc -") || strings.HasSuffix(answer, "(none)")
	if limited && !q.stream && q.method != "resources/unsubscribe" && !refused && !slices.Contains(names, who) {
		t.Errorf("%s needs %s, and %s gets %s", q, kind, who, answer)
	}
}

// likePattern matches the paths of a route.
func likePattern(pattern string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(pattern)
	if strings.HasSuffix(pattern, "/") {
		quoted += ".*"
	}
	return regexp.MustCompile("^" + regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(quoted, "[^/]+") + `(\?.*)?$`)
}

// checkMethods wants a row for every method that the server answers. The words
// that may be one are those in the sources of serve: however the server finds
// its methods, their names are there.
func (m *authMatrix) checkMethods(t *testing.T) {
	literal := regexp.MustCompile(`"((?:[a-z]+/[a-zA-Z/_]+)|initialize|ping)"`)
	owner := m.principals[0]
	known := map[string]bool{}
	for _, q := range authRequests() {
		known[q.era+" "+q.method] = true
	}
	for _, method := range serve.Methods() {
		if len(methodSamples()[method.Name]) == 0 {
			t.Errorf("the method %s of serve's table has no request in methodSamples", method.Name)
		}
	}
	answered := 0
	m.ask(&beginning(legacy, "/mcp/helper")[0], owner) // its session was ended
	for _, name := range slices.Sorted(maps.Keys(wordsIn(t, literal, "../../serve"))) {
		for _, era := range []string{legacy, modern} {
			if name == "initialize" && era == legacy {
				continue // done above, and without params it would end the session
			}
			q := authRequest{era: era, method: name, path: "/mcp/helper", stream: name == "subscriptions/listen"}
			answer := m.ask(&q, owner)
			if strings.Contains(answer, "rpc -32601") {
				continue
			}
			answered++
			if !known[era+" "+name] {
				t.Errorf("%s of the %s era has no line in %s; the server answers it with %s", name, era, authorizationFile, answer)
			}
		}
	}
	if answered < 20 {
		t.Errorf("only %d methods were found in the sources of serve", answered)
	}
}

// checkRoutes wants a row for every route: those that the server describes,
// and those that a mux is given.
func (m *authMatrix) checkRoutes(t *testing.T) {
	_, body := m.send(&authRequest{method: http.MethodGet, path: "/api/v1/openapi.json"}, m.principals[0])
	var document struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(body), &document); err != nil || len(document.Paths) < 10 {
		t.Fatalf("%v: %.200s", err, body)
	}
	covered := func(method, pattern string) bool {
		like := likePattern(pattern)
		return slices.ContainsFunc(authRequests(), func(q authRequest) bool {
			return like.MatchString(q.path) && (method == "" || q.era == "" && q.method == method)
		})
	}
	for _, r := range new(httpapi.API).Routes() {
		if !covered(r.Method, r.Path) {
			t.Errorf("the route %s %s of the API's table has no line in %s", r.Method, r.Path, authorizationFile)
		}
	}
	for path, operations := range document.Paths {
		for method := range operations {
			if method := strings.ToUpper(method); slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) && !covered(method, "/api/v1"+strings.TrimPrefix(path, "/api/v1")) {
				t.Errorf("the route %s %s has no line in %s", method, path, authorizationFile)
			}
		}
	}
	patterns := wordsIn(t, regexp.MustCompile(`\.Handle(?:Func)?\("(?:[A-Z]+ )?(/[^"]*)"`), "..", "../../auth", "../../httpapi", "../../serve", "../../gateway")
	for pattern := range wordsIn(t, regexp.MustCompile(`Path += "(/[a-z/]+)"`), "../../auth") {
		patterns[pattern] = true
	}
	if len(patterns) < 8 {
		t.Errorf("only these routes were found: %v", patterns)
	}
	for pattern := range patterns {
		if !covered("", pattern) {
			t.Errorf("the route %s has no line in %s", pattern, authorizationFile)
		}
	}
}

// wordsIn are the first groups of an expression in the Go sources below
// folders, without those of tests.
func wordsIn(t *testing.T, like *regexp.Regexp, folders ...string) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil // packages move
			}
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range like.FindAllSubmatch(text, -1) {
				words[string(found[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return words
}
