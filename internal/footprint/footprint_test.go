package footprint

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// What is held is seen, and what is let go is not.
func TestGrown(t *testing.T) {
	before, err := Take(Footprint{Goroutines: runtime.NumGoroutine()})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	go func() { <-stop }()
	held, err := Take(Footprint{Goroutines: runtime.NumGoroutine()})
	if err != nil {
		t.Fatal(err)
	}
	grown := strings.Join(held.Grown(before), "; ")
	if !strings.Contains(grown, "goroutines") || runtime.GOOS == "linux" && !strings.Contains(grown, "descriptors") {
		t.Errorf("grown: %s", grown)
	}
	close(stop)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := Take(before)
	if err != nil {
		t.Fatal(err)
	}
	if grown := after.Grown(before); len(grown) != 0 {
		t.Errorf("after letting go: %v", grown)
	}
	more := before
	more.Resident += memorySlack + 1
	if len(more.Grown(before)) != 1 {
		t.Error("memory over the slack is not seen")
	}
}
