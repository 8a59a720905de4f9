package mcpclient

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// logLevels are the levels of MCP, from the least to be said to the most.
func logLevels() []string {
	return []string{"emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"}
}

// everyLevel means that there is nothing more to ask a server for.
const everyLevel = 1 << 30

// levelTimeout is how long a server may take to note a level. A call waits
// for that: what it says at its beginning would be lost otherwise.
const levelTimeout = 5 * time.Second

func (h *Handlers) logLevel() string { return cmp.Or(h.LogLevel, "info") }

// requestLogLevel asks a legacy server to say what this caller wants to hear. There is
// one level for the whole session, so that it is that of the caller who wants
// to hear most; the others leave out what they did not ask for. In the modern
// era each request says its own.
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
