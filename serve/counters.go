package serve

import "sync/atomic"

// Counters are statistics of a server. Unsigned ones only grow; signed ones are
// current values.
type Counters struct {
	// Requests counts requests of all methods.
	Requests uint64
	// Passed counts calls whose result went from an upstream to the client
	// byte for byte; Encoded counts those whose result was encoded here.
	Passed, Encoded uint64
	// CallErrors counts calls that ended in an error result.
	CallErrors uint64
	// ListHits counts lists of tools answered from encoded bytes, ListBuilds
	// those that had to be encoded.
	ListHits, ListBuilds uint64
	// Refused counts requests that a limit rejected.
	Refused uint64

	// Running requests, legacy Sessions, open Streams, calls Waiting here for an
	// answer of their client, and Tasks that run here.
	Running, Sessions, Streams, Waiting, Tasks int64
}

// counters are the counts of a running server.
type counters struct {
	requests, passed, encoded, callErrors, listHits, listBuilds, refused atomic.Uint64
	sessions                                                             atomic.Int64
}

// Counters returns the current counts.
func (s *Server) Counters() Counters {
	c := &s.count
	return Counters{
		Requests: c.requests.Load(), Passed: c.passed.Load(), Encoded: c.encoded.Load(),
		CallErrors: c.callErrors.Load(), ListHits: c.listHits.Load(), ListBuilds: c.listBuilds.Load(),
		Refused: c.refused.Load(), Running: int64(s.running.Running()), Sessions: c.sessions.Load(),
		Streams: int64(s.streams.Running()), Waiting: int64(s.waits.Running()), Tasks: int64(s.pending.taskCount()),
	}
}
