package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/pgtest"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/state"
)

// approvalChild has the URL of the store for a child process that asks a person.
const approvalChild = "GONGU_TEST_APPROVAL_CHILD"

// How the call of a child is approved.
const (
	byClient   = "client"     // suspended; the user of an attended client answers
	byPerson   = "person"     // suspended; a person elsewhere answers
	connection = "connection" // the request waits; a person elsewhere answers
)

// The lines that a child prints while an approval lives, in their order.
var approvalPhases = map[string][]string{
	byClient:   {"ready", "opening", "opened", "suspended", "deciding", "decided", "using", "used", "running", "ran", "result"},
	byPerson:   {"ready", "opening", "opened", "suspended", "decided", "using", "used", "running", "ran", "result"},
	connection: {"ready", "opening", "opened", "using", "used", "running", "ran", "result"},
}

const killedApproval = `"name":"write","arguments":{"a":1}`

// told is a store that prints what a host does with an approval.
type told struct{ *state.Store }

func (s told) OpenApproval(ctx context.Context, a *state.Approval, life time.Duration, most state.CallLimits) (*state.Approval, bool, error) {
	fmt.Println("opening")
	opened, joined, err := s.Store.OpenApproval(ctx, a, life, most)
	if err == nil {
		fmt.Println("opened", opened.ID)
	}
	return opened, joined, err
}

func (s told) DecideApproval(ctx context.Context, id string, d state.ApprovalDecision, life time.Duration) (*state.Approval, bool, error) {
	fmt.Println("deciding")
	a, decided, err := s.Store.DecideApproval(ctx, id, d, life)
	fmt.Println("decided")
	return a, decided, err
}

func (s told) UseApproval(ctx context.Context, id, owner string) (*state.Approval, bool, error) {
	fmt.Println("using")
	a, used, err := s.Store.UseApproval(ctx, id, owner)
	fmt.Println("used")
	return a, used, err
}

// askingServer is a host whose rules ask about every call of write.
func askingServer(t testing.TB, store *state.Store, approvals policy.ApprovalStore, file, principal string) (*serve.Server, *client) {
	rules, err := policy.New(policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{{Name: "ask", Effect: policy.Ask}}})
	if err != nil {
		t.Fatal(err)
	}
	guard := policy.NewGuard(policy.GuardOptions{Policy: func() *policy.Policy { return rules }, Store: approvals, Logger: quiet})
	s, err := serve.New(serve.Options{Backend: newBackend(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{guard}}, appending(file)), Pending: store, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	who := gongu.Principal{Name: principal, Kind: "token", Attended: true}
	return s, &client{t: t, url: "http://host/mcp", http: &http.Client{Transport: attended{s.MCP(), &who}}}
}

// attended answers requests of a principal with a handler.
type attended struct {
	h   http.Handler
	who *gongu.Principal
}

func (t attended) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	t.h.ServeHTTP(w, r.WithContext(gongu.WithPrincipal(r.Context(), t.who)))
	return w.Result(), nil
}

const saysYes = `{"approval":{"action":"accept","content":{"answer":"yes"}}}`

// approveUntilKilled is a host with one call that a person is asked about. Its lease
// is short, so that the test need not wait long for its end.
func approveUntilKilled(url, way, file, principal string) {
	t := &childT{}
	store, err := state.Open(context.Background(), url, &state.Options{Lease: time.Second})
	if err != nil {
		panic(err)
	}
	_, c := askingServer(t, store, told{store}, file, principal)
	fmt.Println("ready")
	if way == connection {
		_, body := c.modern("tools/call", killedApproval, "{}")
		fmt.Println("result", body)
		select {} // until it is killed
	}
	_, body := c.modern("tools/call", killedApproval, ableElicit)
	found := statePattern.FindStringSubmatch(body)
	if found == nil {
		panic(body)
	}
	fmt.Println("suspended", found[1])
	responses := saysYes
	if way == byPerson {
		responses = "{}"
		for hints := store.WatchApprovals(context.Background()); ; <-hints {
			page, err := store.Approvals(context.Background(), state.ApprovalFilter{Principal: principal, State: state.ApprovalPending})
			if err != nil {
				panic(err)
			}
			if len(page.Approvals) == 0 {
				break
			}
		}
		fmt.Println("decided")
	}
	_, body = comesBack(c, killedApproval, found[1], responses)
	fmt.Println("result", body)
	select {} // until it is killed
}

