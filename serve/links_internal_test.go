package serve

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// K10: a link ends after 15 minutes, is one principal's and one source's, and
// the oldest are dropped first.
func TestK10Links(t *testing.T) {
	now := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	l := newLinks()
	l.now = func() time.Time { return now }
	l.add("kim", "McpServer/far", "test://a")
	if !l.has("kim", "McpServer/far", "test://a") {
		t.Error("not there")
	}
	if l.has("lee", "McpServer/far", "test://a") || l.has("kim", "McpServer/near", "test://a") || l.has("kim", "McpServer/far", "test://b") {
		t.Error("there for others")
	}
	now = now.Add(10 * time.Minute)
	l.add("kim", "McpServer/far", "test://b")
	now = now.Add(5 * time.Minute)
	if l.has("kim", "McpServer/far", "test://a") || !l.has("kim", "McpServer/far", "test://b") {
		t.Error("15 minutes are not the limit")
	}
	l.add("kim", "McpServer/far", "test://b") // again
	now = now.Add(14 * time.Minute)
	if !l.has("kim", "McpServer/far", "test://b") || len(l.of["kim"]) != 1 {
		t.Errorf("not extended: %v", l.of["kim"])
	}
	for i := range maxLinks {
		l.add("kim", "McpServer/far", fmt.Sprint("test://", i))
	}
	if l.has("kim", "McpServer/far", "test://b") || !l.has("kim", "McpServer/far", "test://0") || len(l.of["kim"]) != maxLinks {
		t.Errorf("%d links", len(l.of["kim"]))
	}
	l.add("lee", "McpServer/far", strings.Repeat("x", maxLinkURI+1))
	l.add("lee", "McpServer/far", "")
	if len(l.of["lee"]) != 0 {
		t.Error("a URI without end or text is kept")
	}
	for i := range maxLinkers {
		now = now.Add(time.Millisecond)
		l.add(fmt.Sprint("p", i), "McpServer/far", "test://a")
	}
	if len(l.of) != maxLinkers || l.has("kim", "McpServer/far", "test://0") || !l.has("p0", "McpServer/far", "test://a") {
		t.Errorf("%d principals", len(l.of))
	}
	now = now.Add(time.Hour)
	l.add("new", "McpServer/far", "test://a")
	if len(l.of) != 1 {
		t.Errorf("%d principals after all have expired", len(l.of))
	}
}
