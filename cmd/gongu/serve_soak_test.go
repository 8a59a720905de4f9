//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

// TestServeSoak: many callers of both eras use upstreams of three kinds that
// are killed again and again. Every request gets one answer, its own; an error
// is one that a model can read, and there is none while nothing is broken;
// nothing that may change something is carried out twice; nothing grows.
//
// SOAK says for how long; `make soak` takes ten minutes.
func TestServeSoak(t *testing.T) {
	length, callers := 12*time.Second, 256
	if raceDetector || testing.Short() {
		length, callers = 3*time.Second, 48
	}
	if text := os.Getenv("SOAK"); text != "" {
		given, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		length = given
	}
	s := newSoak(t)
	s.phase(length/10, callers) // until pools and caches have their size
	first := s.phase(length*9/20, callers)
	second := s.phase(length*9/20, callers)
	s.verdict()
	t.Logf("after the first half: %s", first)
	t.Logf("after the second:     %s", second)
	// As promise H13: a heap is not given back to the byte. In a few seconds
	// it does not find its size.
	const few = 10
	memory := 20.0 * (1 << 20)
	if length < time.Minute {
		memory *= 2
	}
	if second.goroutines > first.goroutines+few || second.descriptors > first.descriptors+few || second.children != first.children {
		t.Errorf("more is held after the second half than after the first")
	}
	if !raceDetector && second.resident > first.resident+memory {
		t.Errorf("the resident memory grew by %.1f MiB", (second.resident-first.resident)/(1<<20))
	}
}

type soak struct {
	t         *testing.T
	served    *served
	tokens    []string
	upstreams []*soaked
	next      atomic.Int64 // numbers calls over all phases

	answers, errors atomic.Int64
	mu              sync.Mutex
	wrong           []string // bounded
	failures        []failure
	done            map[string]bool // texts of echo that were answered well
}

// soaked is an upstream that is killed again and again.
type soaked struct {
	name    string
	journal string
	remote  *remote // nil on pipes
	deaths  []span
}

// span is a time in which an upstream may fail.
type span struct{ from, till time.Time }

// failure is a call that ended in an error.
type failure struct {
	span
	upstream *soaked
	reply    *reply
	look     bool
}

func newSoak(t *testing.T) *soak {
	s := &soak{t: t, done: map[string]bool{}}
	yaml := ""
	for _, era := range []string{"modern", "legacy"} {
		r := startRemote(t, era)
		s.upstreams = append(s.upstreams, &soaked{name: era, journal: r.file, remote: r})
		yaml += httpServer(era, "http://"+r.address, "  shared: true\n")
	}
	near := &soaked{name: "pipes", journal: filepath.Join(t.TempDir(), "journal")}
	s.upstreams = append(s.upstreams, near)
	s.served = serveBundle(t, yaml+pipesServer(near.name, near.journal, "  shared: true\n"))
	for i := range 4 { // one principal may have 256 requests at a time
		s.tokens = append(s.tokens, s.served.decide("token", "new", "--name", fmt.Sprint("soak-", i), "--tools", "*"))
	}
	for _, u := range s.upstreams {
		s.probe(u)
	}
	return s
}

// held is what the program has when nobody uses it.
type held struct {
	goroutines, descriptors, resident float64
	children                          int
}

func (h held) String() string {
	return fmt.Sprintf("%.0f goroutines, %.0f descriptors, %d children, %.1f MiB resident", h.goroutines, h.descriptors, h.children, h.resident/(1<<20))
}

