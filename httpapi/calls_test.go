package httpapi_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
)

func TestCall(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for _, tc := range []struct {
		name, body, status, code, output string
	}{
		{"ok", `{"name":"read_file","arguments":{"path":"a"},"id":"c1"}`, "ok", "", `{"path":"a"}`},
		{"arguments in a string", `{"name":"read_file","arguments":"{\"path\":\"a\"}"}`, "ok", "", `{"path":"a"}`},
		{"no arguments", `{"name":"weather__get"}`, "ok", "", `{}`},
		{"of an agent", `{"name":"read_file","arguments":{"path":"a"},"agent":"reader"}`, "ok", "", `{"path":"a"}`},
		{"not of the agent", `{"name":"weather__get","agent":"reader"}`, "error", gongu.CodeNotInCatalog, ""},
		{"fails", `{"name":"broken","arguments":{}}`, "error", "E_DISK", ""},
		{"bad arguments", `{"name":"read_file","arguments":{"path":1}}`, "error", gongu.CodeInvalidArgs, ""},
		{"arguments of no object", `{"name":"read_file","arguments":[1]}`, "error", gongu.CodeInvalidArgs, ""},
		{"unknown", `{"name":"raed_file","arguments":{}}`, "error", gongu.CodeNotInCatalog, ""},
		{"bad dry run", `{"name":"read_file","arguments":{},"dryRun":true}`, "error", gongu.CodeInvalidArgs, ""},
	} {
		var got gongu.Result
		s.do("POST", "/calls", tc.body, http.StatusOK, &got)
		code := ""
		if got.Error != nil {
			code = got.Error.Code
		}
		if got.Status != tc.status || code != tc.code || string(got.Output) != tc.output || got.ToolCallID == "" {
			t.Errorf("%s: %+v, %+v", tc.name, got, got.Error)
		}
		if strings.Contains(tc.body, `"c1"`) && got.ToolCallID != "c1" {
			t.Errorf("%s: the id is %q", tc.name, got.ToolCallID)
		}
	}
}

func TestDryRunDoesNothing(t *testing.T) {
	ran := false
	yes := true
	s := start(t, newBackend(t, nil, gongu.Tool{Name: "act", Annotations: gongu.Annotations{ReadOnly: &yes}, Invoke: func(context.Context, gongu.Call) gongu.Result {
		ran = true
		return gongu.OK(nil)
	}}))
	var got gongu.Result
	s.do("POST", "/calls", `{"name":"act","dryRun":true}`, 200, &got)
	if ran || got.Failed() || len(got.Output) == 0 {
		t.Errorf("ran %v: %+v", ran, got)
	}
}

