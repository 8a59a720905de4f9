package serve

import (
	"cmp"
	"time"

	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/state"
)

// Limits limit the resources that clients use. Zero values take the defaults.
type Limits struct {
	// Body is the largest message, in bytes (default 4 MiB), Depth its deepest
	// nesting (default 128), Batch the most messages in one (default 50).
	Body, Depth, Batch int
	// List is the most bytes of one list of an upstream, all pages together,
	// and of the lists of all upstreams in one answer (default 32 MiB). All
	// answers being made have at most twice as much.
	List int
	// Running is how many requests run at a time (default 1024), and
	// RunningEach how many of them are one principal's (default 256).
	Running, RunningEach int
	// Sessions of the older revisions: in all (default 4096), of one principal
	// (default 512), and after what idle time one ends (default 30 minutes).
	Sessions, SessionsEach int
	SessionIdle            time.Duration
	// Streams is how many open event streams there are at a time (default
	// 2048), and StreamsEach how many of them are one principal's (default
	// 128).
	Streams, StreamsEach int
	// Replay is how many bytes of events a session keeps for a client that
	// reconnects (default 1 MiB).
	Replay int
	// Waiting is how many calls may wait for an answer of their client at a
	// time (default 512), WaitingEach how many of them are one principal's
	// (default 256), and Wait how long each of them waits (default 10
	// minutes). A call that waits does not count as running.
	Waiting, WaitingEach int
	Wait                 time.Duration
	// Suspend is how long a call can be resumed that waits for a decision
	// (default 24 hours). Such a call is a record and does not run.
	Suspend time.Duration
	// Tasks is how many tasks are kept (default 1024), TasksEach how many of
	// them are one principal's (default 128), and TaskTTL how long after
	// their last change (default 1 hour).
	Tasks, TasksEach int
	TaskTTL          time.Duration
}

func (l Limits) withDefaults() Limits {
	for _, field := range []struct {
		value *int
		or    int
	}{
		{&l.Body, 4 << 20}, {&l.Depth, 128}, {&l.Batch, 50}, {&l.List, mcpclient.MaxList},
		{&l.Running, 1024}, {&l.RunningEach, 256},
		{&l.Sessions, 4096}, {&l.SessionsEach, 512},
		{&l.Streams, 2048}, {&l.StreamsEach, 128}, {&l.Replay, 1 << 20},
		{&l.Waiting, 512}, {&l.WaitingEach, 256}, {&l.Tasks, 1024}, {&l.TasksEach, 128},
	} {
		*field.value = cmp.Or(max(*field.value, 0), field.or)
	}
	for _, field := range []struct {
		value *time.Duration
		or    time.Duration
	}{
		{&l.SessionIdle, 30 * time.Minute},
		{&l.Wait, 10 * time.Minute}, {&l.Suspend, 24 * time.Hour}, {&l.TaskTTL, time.Hour},
	} {
		*field.value = cmp.Or(max(*field.value, 0), field.or)
	}
	return l
}

// life returns how long the record of a call is kept after it has ended.
func (l *Limits) life(kind string) time.Duration {
	if kind == state.KindTask {
		return l.TaskTTL
	}
	return l.Wait
}