// phase lets all callers call and all upstreams die for a while, and measures
// what is left when they have gone.
func (s *soak) phase(length time.Duration, callers int) held {
	ctx, cancel := context.WithTimeout(s.t.Context(), length)
	defer cancel()
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { s.caller(ctx, i) })
	}
	for i, u := range s.upstreams {
		all.Go(func() {
			for pause(ctx, time.Second+time.Duration(i)*100*time.Millisecond) {
				s.crash(u)
			}
		})
	}
	all.Wait()
	for _, u := range s.upstreams {
		s.crash(u) // so that no connection of a caller's is left
	}
	waitFor(s.t, "for the sessions to end", func() bool {
		return s.served.metric("gongu_mcp_sessions") == 0 && s.served.metric("gongu_mcp_running") == 0
	})
	// Goroutines come down when connections have been closed; what stays up is
	// what is compared.
	h := held{goroutines: s.served.metric("go_goroutines")}
	for quiet := 0; quiet < 10; quiet++ {
		time.Sleep(20 * time.Millisecond)
		if now := s.served.metric("go_goroutines"); now < h.goroutines {
			h.goroutines, quiet = now, 0
		}
	}
	h.descriptors, h.resident = s.served.metric("process_open_fds"), s.served.metric("process_resident_memory_bytes")
	h.children = len(childrenOf(s.t, s.served.cmd.Process.Pid))
	return h
}

// pause waits, or says that the time is over.
func pause(ctx context.Context, length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// caller is one client: its own connection, and a session if its era has them.
func (s *soak) caller(ctx context.Context, i int) {
	u := s.served.as(s.tokens[i%len(s.tokens)], i%2 == 0)
	defer s.leave(u)
	upstream := s.upstreams[i%len(s.upstreams)]
	for n := 0; pause(ctx, 60*time.Millisecond); n++ {
		s.call(u, upstream, n)
	}
}

// call makes one call and looks at the answer.
func (s *soak) call(u *mcpUser, upstream *soaked, n int) {
	id := s.next.Add(1)
	text, tool := fmt.Sprintf("payload-%d-%s", id, strings.Repeat("z", n%200)), "echo"
	if n%3 == 0 {
		tool = "look"
	}
	began := time.Now()
	r := u.call(context.Background(), fmt.Sprintf(`"call-%d"`, id), upstream.name+"__"+tool, fmt.Sprintf(`{"text":%q,"ms":%d}`, text, n%4*10))
	switch {
	case r.err != nil || r.status != http.StatusOK || r.rpc != 0:
		s.bad("call %d was not answered: %v", id, r)
	case r.id != fmt.Sprintf(`"call-%d"`, id):
		s.bad("call %d got the answer to %s", id, r.id)
	case r.isError:
		s.errors.Add(1)
		s.mu.Lock()
		s.failures = append(s.failures, failure{span{began, time.Now()}, upstream, r, tool == "look"})
		s.mu.Unlock()
	case r.text != text:
		s.bad("call %d got %q, want %q", id, r.text, text)
	default:
		s.answers.Add(1)
		if tool == "echo" {
			s.mu.Lock()
			s.done[text] = true
			s.mu.Unlock()
		}
	}
}

func (s *soak) bad(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrong = append(s.wrong, fmt.Sprintf(format, args...)); len(s.wrong) > 1000 {
		s.wrong = s.wrong[:1000]
	}
}

// crash kills an upstream and waits until calls work again.
func (s *soak) crash(u *soaked) {
	death := span{from: time.Now()}
	if u.remote != nil {
		u.remote.kill()
		u.remote.start()
	} else {
		for _, pid := range childrenOf(s.t, s.served.cmd.Process.Pid) {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
				s.bad("kill: %v", err)
			}
		}
	}
	s.probe(u)
	if u.remote != nil {
		u.remote.forgotten()
	}
	death.till = time.Now()
	u.deaths = append(u.deaths, death)
}