// Only a request that makes no sense is refused; each says what to do.
func TestCallRefuses(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for name, body := range map[string]string{
		"no object":        `[]`,
		"a text":           `"x"`,
		"no JSON":          `{`,
		"two values":       `{"name":"x"}{}`,
		"key twice":        `{"name":"read_file","name":"write_file"}`,
		"key twice inside": `{"name":"read_file","arguments":{"path":"a","path":"b"}}`,
		"unknown field":    `{"name":"read_file","argumets":{}}`,
		"other case":       `{"Name":"read_file"}`,
		"no name":          `{"arguments":{}}`,
		"name of a number": `{"name":1}`,
		"bad UTF-8":        "{\"name\":\"\xff\"}",
		"too deep":         `{"name":"x","arguments":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
		"long id":          `{"name":"read_file","id":"` + strings.Repeat("x", 200) + `"}`,
		"id with a line":   `{"name":"read_file","id":"a\nb"}`,
	} {
		t.Run(name, func(t *testing.T) { s.refuses("POST", "/calls", body, 400, httpapi.CodeInvalid) })
	}
	if p := s.refuses("POST", "/calls", `{"name":"read_file","argumets":{}}`, 400, httpapi.CodeInvalid); !strings.Contains(p.Message, "argumets") || !strings.Contains(p.Suggestion, "arguments") {
		t.Errorf("%+v", p)
	}
	s.refuses("POST", "/calls", `{"name":"read_file","agent":"nobody"}`, 404, httpapi.CodeNotFound)
	s.refuses("POST", "/calls", `{"name":"`+strings.Repeat("x", 5<<20)+`"}`, 413, httpapi.CodeTooLarge)
	s.refuses("POST", "/pins/accept", `{"names":["`+strings.Repeat("x", 65<<10)+`"]}`, 413, httpapi.CodeTooLarge)
}

// A form of another site is posted without asking; a JSON body is not.
func TestMediaTypeAndOrigin(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "a;b;c"} {
		got := s.raw("POST", httpapi.Prefix+"/calls", http.Header{"Content-Type": {kind}}, strings.NewReader(`{"name":"read_file"}`))
		if got.status != http.StatusUnsupportedMediaType {
			t.Errorf("%q: %d %s", kind, got.status, got.body)
		}
		s.doc.check(t, "POST", "/calls", got)
	}
	ok := s.raw("POST", httpapi.Prefix+"/calls", http.Header{"Content-Type": {"Application/JSON; charset=utf-8"}}, strings.NewReader(`{"name":"broken"}`))
	if ok.status != 200 {
		t.Errorf("with a charset: %d %s", ok.status, ok.body)
	}
	for name, header := range map[string]http.Header{
		"fetch metadata": {"Content-Type": {"application/json"}, "Sec-Fetch-Site": {"cross-site"}},
		"origin":         {"Content-Type": {"application/json"}, "Origin": {"https://evil.example"}},
	} {
		got := s.raw("POST", httpapi.Prefix+"/calls", header, strings.NewReader(`{"name":"broken"}`))
		if got.status != http.StatusForbidden || !strings.Contains(string(got.body), httpapi.CodeForbidden) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

func TestPathsAndMethods(t *testing.T) {
	s := start(t, newBackend(t, nil))
	s.refuses("GET", "/nothing", "", 404, httpapi.CodeNotFound)
	s.refuses("GET", "/", "", 404, httpapi.CodeNotFound)
	s.refuses("GET", "/tools/a/b", "", 404, httpapi.CodeNotFound)
	s.refuses("DELETE", "/tools", "", 405, httpapi.CodeMethod)
	s.refuses("PATCH", "/calls", "", 405, httpapi.CodeMethod)
	s.refuses("GET", "/pins/accept", "", 405, httpapi.CodeMethod)
	if got := s.raw("DELETE", httpapi.Prefix+"/tools", nil, nil); got.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow: %q", got.header.Get("Allow"))
	}
	if got := s.raw("HEAD", httpapi.Prefix+"/tools", nil, nil); got.status != 200 || len(got.body) > 0 || got.header.Get("ETag") == "" {
		t.Errorf("HEAD: %d %s", got.status, got.body)
	}
}

// The next call is refused while as many as may run do, and answered after.
func TestMaxCalls(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	yes := true
	b := newBackend(t, nil, gongu.Tool{Name: "slow", Annotations: gongu.Annotations{ReadOnly: &yes}, Invoke: func(context.Context, gongu.Call) gongu.Result {
		entered <- struct{}{}
		<-leave
		return gongu.OK("done")
	}})
	s := start(t, b, func(o *testOptions) { o.MaxCalls = 2 })
	replies := make([]reply, 2)
	var group sync.WaitGroup
	for i := range replies {
		group.Go(func() {
			replies[i] = s.raw("POST", httpapi.Prefix+"/calls", sendsJSON, strings.NewReader(`{"name":"slow"}`))
		})
	}
	<-entered
	<-entered
	s.refuses("POST", "/calls", `{"name":"broken"}`, 503, httpapi.CodeBusy)
	if got := s.raw("POST", httpapi.Prefix+"/calls", sendsJSON, strings.NewReader(`{"name":"broken"}`)); got.header.Get("Retry-After") == "" {
		t.Error("it is not said when to try again")
	}
	close(leave)
	group.Wait()
	for _, r := range replies {
		s.doc.check(t, "POST", "/calls", r)
		if r.status != 200 {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	s.do("POST", "/calls", `{"name":"broken"}`, 200, nil)
}

// Calls that wait for a person do not count as running; how many wait has a
// bound of its own.
func TestWaitingCallsDoNotRun(t *testing.T) {
	waits, release := make(chan struct{}), make(chan struct{})
	guard := gongu.Guard{Name: "approval", Check: func(ctx context.Context, a *gongu.Attempt) *gongu.Error {
		if a.Call.Name == "read_file" {
			_ = a.Await(ctx, func(context.Context) error { // never fails
				waits <- struct{}{}
				<-release
				return nil
			})
		}
		return nil
	}}
	b := newBackend(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{guard}})
	s := start(t, b, func(o *testOptions) { o.MaxCalls, o.MaxWaiting = 1, 3 })
	var group sync.WaitGroup
	wait := func() {
		group.Go(func() { s.do("POST", "/calls", `{"name":"read_file","arguments":{"path":"a"}}`, 200, nil) })
		<-waits
	}
	for range 3 {
		wait()
	}
	s.do("POST", "/calls", `{"name":"broken"}`, 200, nil)
	wait() // there is no room for it to wait, so it keeps its place
	s.refuses("POST", "/calls", `{"name":"broken"}`, 503, httpapi.CodeBusy)
	close(release)
	group.Wait()
	s.do("POST", "/calls", `{"name":"broken"}`, 200, nil)
}

// What goes wrong inside is logged, and not told to everybody.
func TestInternalErrorsAreNotTold(t *testing.T) {
	b := newBackend(t, nil)
	b.stepErr = errTest
	s := start(t, b)
	got := s.do("GET", "/tools", "", 500, nil)
	if strings.Contains(string(got.body), "secret") || !strings.Contains(string(got.body), httpapi.CodeInternal) {
		t.Errorf("%s", got.body)
	}
	b.stepErr = context.Canceled
	s.do("POST", "/calls", `{"name":"x"}`, 503, nil)
}

type panicking struct{ *backend }

func (panicking) Agents() []string { panic("secret of the inside") }

func TestPanicIsAnswered(t *testing.T) {
	s := start(t, panicking{newBackend(t, nil)})
	got := s.do("GET", "/agents", "", 500, nil)
	if strings.Contains(string(got.body), "secret") {
		t.Errorf("%s", got.body)
	}
}

func TestLanguages(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for header, want := range map[string]string{
		"":                      "Not found",
		"ko":                    "찾을 수 없습니다",
		"ko-KR,ko;q=0.9":        "찾을 수 없습니다",
		"fr, ko;q=0.5":          "찾을 수 없습니다",
		"en-US,en;q=0.9,ko;q=1": "Not found",
		"ko;q=0, en":            "Not found",
		"ko;q=0.0":              "Not found",
		"xx":                    "Not found",
	} {
		got := s.raw("GET", httpapi.Prefix+"/tools/nothing", http.Header{"Accept-Language": {header}}, nil)
		if !strings.Contains(string(got.body), want) {
			t.Errorf("%q: %s", header, got.body)
		}
		if !strings.Contains(got.header.Get("Vary"), "Accept-Language") {
			t.Errorf("Vary: %q", got.header.Get("Vary"))
		}
	}
	korean := start(t, newBackend(t, nil), func(o *testOptions) { o.Lang = "ko" })
	if got := korean.raw("GET", httpapi.Prefix+"/tools/nothing", nil, nil); !strings.Contains(string(got.body), "찾을 수 없습니다") {
		t.Errorf("%s", got.body)
	}
}

// promise S1: a call or a list over HTTP is a first use, too: it waits for the
// source of the tool, or for all.
func TestS1FirstUse(t *testing.T) {
	b := newBackend(t, nil)
	var asked []string
	b.late = func(tool string) {
		asked = append(asked, tool)
		yes := true
		if err := b.registry.Add(gongu.Tool{Name: "late__tool", Annotations: gongu.Annotations{ReadOnly: &yes}, Invoke: echo}); err != nil {
			t.Error(err)
		}
	}
	s := start(t, b)
	var result gongu.Result
	s.do("POST", "/calls", `{"name":"late__tool"}`, 200, &result)
	if result.Failed() {
		t.Errorf("%+v", result.Error)
	}
	s.get("/tools", nil)
	if !slices.Equal(asked, []string{"late__tool", ""}) {
		t.Errorf("asked for %q", asked)
	}
}
