package proc

import (
	"crypto/rand"
	"sync"
	"time"
)

// family knows the children of this process. Subreaping is a property of a whole
// process, so there is one.
var family = &children{marks: map[int]string{}, running: map[string]bool{}}

// children are the programs that this process has started.
type children struct {
	// starting is held for reading while a program is started, until it is
	// noted, and for writing while the children are examined.
	starting sync.RWMutex
	mu       sync.Mutex
	marks    map[int]string  // of the children that run, by PID
	running  map[string]bool // marks of programs that are not over
	adopts   bool
}

// begin returns the mark of a program that is about to start.
func (c *children) begin() string {
	mark := rand.Text()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[mark] = true
	return mark
}

func (c *children) note(pid int, mark string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.marks[pid] = mark
}

// waited forgets a child whose end was read: its number can be used again.
func (c *children) waited(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.marks, pid)
}

func (c *children) known(pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.marks[pid]
	return ok
}

func (c *children) isRunning(mark string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running[mark]
}

// over ends what a program has left behind: processes that left its group and
// lost their parent.
func (c *children) over(mark string) {
	c.mu.Lock()
	delete(c.running, mark)
	adopts := c.adopts
	c.mu.Unlock()
	if !adopts {
		return
	}
	// A killed process leaves its own children to us.
	for deadline := time.Now().Add(killWait); time.Now().Before(deadline); time.Sleep(strayPause) {
		if left, done := c.pass(); done && left == 0 {
			return
		}
	}
}

// strayPause is the time between two looks at the children.
const strayPause = 500 * time.Microsecond
