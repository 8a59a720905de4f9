// Package footprint measures what a process holds, for tests that prove that
// nothing is left behind.
package footprint

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

const (
	settleTime = 2 * time.Second
	// memorySlack is how much the resident memory may grow: a heap is not
	// given back to the byte.
	memorySlack = 20 << 20
)

// Footprint is what the process holds at one time. All but the goroutines are
// known on Linux only and zero elsewhere.
type Footprint struct {
	Goroutines, Descriptors, Children, Resident int
}

// Take measures now, after at most two seconds in which the goroutines may
// come down to as many as before.
func Take(before Footprint) (Footprint, error) {
	deadline := time.Now().Add(settleTime)
	for runtime.NumGoroutine() > before.Goroutines && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	now := Footprint{Goroutines: runtime.NumGoroutine()}
	if runtime.GOOS != "linux" {
		return now, nil
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return now, err
	}
	now.Descriptors = len(files)
	if now.Children, err = children(); err != nil {
		return now, err
	}
	now.Resident, err = resident()
	return now, err
}

// Grown says in which ways there is more now than before; nothing is good.
func (f Footprint) Grown(before Footprint) []string {
	var grown []string
	for _, part := range []struct {
		name              string
		now, before, more int
	}{
		{"goroutines", f.Goroutines, before.Goroutines, 0},
		{"descriptors", f.Descriptors, before.Descriptors, 0},
		{"children", f.Children, before.Children, 0},
		{"resident bytes", f.Resident, before.Resident, memorySlack},
	} {
		if part.now > part.before+part.more {
			grown = append(grown, fmt.Sprintf("%d %s, %d before", part.now, part.name, part.before))
		}
	}
	return grown
}

func children() (int, error) {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	n := 0
	for _, list := range lists {
		if raw, err := os.ReadFile(list); err == nil { // a thread may be gone by now
			n += len(strings.Fields(string(raw)))
		}
	}
	return n, err
}

func resident() (int, error) {
	debug.FreeOSMemory()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		var kilobytes int
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			return kilobytes << 10, nil
		}
	}
	return 0, fmt.Errorf("no VmRSS in /proc/self/status")
}
