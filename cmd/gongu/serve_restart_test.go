//go:build linux

package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

var (
	shownState = regexp.MustCompile(`"requestState":"([^"]+)"`)
	shownTask  = regexp.MustCompile(`"taskId":"([^"]+)"`)
)

// kill ends the program without warning.
func (s *served) kill() {
	s.ending.Do(func() {
		_ = s.cmd.Process.Kill() // it may have ended, which the test would see
		<-s.ended
	})
}

// P9: gongu serve is killed between a question and its answer, and started again.
// A question of an upstream that keeps nothing is answered as if nothing had
// happened; a call that was running has an unknown outcome, which its client is
// told with what to do; a task that had ended still has its result.
func TestP9_ServeKilledBetweenQuestionAndAnswer(t *testing.T) {
	t.Parallel()
	web := &testUpstream{modern: true}
	journal := filepath.Join(t.TempDir(), "journal")
	first := serveBundle(t, pipesServer("up", journal, "")+httpServer("web", web.listen(t), ""), "--no-auth", "--permission", "bypass")
	user := first.user(true)
	asked := func(can, tool string, shown *regexp.Regexp) string {
		t.Helper()
		user.can = can
		r := user.call(t.Context(), "1", tool, `{"text":"t"}`)
		found := shown.FindStringSubmatch(r.body)
		if found == nil {
			t.Fatalf("%s: %v", tool, r)
		}
		return found[1]
	}
	const elicits, tasks = `{"elicitation":{}}`, `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	answer := func(task, key string) *reply {
		user.can = tasks
		return user.request(t.Context(), "2", "tasks/update", fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:{"action":"accept","content":{"name":"kim"}}}`, task, key))
	}
	get := func(task string) *reply {
		user.can = tasks
		return user.request(t.Context(), "3", "tasks/get", fmt.Sprintf(`"taskId":%q`, task))
	}
	stateless, running := asked(elicits, "web__ask", shownState), asked(elicits, "up__ask", shownState)
	ended, open := asked(tasks, "up__ask", shownTask), asked(tasks, "up__ask", shownTask)
	answer(ended, "elicitation-1")
	waitFor(t, "for the task to end", func() bool { return strings.Contains(get(ended).body, `"status":"completed"`) })
	before := get(ended).body

	first.kill()
	second := startServeIn(t, first.dir, first.env, "--mode", "direct", "--offer", "*", "--no-auth", "--permission", "bypass")
	user.url = second.url
	if after := get(ended); after.body != before || !strings.Contains(after.body, "kim") {
		t.Errorf("a task that had ended: %v, before %s", after, before)
	}
	back := func(tool, state, key string) *reply {
		user.can = elicits
		return user.call(t.Context(), "4", tool, `{"text":"t"}`, fmt.Sprintf(`"requestState":%q,"inputResponses":{%q:{"action":"accept","content":{"name":"lee"}}}`, state, key))
	}
	if r := back("web__ask", stateless, "who"); !strings.Contains(r.text, "s-1") || !strings.Contains(r.text, "lee") {
		t.Errorf("an upstream that keeps nothing: %v", r)
	}
	for range 2 {
		if r := back("up__ask", running, "elicitation-1"); r.status != http.StatusOK || r.rpc != 0 || !r.isError || r.code != gongu.CodeOutcomeUnknown || !strings.Contains(r.text, "Check the state before calling again") {
			t.Errorf("a call that was running: %v", r)
		}
	}
	if r := get(open); !strings.Contains(r.body, `"status":"failed"`) || !strings.Contains(r.body, gongu.CodeOutcomeUnknown) {
		t.Errorf("a task that was running: %v", r)
	}
	if began := begun(t, journal, "ask", "t"); len(began) != 3 {
		t.Errorf("the upstream was called %d times", len(began))
	}
}