// probe waits until an upstream answers callers of both eras: gongu may keep a
// connection for each.
func (s *soak) probe(u *soaked) {
	for _, modern := range []bool{true, false} {
		client := s.served.user(modern)
		deadline := time.Now().Add(serveDeadline)
		for {
			r := client.call(context.Background(), "1", u.name+"__look", `{"text":"probe"}`)
			if r.ok("probe") {
				break
			}
			if time.Now().After(deadline) {
				s.bad("%s does not work again: %v", u.name, r)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		s.leave(client)
	}
}

// leave ends a client's session and its connections.
func (s *soak) leave(u *mcpUser) {
	defer u.http.CloseIdleConnections()
	if u.session == "" {
		return
	}
	if r := u.do(context.Background(), http.MethodDelete, "/mcp", "", nil); r.status != http.StatusNoContent {
		s.bad("a session does not end: %v", r)
	}
}

// childrenOf are the processes that a process has started.
func childrenOf(t testing.TB, pid int) (pids []int) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Error(err)
	}
	for _, list := range lists {
		raw, err := os.ReadFile(list)
		if err != nil {
			continue // a thread may be gone by now
		}
		for _, word := range strings.Fields(string(raw)) {
			if child, err := strconv.Atoi(word); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// verdict looks at all that was written down.
func (s *soak) verdict() {
	deaths := 0
	for _, u := range s.upstreams {
		deaths += len(u.deaths)
	}
	unknown := 0
	for _, f := range s.failures {
		if f.reply.code == gongu.CodeOutcomeUnknown {
			unknown++
		}
		if f.reply.code != gongu.CodeUnavailable && (f.reply.code != gongu.CodeOutcomeUnknown || f.look) {
			s.bad("an error that is none of the known ones: %v", f.reply)
		}
		if !f.upstream.mayFail(f.span) {
			s.bad("%s failed while nothing was wrong: %v", f.upstream.name, f.reply)
		}
	}
	s.journals()
	s.recorded()
	s.t.Logf("%d calls: %d answered, %d errors (%d of them outcome unknown), %d crashes of %d upstreams, %d wrong",
		s.next.Load(), s.answers.Load(), s.errors.Load(), unknown, deaths, len(s.upstreams), len(s.wrong))
	if s.answers.Load() == 0 || s.errors.Load() == 0 || deaths == 0 {
		s.t.Error("that was no test")
	}
	for i, text := range s.wrong {
		if i < 10 {
			s.t.Error(text)
		}
	}
	if sum := s.answers.Load() + s.errors.Load(); len(s.wrong) == 0 && sum != s.next.Load() {
		s.t.Errorf("%d calls and %d answers", s.next.Load(), sum)
	}
}

// recorded checks the audit (R8): every answered call has its row, and the seals fit.
func (s *soak) recorded() {
	waitFor(s.t, "for the last rows of the audit", func() bool { return s.served.metric("gongu_audit_waiting_rows") == 0 })
	texts, rows := map[string]bool{}, int64(0)
	for line := range strings.Lines(s.served.run("audit", "export", "--payloads", "--kind", "call", "-b", s.served.dir)) {
		var row struct{ Args string }
		var args struct{ Text string }
		if json.Unmarshal([]byte(line), &row) != nil || json.Unmarshal([]byte(row.Args), &args) != nil {
			s.bad("a row that is no JSON: %.200s", line)
			continue
		}
		rows++
		texts[args.Text] = true
	}
	missing := 0
	for text := range s.done {
		if !texts[text] {
			missing++
		}
	}
	if sum := s.answers.Load() + s.errors.Load(); missing > 0 || rows < sum {
		s.bad("%d calls were answered and %d have a row; %d answered texts are in no row", sum, rows, missing)
	}
	if lost := s.served.metric("gongu_audit_lost_rows_total"); lost != 0 {
		s.bad("%v rows of the audit were lost", lost)
	}
	s.served.run("audit", "verify", "-b", s.served.dir)
}

func (u *soaked) mayFail(at span) bool {
	for _, death := range u.deaths {
		if at.till.After(death.from) && at.from.Before(death.till) {
			return true
		}
	}
	return false
}

// journals: what may change something was begun at most once, and what was
// answered was begun.
func (s *soak) journals() {
	begun := map[string][]string{}
	for _, u := range s.upstreams {
		raw, err := os.ReadFile(u.journal)
		if err != nil {
			s.t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if words := strings.Fields(line); len(words) == 3 && words[1] == "echo" {
				begun[words[2]] = append(begun[words[2]], u.name+" "+words[0])
			}
		}
	}
	for text, by := range begun {
		if len(by) > 1 {
			s.bad("%.30s was carried out by %q", text, by)
		}
	}
	for text := range s.done {
		if begun[text] == nil {
			s.bad("%.30s was answered by nobody", text)
		}
	}
}