// P6, P9: a host is killed at a random point in the life of an approval, and the
// client goes on at another host. The handler does not run twice, not without a yes
// that belongs to the call, and not after a no; and every approval ends. A sample;
// 300 on SQLite with GONGU_CHAOS.
func TestP6_KilledInAnApproval(t *testing.T) {
	for engine, test := range map[string]struct {
		url   func(t *testing.T) string
		tries int
	}{
		"sqlite":   {func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "state.db") }, 20},
		"postgres": {func(t *testing.T) string { return pgtest.URL(t) }, 4},
	} {
		t.Run(engine, func(t *testing.T) {
			tries := test.tries
			switch {
			case os.Getenv("GONGU_CHAOS") != "":
				tries *= 15
			case raceDetector:
				tries /= 4 // make heavy runs the sample
			}
			url := test.url(t)
			k := &approvalKill{url: url, store: openStore(t, url), random: rand.New(rand.NewPCG(11, 17)), seen: map[string]int{}}
			for i := range tries {
				k.T, k.way, k.principal = t, []string{byClient, byPerson, connection}[i%3], fmt.Sprint("p", i)
				k.once()
			}
			t.Logf("%d kills: %v", tries, k.seen)
			if problems, err := k.store.Check(t.Context()); len(problems) > 0 || err != nil {
				t.Errorf("%v %v", problems, err)
			}
		})
	}
}

// approvalKill kills hosts of a store.
type approvalKill struct {
	*testing.T
	url            string
	store          *state.Store
	random         *rand.Rand
	way, principal string
	seen           map[string]int

	file   string
	signed string // the state that the client has; empty: it got none
	phase  string
	people sync.WaitGroup
}

// once kills one host and goes on with its call at another.
func (k *approvalKill) once() {
	k.Helper()
	k.file, k.signed = filepath.Join(k.TempDir(), "runs"), ""
	phases := approvalPhases[k.way]
	k.phase = phases[k.random.IntN(len(phases))]
	after := time.Duration(k.random.IntN(3000)) * time.Microsecond
	if err := k.store.SeePerson(k.Context(), "watch", "lee"); err != nil {
		k.Fatal(err)
	}
	k.kill(after)
	k.people.Wait()
	outcome := "gone"
	if k.signed != "" {
		outcome = k.goOn()
	}
	k.check(outcome)
	if k.Failed() {
		k.Fatalf("way %s, killed %v after %q", k.way, after, k.phase)
	}
}

