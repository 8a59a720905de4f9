package mcpclient

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// logLevels returns the levels of MCP, from the fewest messages to the most.
func logLevels() []string {
	return []string{"emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"}
}

// everyLevel means that no other level needs to be set.
const everyLevel = 1 << 30

// levelTimeout is how long a server may take to set a level. A call waits for
// that: its first messages would be lost otherwise.
const levelTimeout = 5 * time.Second

func (h *Handlers) logLevel() string { return cmp.Or(h.LogLevel, "info") }

// requestLogLevel sets the log level of a legacy session for a caller. There is
// one level for the whole session, so it is the most verbose one of all callers.
// In the modern era each request has its level.
func (s *session) requestLogLevel(ctx context.Context, h *Handlers) {
	if h == nil || h.Log == nil || s.level.Load() == everyLevel || s.about().Modern {
		return
	}
	level := int32(slices.Index(logLevels(), h.logLevel()) + 1)
	if level <= s.level.Load() {
		return
	}
	if !s.about().offers("logging") {
		s.level.Store(everyLevel)
		return
	}
	params := object([]member{{"level", quote(h.logLevel())}})
	_, err := s.roundTrip(ctx, &request{method: "logging/setLevel", params: params, silence: levelTimeout})
	if ctx.Err() != nil {
		return // the next one asks again
	}
	if err != nil {
		s.logger.Debug("mcp server: does not take a level for its messages", "error", err)
	}
	for {
		known := s.level.Load()
		if known >= level || s.level.CompareAndSwap(known, level) {
			return
		}
	}
}
