package serve

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// pollInterval is how often a client should look after a task.
const pollInterval = time.Second

// task is a run that its client looks after by polling.
type task struct {
	run   *run
	table *taskTable
	since time.Time

	mu        sync.Mutex
	updated   time.Time
	cancelled bool
}

// taskTable holds the tasks of all principals.
type taskTable struct {
	server *Server
	mu     sync.Mutex
	tasks  map[string]*task
	each   map[string]int
	closed bool
}

func newTaskTable(s *Server) *taskTable {
	return &taskTable{server: s, tasks: map[string]*task{}, each: map[string]int{}}
}

// add makes a task of a run. Nil means that there is no room, and that the
// client has to wait for the result.
func (t *taskTable) add(r *run) *task {
	now := time.Now()
	made := &task{run: r, table: t, since: now, updated: now}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expireLocked(now)
	limits := &t.server.limits
	if t.closed || len(t.tasks) >= limits.Tasks || t.each[r.who] >= limits.TasksEach {
		return nil
	}
	r.mu.Lock()
	r.task, r.out = made, nil
	r.mu.Unlock()
	t.tasks[r.id] = made
	t.each[r.who]++
	t.server.count.tasks.Store(int64(len(t.tasks)))
	return made
}

// expireLocked forgets tasks whose time is over, and ends those that wait for
// an answer that never comes.
func (t *taskTable) expireLocked(now time.Time) {
	for id, old := range t.tasks {
		if old.isOver(now) {
			old.run.cancel()
			delete(t.tasks, id)
			if t.each[old.run.who]--; t.each[old.run.who] == 0 {
				delete(t.each, old.run.who)
			}
		}
	}
	t.server.count.tasks.Store(int64(len(t.tasks)))
}

// isOver says that a task has been kept for long enough. One that still works
// stays: its tool has limits of its own.
func (t *task) isOver(now time.Time) bool {
	t.mu.Lock()
	old := now.Sub(t.updated) > t.table.server.limits.TaskTTL
	t.mu.Unlock()
	if !old {
		return false
	}
	select {
	case <-t.run.done:
		return true
	default:
	}
	asks, _ := t.run.pending()
	return len(asks) > 0
}

func (t *taskTable) get(id, who string) *task {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expireLocked(time.Now())
	found := t.tasks[id]
	if found == nil || found.run.who != who {
		return nil
	}
	return found
}

func (t *taskTable) closeAll() {
	t.mu.Lock()
	t.closed = true
	tasks := t.tasks
	t.tasks = map[string]*task{}
	clear(t.each)
	t.mu.Unlock()
	for _, old := range tasks {
		old.run.cancel()
	}
}

func (t *task) touch() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.updated = time.Now()
}

// created is the answer to the call that became the task.
func (t *task) created() json.RawMessage {
	return append(append(t.table.server.begin("task"), t.fields("working")...), '}')
}

func (t *task) fields(status string) []byte {
	t.mu.Lock()
	updated := t.updated
	t.mu.Unlock()
	const form = "2006-01-02T15:04:05.000Z"
	out := quote([]byte(`"taskId":`), t.run.id)
	out = quote(append(out, `,"status":`...), status)
	t.run.mu.Lock()
	message := t.run.message
	t.run.mu.Unlock()
	if message != "" {
		out = quote(append(out, `,"statusMessage":`...), message)
	}
	out = quote(append(out, `,"createdAt":`...), t.since.UTC().Format(form))
	out = quote(append(out, `,"lastUpdatedAt":`...), updated.UTC().Format(form))
	out = strconv.AppendInt(append(out, `,"ttlMs":`...), t.table.server.limits.TaskTTL.Milliseconds(), 10)
	return strconv.AppendInt(append(out, `,"pollIntervalMs":`...), pollInterval.Milliseconds(), 10)
}

// detailed is the task with what its state brings along.
func (t *task) detailed() json.RawMessage {
	out := t.table.server.begin("complete")
	select {
	case <-t.run.done:
		return t.over(out)
	default:
	}
	t.mu.Lock()
	cancelled := t.cancelled
	t.mu.Unlock()
	asks, _ := t.run.pending()
	switch {
	case cancelled:
		return append(append(out, t.fields("cancelled")...), '}')
	case len(asks) > 0:
		out = append(out, t.fields("input_required")...)
		return append(append(append(out, `,"inputRequests":`...), inputRequests(asks)...), '}')
	}
	return append(append(out, t.fields("working")...), '}')
}

func (t *task) over(out []byte) json.RawMessage {
	t.mu.Lock()
	cancelled := t.cancelled
	t.mu.Unlock()
	ended := &t.run.ended
	switch {
	case cancelled:
		return append(append(out, t.fields("cancelled")...), '}')
	case ended.refusal != nil:
		out = append(append(out, t.fields("failed")...), `,"error":`...)
		return append(ended.refusal.json(out), '}')
	case ended.crashed:
		out = append(append(out, t.fields("failed")...), `,"error":`...)
		broken := failf(codeInternal, "%s", crashText(ended.result))
		return append(broken.json(out), '}')
	}
	out = append(append(out, t.fields("completed")...), `,"result":`...)
	return append(append(out, ended.result...), '}')
}

// crashText is what the result of a broken tool says.
func crashText(result json.RawMessage) string {
	blocks, err := elements(member(result, "content"))
	if err != nil || len(blocks) == 0 {
		return "internal error"
	}
	return text(member(blocks[0], "text"))
}

// tasksMethod answers the methods of the tasks extension.
func (s *Server) tasksMethod(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	if !rq.able().task {
		return nil, s.needs(rq.msg.method, tasksExtension, map[string]any{"extensions": map[string]any{tasksExtension: struct{}{}}})
	}
	id := text(member(rq.msg.params, "taskId"))
	t := s.tasks.get(id, rq.who.Name)
	if t == nil {
		return s.upstreamTask(ctx, rq, id, id)
	}
	if inner := t.inner(); inner != "" {
		t.touch()
		return s.upstreamTask(ctx, rq, inner, id)
	}
	switch rq.msg.method {
	case "tasks/update":
		if err := t.run.answer(member(rq.msg.params, "inputResponses")); err != nil {
			return nil, err
		}
		t.touch()
		return s.signed("complete", emptyResult), nil
	case "tasks/cancel":
		select {
		case <-t.run.done: // it is over, and stays as it is
		default:
			t.mu.Lock()
			t.cancelled, t.updated = true, time.Now()
			t.mu.Unlock()
			t.run.cancel()
		}
		return s.signed("complete", emptyResult), nil
	}
	return t.detailed(), nil
}
