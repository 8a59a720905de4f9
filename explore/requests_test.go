package explore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/toolrequest"
)

// Promise E5: the call that the seed's background prints.
func TestE5TheCallOfTheBackground(t *testing.T) {
	store := toolrequest.NewMemory()
	a := everything(t, drawing(t, &explore.Options{Requests: store}), nil)
	var got struct {
		RequestID string `json:"request_id"`
		Status    string
	}
	a.into("request_tool", `{"name":"draw_curved_sofa","description":"호 형태의 곡선 소파","needed_params":["cx","cy","radius","angle_span","depth"]}`, &got)
	kept, err := store.Get(t.Context(), got.RequestID)
	if err != nil || got.Status != "queued" || kept.Rationale != "" || !slices.Equal(kept.SuggestedParams, []string{"cx", "cy", "radius", "angle_span", "depth"}) {
		t.Errorf("got %+v, kept %+v, %v", got, kept, err)
	}
}

// AC4's answer has nothing more when nothing is similar.
func TestE5NothingSimilar(t *testing.T) {
	a := everything(t, drawing(t, &explore.Options{Requests: toolrequest.NewMemory()}), nil)
	a.want("request_tool", `{"name":"qwzx","description":"jjjjjj"}`,
		`{"request_id":"req_001","status":"queued","message":"The tool request is registered. A developer will review it before it is added."}`)
}

// Promise E5: at most three, never the tools about tools.
func TestE5SimilarTools(t *testing.T) {
	a := everything(t, drawing(t, &explore.Options{Requests: toolrequest.NewMemory()}), nil)
	var got struct{ Similar []struct{ Name string } }
	a.into("request_tool", `{"name":"search_list_tools","description":"list domains and search tools, draw_arc, draw_line, draw_circle and 원을 그립니다"}`, &got)
	if len(got.Similar) != 3 {
		t.Errorf("%d similar tools", len(got.Similar))
	}
	for _, s := range got.Similar {
		if tool, ok := a.Catalog().Get(s.Name); !ok || tool.Domain == explore.Domain {
			t.Errorf("%s is similar", s.Name)
		}
	}
}

// The tools about tools are no answer, however well they fit.
func TestE5SimilarToolsAreNotAboutTools(t *testing.T) {
	a := everything(t, drawing(t, &explore.Options{Requests: toolrequest.NewMemory()}), nil)
	var got struct{ Similar []struct{ Name string } }
	a.into("request_tool", `{"name":"qwzx","description":"search tools by what they do, request missing tools"}`, &got)
	for _, s := range got.Similar {
		if strings.HasSuffix(s.Name, "_tools") || strings.HasSuffix(s.Name, "_tool") {
			t.Errorf("%s is similar", s.Name)
		}
	}
}

