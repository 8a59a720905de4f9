package serve_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/state"
)

// decided is a server whose rules ask about calls of write.
type decided struct {
	t     *testing.T
	store *state.Store
	host  *serve.Server
	runs  *atomic.Int32
}

func deciding(t *testing.T, url string, runs *atomic.Int32, page string, tools ...gongu.Tool) *decided {
	t.Helper()
	rules, err := policy.New(policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{
		{Name: "ask", Match: policy.Match{Tools: []string{"write"}}, Effect: policy.Ask}, {Name: "rest", Effect: policy.Allow},
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := &decided{t: t, store: openStore(t, url), runs: runs}
	guard := policy.NewGuard(policy.GuardOptions{
		Policy: func() *policy.Policy { return rules }, Store: d.store, Logger: quiet,
		URL: func(id string) string {
			if page == "" {
				return ""
			}
			return page + id
		},
	})
	b := newBackend(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{guard}}, append(tools, counting(runs))...)
	d.host = newServer(t, serve.Options{Backend: b, Pending: d.store, TaskAfter: -1})
	return d
}

func (d *decided) pending(n int) []*state.Approval {
	d.t.Helper()
	var page state.ApprovalPage
	waitFor(d.t, func() bool {
		var err error
		if page, err = d.store.Approvals(d.t.Context(), state.ApprovalFilter{State: state.ApprovalPending}); err != nil {
			d.t.Fatal(err)
		}
		return len(page.Approvals) == n
	})
	return page.Approvals
}

func (d *decided) decide(a *state.Approval, yes bool) {
	d.t.Helper()
	_, outcome, err := policy.Resolve(d.t.Context(), d.store, a.ID, policy.Decider{Name: "kim", Kind: policy.ByTerminal}, policy.Answer{Approve: yes}, a.Version, "")
	if err != nil || outcome != policy.Decided {
		d.t.Fatalf("%s: %v", outcome, err)
	}
}

func sqliteURL(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "state.db") }

const (
	callWrite = `"name":"write","arguments":{"n":1}`
	formYes   = `{"approval":{"action":"accept","content":{"answer":"yes"}}}`
	ableURL   = `{"elicitation":{"form":{},"url":{}}}`
)

var attendedKim = gongu.Principal{Name: "kim", Kind: "stdio", Attended: true}

// P7, P9: input_required. The answer of an attended client to the form counts as
// its own and is recorded so; any host resumes the call.
func TestP9_FormByInputRequired(t *testing.T) {
	var runs atomic.Int32
	url := sqliteURL(t)
	one, two := deciding(t, url, &runs, ""), deciding(t, url, &runs, "")
	signed := waits(t, as(t, one.host, attendedKim), callWrite)
	id := one.pending(1)[0].ID
	_, body := comesBack(as(t, two.host, attendedKim), callWrite, signed, formYes)
	if !strings.Contains(body, "run 1 with") {
		t.Errorf("%s", body)
	}
	a, err := one.store.GetApproval(t.Context(), id)
	if err != nil || a.State != state.ApprovalUsed || a.By != "kim" || a.ByKind != policy.ByClient || a.Way != state.WaitRecord {
		t.Errorf("%+v, %v", a, err)
	}
}

// P7: the answer of a client that is not attended does not count. It gets the
// address of the page; the decision that is made there resumes its call, and until
// then its requests wait.
func TestP7_AddressForOtherClients(t *testing.T) {
	var runs atomic.Int32
	d := deciding(t, sqliteURL(t), &runs, "https://gongu.example/approvals/")
	c := as(t, d.host, gongu.Principal{Name: "bot", Kind: "token"})
	_, body := c.modern("tools/call", callWrite, ableURL)
	a := d.pending(1)[0]
	if !strings.Contains(body, `"mode":"url"`) || !strings.Contains(body, "https://gongu.example/approvals/"+a.ID) || strings.Contains(body, "requestedSchema") {
		t.Fatalf("%s", body)
	}
	signed := statePattern.FindStringSubmatch(body)[1]
	_, body = c.modern("tools/call", callWrite+`,"requestState":"`+signed+`","inputResponses":`+formYes, ableURL)
	if runs.Load() != 0 || !strings.Contains(body, "input_required") {
		t.Fatalf("the client's own yes counted: %s", body)
	}
	signed = statePattern.FindStringSubmatch(body)[1]
	done := make(chan string, 1)
	go func() {
		_, body := c.modern("tools/call", callWrite+`,"requestState":"`+signed+`"`, ableURL)
		done <- body
	}()
	select {
	case body := <-done:
		t.Errorf("the client is not made to wait: %s", body)
	case <-time.After(300 * time.Millisecond):
	}
	d.decide(a, true)
	if body := <-done; !strings.Contains(body, "run 1 with") {
		t.Errorf("%s", body)
	}
}