// kill starts a host, decides what it asks, and kills it some time after it has
// printed the line of the phase.
func (k *approvalKill) kill(after time.Duration) {
	k.Helper()
	child := exec.Command(os.Args[0], k.way, k.file, k.principal)
	child.Env = append(os.Environ(), approvalChild+"="+k.url)
	var trouble bytes.Buffer
	child.Stderr = &trouble
	out, err := child.StdoutPipe()
	if err != nil {
		k.Fatal(err)
	}
	if err := child.Start(); err != nil {
		k.Fatal(err)
	}
	lines := bufio.NewReader(out)
	var last string
	for last != k.phase && last != "result" {
		line, err := lines.ReadString('\n')
		if err != nil {
			_ = child.Wait() // how it ended is in its output
			k.Fatalf("the child failed: %v\n%s", err, trouble.String())
		}
		last = k.line(line)
	}
	time.Sleep(after)
	if err := child.Process.Kill(); err != nil {
		k.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil {
		k.Fatal(err)
	}
	_ = child.Wait() // it was killed
	for line := range strings.Lines(string(rest)) {
		if strings.HasSuffix(line, "\n") {
			k.line(line)
		}
	}
}

// line takes what a line of the child tells, and returns its first word.
func (k *approvalKill) line(line string) string {
	word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	switch {
	case word == "suspended":
		k.signed = rest
	case word == "opened" && k.way != byClient:
		yes, wait := k.random.IntN(5) > 0, time.Duration(k.random.IntN(4))*time.Millisecond
		k.people.Go(func() {
			time.Sleep(wait)
			k.decide(rest, yes)
		})
	}
	return word
}

// decide decides about an approval as a person does.
func (k *approvalKill) decide(id string, yes bool) {
	a, err := k.store.GetApproval(k.Context(), id)
	if err == nil {
		_, _, err = policy.Resolve(k.Context(), k.store, id, policy.Decider{Name: "lee", Kind: policy.ByTerminal}, policy.Answer{Approve: yes}, a.Version, "")
	}
	if err != nil {
		k.Error(err)
	}
}

// list returns the approvals of the killed host's caller.
func (k *approvalKill) list() []*state.Approval {
	k.Helper()
	page, err := k.store.Approvals(k.Context(), state.ApprovalFilter{Principal: k.principal})
	if err != nil {
		k.Fatal(err)
	}
	return page.Approvals
}

// goOn comes back to another host until the call has ended, and once more.
func (k *approvalKill) goOn() string {
	k.Helper()
	s, c := askingServer(k.T, k.store, k.store, k.file, k.principal)
	defer func() {
		if err := s.Drain(context.WithoutCancel(k.Context())); err != nil {
			k.Error(err)
		}
	}()
	responses := map[string]string{byClient: saysYes, byPerson: "{}"}[k.way]
	for range 5 {
		_, body := comesBack(c, killedApproval, k.signed, responses)
		if again := statePattern.FindStringSubmatch(body); again != nil {
			k.signed = again[1]
			for _, a := range k.list() {
				if a.State == state.ApprovalPending {
					k.decide(a.ID, true)
				}
			}
			continue
		}
		if _, same := comesBack(c, killedApproval, k.signed, responses); same != body {
			k.Errorf("first %s, then %s", body, same)
		}
		for outcome, text := range map[string]string{"done": "written", "rejected": gongu.CodeRejected, "unknown": gongu.CodeOutcomeUnknown} {
			if strings.Contains(body, text) {
				return outcome
			}
		}
		k.Errorf("the call ended with %s", body)
		return "?"
	}
	k.Error("the call did not end")
	return "?"
}

// check holds the runs of the handler against the approvals and the outcome.
func (k *approvalKill) check(outcome string) {
	k.Helper()
	raw, err := os.ReadFile(k.file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		k.Fatal(err)
	}
	runs := strings.Count(string(raw), "ran")
	states := map[string]int{}
	for _, a := range k.list() {
		if a.State == state.ApprovalPending && a.Way == state.WaitRecord {
			k.decide(a.ID, true) // its client got no state: nothing comes of it
		}
		states[k.ended(a.ID)]++
	}
	yes := states[state.ApprovalUsed]
	if runs > 1 || runs > yes || outcome == "done" && runs != 1 || outcome == "rejected" && runs != 0 || outcome != "gone" && states[state.ApprovalApproved] > 0 {
		described, _ := json.Marshal(states) // of strings and numbers
		k.Errorf("%d runs, outcome %s, approvals %s", runs, outcome, described)
	}
	k.seen[fmt.Sprintf("%s: %s, %d runs", k.way, outcome, runs)]++
}

// ended returns the state in which an approval ends: one of an open connection after
// the lease of its host, one of a record that no call can use when its time is over.
func (k *approvalKill) ended(id string) string {
	k.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		a, err := k.store.GetApproval(k.Context(), id)
		if err != nil {
			k.Fatal(err)
		}
		if a.Ended() || a.Way == state.WaitRecord && a.State == state.ApprovalApproved {
			return a.State
		}
		if time.Now().After(deadline) {
			k.Fatalf("the approval does not end: %+v", a)
		}
	}
}