func TestRequestedTwice(t *testing.T) {
	a := everything(t, drawing(t, &explore.Options{Requests: toolrequest.NewMemory()}), nil)
	var got struct {
		RequestID string `json:"request_id"`
		Status    string
	}
	for _, want := range []string{"queued", "already_requested"} {
		a.into("request_tool", `{"name":"draw_star","description":"a star"}`, &got)
		if got.RequestID != "req_001" || got.Status != want {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
}

// Who asks for a tool that is there is told so, and no person is bothered.
func TestRequestOfACallableTool(t *testing.T) {
	store := toolrequest.NewMemory()
	a := everything(t, drawing(t, &explore.Options{Requests: store}), nil)
	a.want("request_tool", `{"name":"draw_rect","description":"a rectangle"}`,
		`{"status":"already_available","message":"Tool 'draw_rect' already exists and you can call it now. Nothing was queued.","tool":{"name":"draw_rect","description":"직사각형을 그립니다"}}`)
	if page, err := store.List(t.Context(), toolrequest.Filter{}); err != nil || len(page.Requests) != 0 {
		t.Errorf("queued %+v, %v", page, err)
	}
}

// What a model can correct is an error about its arguments, in its language.
func TestBadRequests(t *testing.T) {
	for language, want := range map[string]string{"en": "cannot be the name of a tool", "ko": "도구 이름으로 쓸 수 없습니다"} {
		a := everything(t, drawing(t, &explore.Options{Lang: language, Requests: toolrequest.NewMemory()}), &gongu.ExecutorOptions{Lang: language})
		err, _ := a.refused("request_tool", `{"name":"둥근 사각형","description":"x"}`)
		if err.Code != gongu.CodeInvalidArgs || !strings.Contains(err.Message, want) || err.Suggestion == "" {
			t.Errorf("%s: %+v", language, err)
		}
		a.refused("request_tool", `{"name":"draw_star","description":"  "}`)
		a.refused("request_tool", `{"name":"draw_star","description":"`+strings.Repeat("x", 5000)+`"}`)
	}
}

// broken is a queue that nobody can reach.
type broken struct {
	toolrequest.Store
	err error
}

func (b broken) Add(context.Context, toolrequest.New) (toolrequest.Request, bool, error) {
	return toolrequest.Request{}, false, b.err
}

func (b broken) List(context.Context, toolrequest.Filter) (toolrequest.Page, error) {
	return toolrequest.Page{}, b.err
}

func TestBrokenQueue(t *testing.T) {
	a := everything(t, drawing(t, &explore.Options{Requests: broken{err: errors.New("the disk is full")}}), nil)
	err, _ := a.refused("request_tool", `{"name":"draw_star","description":"a star"}`)
	if err.Code != gongu.CodeUnavailable || !strings.Contains(err.Message, "disk is full") || !strings.Contains(err.Suggestion, "not stored") {
		t.Errorf("%+v", err)
	}
	a.refused("list_tool_requests", `{}`)
}

// A request says which agent asked. What stands for a caller outside a
// conversation is no agent.
func TestRequestsSayWhoAsked(t *testing.T) {
	for name, want := range map[string]string{"painter": "painter", "cli": "", "mcp": "", "api": "", "": ""} {
		store := toolrequest.NewMemory()
		a := everything(t, drawing(t, &explore.Options{Requests: store, Macros: func(json.RawMessage, *gongu.Catalog) error { return nil }}),
			&gongu.ExecutorOptions{AgentName: name})
		a.call("request_tool", `{"name":"draw_star","description":"a star"}`)
		a.call("register_tool", `{"name":"draw_moon","description":"a moon","implementation":"macro","steps":[{"tool":"draw_arc","params":{}}]}`)
		var got struct{ Requests []map[string]any }
		a.into("list_tool_requests", `{}`, &got)
		if len(got.Requests) != 2 {
			t.Fatalf("%q: %v", name, got.Requests)
		}
		for _, r := range got.Requests {
			if agent, ok := r["agent"]; ok != (want != "") || ok && agent != want {
				t.Errorf("%q: %v", name, r)
			}
		}
	}
}

// Promise E5: {status?, limit?, cursor?} gives {requests, next_cursor?}, oldest
// first.
func TestE5ListToolRequests(t *testing.T) {
	store := toolrequest.NewMemory()
	a := everything(t, drawing(t, &explore.Options{Requests: store}), nil)
	a.want("list_tool_requests", `{}`, `{"requests":[]}`)
	for _, name := range []string{"a_one", "b_two", "c_three"} {
		a.call("request_tool", `{"name":"`+name+`","description":"x","suggested_params":["p"]}`)
	}
	if _, err := store.Review(t.Context(), "req_002", toolrequest.Decision{Status: toolrequest.Rejected, Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	type listed struct {
		Requests []struct {
			ID, Name, Status string
			Created          string `json:"created_at"`
		}
		NextCursor string `json:"next_cursor"`
	}
	list := func(args string) (ids []string, cursor string) {
		var got listed
		a.into("list_tool_requests", args, &got)
		for _, r := range got.Requests {
			ids = append(ids, r.ID+" "+r.Name+" "+r.Status)
		}
		return ids, got.NextCursor
	}
	ids, cursor := list(`{"limit":2}`)
	if !slices.Equal(ids, []string{"req_001 a_one queued", "req_002 b_two rejected"}) || cursor == "" {
		t.Errorf("%q, %q", ids, cursor)
	}
	rest, _ := json.Marshal(map[string]any{"limit": 2, "cursor": cursor})
	if ids, cursor := list(string(rest)); !slices.Equal(ids, []string{"req_003 c_three queued"}) || cursor != "" {
		t.Errorf("%q, %q", ids, cursor)
	}
	if ids, _ := list(`{"status":"rejected"}`); !slices.Equal(ids, []string{"req_002 b_two rejected"}) {
		t.Errorf("%q", ids)
	}
	if r := a.call("list_tool_requests", `{"status":"open"}`); !r.Failed() || r.Error.Code != gongu.CodeInvalidArgs {
		t.Errorf("%+v", r)
	}
	a.refused("list_tool_requests", `{"cursor":"nonsense"}`)
}

// Large proposals make pages shorter, not unreadable.
func TestLargeRequestsArePaged(t *testing.T) {
	store := toolrequest.NewMemory()
	const n = 12
	for i := range n {
		big, err := json.Marshal(map[string]string{"note": strings.Repeat("x", 120<<10)})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := store.Add(t.Context(), toolrequest.New{Name: fmt.Sprintf("big_%d", i), Description: "d", Proposal: big}); err != nil {
			t.Fatal(err)
		}
	}
	a := everything(t, drawing(t, &explore.Options{Requests: store}), nil)
	seen, args := 0, `{}`
	for range n {
		var got struct {
			Requests   []json.RawMessage
			NextCursor string `json:"next_cursor"`
		}
		a.into("list_tool_requests", args, &got)
		if len(got.Requests) == 0 {
			t.Fatal("a page without requests")
		}
		if seen += len(got.Requests); got.NextCursor == "" {
			break
		}
		args = fmt.Sprintf(`{"cursor":%q}`, got.NextCursor)
	}
	if seen != n {
		t.Errorf("%d of %d requests were listed", seen, n)
	}
}

// Promise E6: the seed's call of register_tool.
const seedMacro = `{"name":"draw_my_chair","description":"내 스타일 의자","implementation":"macro","steps":[
	{"tool":"draw_rect","params":{"name":"seat","x":0,"y":0,"width":4,"height":1}},
	{"tool":"draw_circle","params":{"name":"back"}}]}`

func TestE6RegisterTool(t *testing.T) {
	store := toolrequest.NewMemory()
	opts := &explore.Options{Requests: store, Macros: checkSteps}
	a := everything(t, drawing(t, opts), nil)
	a.want("register_tool", seedMacro,
		`{"request_id":"req_001","status":"queued","message":"The macro was checked and is queued. It can be called once a developer has approved it."}`)
	kept, err := store.Get(t.Context(), "req_001")
	if err != nil || kept.Name != "draw_my_chair" {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	var definition map[string]any
	if err := json.Unmarshal(kept.Proposal, &definition); err != nil || definition["name"] != "draw_my_chair" || definition["implementation"] != "macro" {
		t.Errorf("the proposal is %s", kept.Proposal)
	}
	if a.Catalog().Has("draw_my_chair") {
		t.Error("a proposal can be called")
	}
}

// Promise E6, E2: bad steps are found now, with near names.
func TestE6BadSteps(t *testing.T) {
	store := toolrequest.NewMemory()
	a := everything(t, drawing(t, &explore.Options{Requests: store, Macros: checkSteps}), nil)
	err, names := a.refused("register_tool", strings.ReplaceAll(seedMacro, "draw_circle", "draw_circel"))
	if err.Code != gongu.CodeInvalidArgs || !strings.Contains(err.Message, "steps[1].tool") || len(names) == 0 || names[0] != "draw_circle" {
		t.Errorf("%+v, %q", err, names)
	}
	a.refused("register_tool", `{"name":"m","description":"d","steps":[]}`)
	a.refused("register_tool", strings.ReplaceAll(seedMacro, "draw_my_chair", "draw_rect"))
	a.refused("register_tool", strings.ReplaceAll(seedMacro, `"steps"`, `"step"`)[:len(seedMacro)-2]+`,"steps":[]}`)
	if r := a.call("register_tool", strings.ReplaceAll(seedMacro, `"macro"`, `"script"`)); !r.Failed() || r.Error.Code != gongu.CodeInvalidArgs {
		t.Errorf("%+v", r)
	}
	if page, err := store.List(t.Context(), toolrequest.Filter{}); err != nil || len(page.Requests) != 0 {
		t.Errorf("queued %+v, %v", page, err)
	}
}

// spoken is an error in two languages.
type spoken struct{}

func (spoken) Error() string { return "english" }

func (spoken) In(language string) string {
	return map[string]string{"en": "english", "ko": "한국어"}[language]
}

func TestE6ErrorsInTheLanguageOfTheTools(t *testing.T) {
	opts := &explore.Options{Lang: "ko", Requests: toolrequest.NewMemory(), Macros: func(json.RawMessage, *gongu.Catalog) error { return errors.Join(spoken{}) }}
	a := everything(t, drawing(t, opts), nil)
	if err, _ := a.refused("register_tool", seedMacro); !strings.Contains(err.Message, "한국어") {
		t.Errorf("%+v", err)
	}
}

// K10: a principal that sees only its own requests lists no others, page by page.
func TestK10_OwnRequests(t *testing.T) {
	store := toolrequest.NewMemory()
	who := ""
	a := everything(t, drawing(t, &explore.Options{Requests: store, Requester: func(context.Context) string { return who }}), nil)
	for _, name := range []string{"one", "two", ""} {
		who = name
		a.call("request_tool", `{"name":"draw_for_`+name+`x","description":"x"}`)
		a.call("request_tool", `{"name":"draw_for_`+name+`y","description":"x"}`)
	}
	for name, want := range map[string]int{"one": 2, "two": 2, "three": 0, "": 6} {
		who = name
		var got requestPages
		a.into("list_tool_requests", `{}`, &got)
		if len(got.Requests) != want {
			t.Errorf("%q sees %v", name, got.Requests)
		}
		if want == 2 {
			a.into("list_tool_requests", `{"limit":1}`, &got)
			if len(got.Requests) != 1 || got.NextCursor == "" {
				t.Errorf("%+v", got)
			}
			a.into("list_tool_requests", `{"limit":1,"cursor":"`+got.NextCursor+`"}`, &got)
			if len(got.Requests) != 1 || got.Requests[0]["principal"] != name {
				t.Errorf("%+v", got)
			}
		}
	}
}

type requestPages struct {
	Requests   []map[string]any
	NextCursor string `json:"next_cursor"`
}
