package toolrequest_test

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/toolrequest"
)

// writer is a process that adds requests until it is killed.
type writer struct {
	cmd   *exec.Cmd
	ready chan struct{} // closed at its first acknowledged request
	done  chan struct{} // closed at the end of its output

	mu      sync.Mutex
	acked   map[string]string // id to name
	last    string            // the last step that it announced
	trouble string
}

func startWriter(t *testing.T, path string) *writer {
	t.Helper()
	w := &writer{ready: make(chan struct{}), done: make(chan struct{}), acked: map[string]string{}}
	w.cmd = exec.Command(os.Args[0], path)
	w.cmd.Env = append(os.Environ(), childMode+"=add", "GOMAXPROCS=1")
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go w.listen(out)
	return w
}

func (w *writer) listen(out io.Reader) {
	defer close(w.done)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		w.mu.Lock()
		switch words := strings.Fields(lines.Text()); {
		case len(words) == 3 && words[0] == "A":
			if len(w.acked) == 0 {
				close(w.ready)
			}
			w.acked[words[1]] = words[2]
			w.last = "A"
		case len(words) == 1:
			w.last = words[0]
		default:
			w.trouble = lines.Text()
		}
		w.mu.Unlock()
	}
}

// kill ends the process and reports whether it was between the start of a write
// and its rename: it had announced the first and not the second.
func (w *writer) kill(t *testing.T) (inside bool) {
	t.Helper()
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-w.done // all that it said before it died
	_ = w.cmd.Wait()
	if w.trouble != "" {
		t.Fatalf("a writer said: %s", w.trouble)
	}
	return w.last == "W"
}

// TestKill is the test of the issue: 200 rounds, four processes that add at the
// same time, killed at random. What was acknowledged stays, ids are unique, and
// the file is always whole. In most rounds one of the four is killed and
// replaced while the others go on; in every twentieth all are, and a new queue is
// begun after a look at the old one, so that the files stay small. The race
// detector sees all there is to see in two such queues.
func TestKill(t *testing.T) {
	const writers, segment = 4, 20
	rounds := 200
	if raceDetector || testing.Short() {
		rounds = 2 * segment
	}
	kills, inside, requests := 0, 0, 0
	var path string
	var alive, dead []*writer
	for round := range rounds {
		if round%segment == 0 {
			path = filepath.Join(t.TempDir(), toolrequest.FileName)
			alive, dead = nil, nil
			for range writers {
				alive = append(alive, startWriter(t, path))
			}
		}
		victim := chooseVictim(t, alive)
		time.Sleep(rand.N(4 * time.Millisecond)) // any moment of a write, which takes about as long
		last := round%segment == segment-1
		for i := range alive {
			if i != victim && !last {
				continue
			}
			kills++
			if alive[i].kill(t) {
				inside++
			}
			dead = append(dead, alive[i])
			if !last {
				alive[i] = startWriter(t, path)
			}
		}
		checkWhole(t, path)
		if last {
			requests += checkAcknowledged(t, path, dead)
		}
	}
	t.Logf("%d kills, %d of them between the start of a write and its rename; %d requests acknowledged", kills, inside, requests)
	if inside == 0 {
		t.Error("no kill landed between the start of a write and its rename: this run has proven nothing")
	}
}

// chooseVictim takes one of those that are at work, once at least two are.
func chooseVictim(t *testing.T, alive []*writer) int {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var working []int
		for i, w := range alive {
			select {
			case <-w.done:
				t.Fatalf("a writer ended by itself: %s", w.trouble)
			case <-w.ready:
				working = append(working, i)
			default:
			}
		}
		if len(working) >= 2 {
			return working[rand.IntN(len(working))]
		}
	}
	t.Fatal("the writers do nothing")
	return 0
}

// checkWhole reads the file as anybody may at any moment.
func checkWhole(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := toolrequest.Parse(text); err != nil {
		t.Fatalf("the file does not parse: %v\n%s", err, text)
	}
}

// checkAcknowledged compares the file with what dead writers were told, and
// sees that the next writer clears away what they left.
func checkAcknowledged(t *testing.T, path string, dead []*writer) int {
	t.Helper()
	f := toolrequest.NewFile(path, &toolrequest.Options{MaxOpen: 1 << 20, Logger: quiet()})
	if _, _, err := f.Add(context.Background(), sofa()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := toolrequest.Parse(text) // which refuses ids that are there twice
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string]string{}
	for _, r := range list {
		stored[r.ID] = r.Name
	}
	acked := map[string]bool{}
	for _, w := range dead {
		for id, name := range w.acked {
			if acked[id] {
				t.Fatalf("%s was given to two requests", id)
			}
			acked[id] = true
			if stored[id] != name {
				t.Fatalf("%s was acknowledged for %s, the file has %q", id, name, stored[id])
			}
		}
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := file.Name(); name != toolrequest.FileName {
			t.Errorf("%s was left behind", name)
		}
	}
	return len(acked)
}
