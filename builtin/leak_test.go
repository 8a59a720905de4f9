//go:build unix

package builtin_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/builtin"
)

// usage is what calls must give back.
type usage struct{ goroutines, descriptors, children int }

// more holds where anything was left.
func (u usage) more(before usage) bool {
	return u.goroutines > before.goroutines || u.descriptors > before.descriptors || u.children > before.children
}

func measure(t *testing.T) usage {
	t.Helper()
	fds, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return usage{runtime.NumGoroutine(), len(fds), len(children())}
}

// children are the processes that we have to wait for.
func children() []string {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var found []string
	for _, name := range stats {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			found = append(found, name)
		}
	}
	return found
}

// TestH13_NothingLeftBehind: 300 calls, half of which time out or fail, leave
// goroutines, descriptors and children as they were.
func TestH13_NothingLeftBehind(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	commands := []map[string]any{
		{"command": "echo $$ >> groups"},
		{"command": "echo $$ >> groups; sleep 60", "timeoutMs": 30},
		{"command": "echo $$ >> groups; exit 1"},
		{"command": "echo $$ >> groups; sleep 60 & exit 0", "timeoutMs": 30},
		{"command": "echo $$ >> groups; sleep 60 >/dev/null 2>&1 &"},
		{"command": "echo $$ >> groups; sleep 60 | cat", "timeoutMs": 30},
	}
	ask(t, executor, "bash__exec", commands[0]) // whatever is made only once
	before := measure(t)
	work := make(chan map[string]any)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for args := range work {
				if r := ask(t, executor, "bash__exec", args); r.Failed() {
					t.Errorf("%v: %v", args, r.Error)
				}
			}
		})
	}
	for i := range 300 {
		work <- commands[i%len(commands)]
	}
	close(work)
	group.Wait()
	deadline := time.Now().Add(2 * time.Second)
	after := measure(t)
	for after.more(before) && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
		after = measure(t)
	}
	if after.more(before) {
		t.Errorf("%+v, before %+v", after, before)
	}
	groups, err := os.ReadFile(filepath.Join(workdir, "groups"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(groups)) {
		wantGroupDead(t, line)
	}
}