// P3, P9: clients that no one can be asked through. Without a person they are
// denied with the id; a plain client waits while a person looks on.
func TestP9_PlainClientWaitsOrIsDenied(t *testing.T) {
	var runs atomic.Int32
	d := deciding(t, sqliteURL(t), &runs, "")
	bot := as(t, d.host, gongu.Principal{Name: "bot", Kind: "token"})
	for _, able := range []string{`{}`, ableElicit} {
		_, body := bot.modern("tools/call", callWrite, able)
		if a := d.pending(1)[0]; !strings.Contains(body, "gongu approvals approve "+a.ID) || !strings.Contains(body, gongu.CodeDenied) || a.Way != state.WaitPermit {
			t.Errorf("%s: %s", able, body)
		}
	}
	if err := d.store.SeePerson(t.Context(), "watch", "kim"); err != nil {
		t.Fatal(err)
	}
	done := make(chan string, 1)
	other := `"name":"write","arguments":{"n":2}`
	go func() { _, body := bot.modern("tools/call", other, `{}`); done <- body }()
	d.decide(d.pending(2)[0], true)
	if body := <-done; !strings.Contains(body, "run 1 with") {
		t.Errorf("%s", body)
	}
}

// P9: a task that waits for a decision says so, and a decision from elsewhere
// resumes it on any host; a decline ends it.
func TestP9_TaskWaitsForADecision(t *testing.T) {
	var runs atomic.Int32
	url := sqliteURL(t)
	one, two := deciding(t, url, &runs, ""), deciding(t, url, &runs, "")
	bot := gongu.Principal{Name: "bot", Kind: "token"}
	id := becomesTask(t, as(t, one.host, bot), callWrite, "working")
	a := one.pending(1)[0]
	c := as(t, two.host, bot)
	waitFor(t, func() bool {
		body := c.task("tasks/get", id, "")
		return strings.Contains(body, a.ID) && strings.Contains(body, `"working"`)
	})
	two.decide(a, true)
	if body := c.reaches(id, "completed"); !strings.Contains(body, "run 1 with") {
		t.Errorf("%s", body)
	}
	id = becomesTask(t, as(t, one.host, bot), callWrite, "working")
	one.decide(one.pending(1)[0], false)
	if body := c.reaches(id, "completed"); !strings.Contains(body, gongu.CodeRejected) || runs.Load() != 1 {
		t.Errorf("%s", body)
	}
}

// macroOf calls look and then write.
func macroOf() gongu.Tool {
	both := tool("both", func(ctx context.Context, _ json.RawMessage) gongu.Result {
		x := gongu.ContextOf(ctx).Executor
		for _, name := range []string{"look", "write"} {
			if r := x.Call(ctx, gongu.Call{Name: name, Args: json.RawMessage(`{}`)}); r.Error != nil {
				return gongu.Fail(r.Error)
			}
		}
		return says("both")
	})
	both.Source = gongu.Source{Type: "macro", Name: "both"}
	return both
}

// P9: a call inside a macro waits as a goroutine of the outer call. After a restart
// its approval is cancelled, and the outer result is unknown, with the calls that
// had ended; nothing runs again.
func TestP9_RestartInsideAMacro(t *testing.T) {
	var runs atomic.Int32
	url := sqliteURL(t)
	look := tool("look", func(context.Context, json.RawMessage) gongu.Result { return says("seen") })
	one := deciding(t, url, &runs, "", macroOf(), look)
	if err := one.store.SeePerson(t.Context(), "watch", "kim"); err != nil {
		t.Fatal(err)
	}
	bot := gongu.Principal{Name: "bot", Kind: "token"}
	id := becomesTask(t, as(t, one.host, bot), `"name":"both"`, "working")
	a := one.pending(1)[0]
	if a.Tool != "both" || a.Calls[0].Tool != "write" || a.Way != state.WaitConnection {
		t.Errorf("%+v", a)
	}
	if err := one.store.Close(); err != nil { // its lease ends with it
		t.Fatal(err)
	}
	two := deciding(t, url, &runs, "", macroOf(), look)
	if found, err := two.store.GetApproval(t.Context(), a.ID); err != nil || found.State != state.ApprovalCancelled {
		t.Errorf("%+v, %v", found, err)
	}
	c := as(t, two.host, bot)
	if body := c.task("tasks/get", id, ""); !strings.Contains(body, gongu.CodeOutcomeUnknown) || !strings.Contains(body, "had ended: look") || runs.Load() != 0 {
		t.Errorf("%s", body)
	}
}
