package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// queue holds the entries that wait for the writer.
type queue struct {
	most, mostBytes int
	// kick wakes the writer; ending is closed when the recorder is.
	kick, ending chan struct{}

	mu      sync.Mutex
	entries []*entry
	bytes   int
	closed  bool
	room    chan struct{} // closed when the entries are taken
	// taken counts the entries that the writer holds.
	taken int64
	// down is since when the store takes nothing.
	down time.Time
}

func (q *queue) init(most, mostBytes int) {
	q.most, q.mostBytes = most, mostBytes
	q.kick, q.ending, q.room = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
}

// batchRows is how many rows one transaction writes at most. As many waiting rows
// are written without waiting for more.
const batchRows = 512

// put adds an entry. If there is no room, it returns a channel that is closed
// when there may be, and how long the store has been failing.
func (q *queue) put(e *entry) (added bool, room <-chan struct{}, down time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false, nil, 0
	}
	if n := len(q.entries); n >= q.most || n > 0 && q.bytes+e.size > q.mostBytes {
		if !q.down.IsZero() {
			down = time.Since(q.down)
		}
		return false, q.room, down
	}
	q.entries = append(q.entries, e)
	q.bytes += e.size
	if n := len(q.entries); n == 1 || n == batchRows {
		q.wake()
	}
	return true, nil, 0
}

func (q *queue) wake() {
	select {
	case q.kick <- struct{}{}:
	default:
	}
}

// take returns all entries and lets others in.
func (q *queue) take() []*entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.entries
	q.entries, q.bytes, q.taken = nil, 0, int64(len(out))
	close(q.room)
	q.room = make(chan struct{})
	return out
}

func (q *queue) wrote(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken -= int64(n)
	q.down = time.Time{}
}

func (q *queue) failing() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down.IsZero() {
		q.down = time.Now()
	}
}

func (q *queue) waiting() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(len(q.entries)) + q.taken
}

func (q *queue) full() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.entries) >= batchRows
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.ending)
	}
}

// enqueue hands an entry to the writer. When the queue is full the call waits,
// unless the store has been failing for so long that waiting is in vain: then the
// row is lost and counted, and a row of kind gap will say so.
func (r *Recorder) enqueue(e *entry) {
	deadline := time.Now().Add(r.opts.Wait)
	for {
		added, room, down := r.queue.put(e)
		left := time.Until(deadline)
		switch {
		case added:
			return
		case room == nil || down > r.opts.Wait || left <= 0:
			r.lose(1)
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-room:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// lose counts rows that will not be written.
func (r *Recorder) lose(n int64) {
	if r.lost.Add(n) == n {
		r.opts.Logger.Error("audit rows are lost: the store does not take them", "see", "gongu status")
	}
}

// write is the writer: it takes what has come within a batch's time and writes it
// in one transaction, until the queue is closed and empty.
func (r *Recorder) write() {
	for ended := false; !ended; {
		select {
		case <-r.queue.kick:
			ended = r.gather()
		case <-r.queue.ending:
			ended = true
		}
		r.flush(r.queue.take())
	}
}

// gather waits until a batch is complete. It reports whether the recorder is
// closed.
func (r *Recorder) gather() (ended bool) {
	timer := time.NewTimer(r.opts.Every)
	defer timer.Stop()
	for !r.queue.full() {
		select {
		case <-r.queue.kick:
		case <-timer.C:
			return false
		case <-r.queue.ending:
			return true
		}
	}
	return false
}

const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 2 * time.Second
	// closingTime is how long Close tries to write what waits.
	closingTime = 5 * time.Second
)

// flush writes entries and tries again until the store takes them. Once the
// recorder is closed it gives up after a while.
func (r *Recorder) flush(entries []*entry) {
	for _, e := range entries {
		e.finish(&r.redact)
	}
	retry := firstRetry
	var giveUp time.Time
	for len(entries) > 0 {
		n := min(len(entries), batchRows)
		err := r.writeBatch(entries[:n])
		if errors.Is(err, state.ErrUnknownOutcome) && r.isThere(entries[0]) {
			err = nil
		}
		if err == nil {
			r.written.Add(int64(n))
			r.queue.wrote(n)
			entries, retry = entries[n:], firstRetry
			continue
		}
		r.queue.failing()
		r.failed("audit rows are not written yet", err)
		select {
		case <-r.queue.ending:
			if giveUp.IsZero() {
				giveUp = time.Now().Add(closingTime)
			}
			if time.Now().After(giveUp) || errors.Is(err, state.ErrClosed) {
				r.lose(int64(len(entries)))
				return
			}
			time.Sleep(retry)
		case <-time.After(retry):
		}
		retry = min(2*retry, lastRetry)
	}
}

// writeBatch writes entries in one transaction, after a row about rows that were
// lost before.
func (r *Recorder) writeBatch(entries []*entry) error {
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	missing := r.lost.Load() - r.reported
	err := r.store.Update(ctx, func(ctx context.Context, tx *state.Tx) error {
		if missing > 0 {
			gap := &state.AuditRow{Kind: state.AuditGap, Action: "lost rows", Subject: strconv.FormatInt(missing, 10), Status: gapStatus}
			if err := tx.Audit(ctx, gap); err != nil {
				return err
			}
		}
		return writeEntries(ctx, tx, entries)
	})
	if err == nil {
		r.reported += missing
	}
	return err
}

const gapStatus = "error"

// isThere reports whether the row of an entry is in the store. Its digest has a
// random salt.
func (r *Recorder) isThere(e *entry) bool {
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	page, err := r.store.AuditPage(ctx, state.AuditFilter{Call: e.row.CallID, Raw: true})
	return err == nil && slices.ContainsFunc(page.Rows, func(row *state.AuditRow) bool { return bytes.Equal(row.PayloadDigest, e.row.Payload.Digest()) })
}

// Close writes the rows that wait, seals them and ends the recorder. Rows of calls
// that end later are lost.
func (r *Recorder) Close() error {
	r.closing.Do(func() {
		r.queue.close()
		r.stop()
		r.work.Wait()
		if r.opts.Seal {
			r.seal(context.Background())
		}
		if lost := r.lost.Load(); lost > 0 {
			r.closed = fmt.Errorf("audit: %d rows could not be written: %s", lost, r.Stats().LastError)
		}
	})
	return r.closed
}
