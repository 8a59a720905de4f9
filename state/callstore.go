package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// feedCalls is the feed of what hosts tell each other about calls: answers and
// cancellations for a call that another host runs.
const feedCalls = "calls"

// CallLimits limit the records of one kind: those of calls that wait, and those
// of tasks until they are removed.
type CallLimits struct{ All, Each int }

// ErrTooMany means that there are as many records as the limits allow.
var ErrTooMany = errors.New("too many calls wait")

// AddCall adds the record of a suspended call, or of a started one that this
// host runs, and keeps it for life; zero keeps it while the call runs. It sets
// Created, Updated, Expires and Host; and Ready, with the arguments that a person
// changed, if its approval was decided before.
func (s *Store) AddCall(ctx context.Context, c *Call, life time.Duration, most CallLimits) error {
	return s.asHost(ctx, func(ctx context.Context, tx *Tx, w Writer) error {
		// A decision locks its approval before the calls, too.
		if err := tx.settle(ctx, c); err != nil {
			return err
		}
		if err := tx.sweepCalls(ctx, w); err != nil {
			return err
		}
		var all, each int
		err := tx.Row(ctx, "CallCount", tx.Space(), c.Kind, c.Principal, w.Now.UnixMicro()).Scan(&all, &each)
		if err != nil {
			return err
		}
		if all >= most.All || each >= most.Each {
			return fmt.Errorf("%w: %d in all, %d of this caller", ErrTooMany, all, each)
		}
		c.Created, c.Updated, c.Expires, c.Host, c.version = w.Now, w.Now, time.Time{}, "", 1
		if life > 0 {
			c.Expires = w.Now.Add(life)
		}
		if c.State == CallStarted {
			c.Host = w.Token
		}
		added, err := tx.One(ctx, "CallInsert", append([]any{tx.Space(), c.ID, c.Kind, c.Principal, c.Agent, c.Instance, c.Tool, c.CallID,
			bytesOrNull(c.Digest), tx.sealCall(c, "args", c.Args), tx.sealCall(c, "capabilities", c.Capabilities), c.Created.UnixMicro()}, tx.changing(c)...)...)
		if err == nil && !added {
			err = fmt.Errorf("%w: the call %s is there already", ErrConflict, c.ID)
		}
		return err
	})
}

// changing returns the columns that transitions change.
func (t *Tx) changing(c *Call) []any {
	return []any{
		c.version, c.State, c.Round, c.Approval, c.Ready, t.sealCall(c, "questions", c.Questions), t.sealCall(c, "answers", c.Answers), c.Stopped,
		t.sealCall(c, "result", c.Result), c.Host, c.Updated.UnixMicro(), micros(c.Expires), c.Attempt,
	}
}

// GetCall returns the record of a call that has not expired. A call whose host
// has ended is CallUnknown.
func (s *Store) GetCall(ctx context.Context, id string) (*Call, error) {
	var c *Call
	lost := false
	err := s.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		lost = false
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		if c, err = tx.call(ctx, id, now); err != nil || c.State != CallStarted {
			return err
		}
		alive, err := tx.HostAlive(ctx, c.Host)
		lost = !alive
		return err
	})
	if err != nil {
		return nil, err
	}
	if lost {
		c, _, err = s.ChangeCall(ctx, id, func(*Call, Writer) bool { return false })
	}
	return c, err
}

// StartCall makes a suspended call one that this host runs, if it waits in this
// round. Attempt is a name for this attempt; see [Call.Unstart]. A host that was
// stopped so long that others may take it for dead starts nothing: ErrLeaseLost.
func (s *Store) StartCall(ctx context.Context, id string, round int, attempt string) (*Call, bool, error) {
	c, started, err := s.ChangeCall(ctx, id, func(c *Call, w Writer) bool { return c.Start(w, round, attempt) })
	if err != nil || !started {
		return c, false, err
	}
	lease, err := s.Lease(ctx)
	if err == nil && (lease.Token() != c.Host || !lease.Valid()) {
		err = fmt.Errorf("%w: the call %s was not run", ErrLeaseLost, id)
	}
	return c, err == nil, err
}

// ChangeCall changes the record of a call by a transition and returns the record
// and whether it changed. The transition must have no other effects: it runs
// again when another writer was faster. A started call whose host has ended
// becomes CallUnknown first.
func (s *Store) ChangeCall(ctx context.Context, id string, transition func(*Call, Writer) bool) (*Call, bool, error) {
	for range changeTries {
		c, changed, err := s.changeCall(ctx, id, transition)
		if !errors.Is(err, errStale) {
			return c, changed, err
		}
	}
	return nil, false, fmt.Errorf("%w: the call %s", ErrConflict, id)
}

// changeTries is how often a change of a call is tried again. Each failure means
// that another writer changed the record.
const changeTries = 50

// errStale means that the record was changed after it was read.
var errStale = errors.New("the record is not the one that was read")

func (s *Store) changeCall(ctx context.Context, id string, transition func(*Call, Writer) bool) (c *Call, changed bool, err error) {
	err = s.asHost(ctx, func(ctx context.Context, tx *Tx, w Writer) (err error) {
		if c, err = tx.call(ctx, id, w.Now.UnixMicro()); err != nil {
			return err
		}
		before := *c
		if c.State == CallStarted {
			alive, err := tx.HostAlive(ctx, c.Host)
			if err != nil {
				return err
			}
			if !alive {
				c.lose(w)
			}
		}
		if changed = transition(c, w); !changed && c.State == before.State {
			return nil
		}
		if c.State == CallSuspended && (before.State != CallSuspended || before.Approval != c.Approval) {
			if err := tx.settle(ctx, c); err != nil {
				return err
			}
		}
		c.Updated = w.Now
		c.version++
		return tx.writeCall(ctx, c, &before)
	})
	if err != nil {
		return nil, false, err
	}
	return c, changed, nil
}

// writeCall writes a changed record, if it is still as it was before.
func (t *Tx) writeCall(ctx context.Context, c, before *Call) error {
	hit, err := t.One(ctx, "CallUpdate", append([]any{t.Space(), c.ID, before.version}, t.changing(c)...)...)
	if err == nil && !hit {
		err = errStale
	}
	if err == nil && (c.CallID != before.CallID || c.Agent != before.Agent || c.Instance != before.Instance || !bytes.Equal(c.Digest, before.Digest) || !bytes.Equal(c.Args, before.Args)) {
		_, err = t.One(ctx, "CallWaits", t.Space(), c.ID, c.CallID, bytesOrNull(c.Digest), t.sealCall(c, "args", c.Args), c.Agent, c.Instance)
	}
	if err == nil && c.isMail(before) {
		_, err = t.Next(ctx, feedCalls)
	}
	return err
}

// isMail reports whether a change is something to tell the host that runs the
// call.
func (c *Call) isMail(before *Call) bool {
	return c.State == CallStarted && (c.Stopped != before.Stopped || len(c.Answers) > len(before.Answers))
}

// WatchCalls returns a channel that hints at something new in [Store.CallMail].
func (s *Store) WatchCalls(ctx context.Context) <-chan struct{} { return s.Watch(ctx, feedCalls) }

// CallMail returns the calls that this host runs and another host has an answer
// for, or asks to be cancelled.
func (s *Store) CallMail(ctx context.Context) ([]*Call, error) {
	lease, err := s.Lease(ctx)
	if err != nil {
		return nil, err
	}
	return s.callsOf(ctx, "CallMail", s.Space(), lease.Token())
}

// ReadyCalls returns up to n suspended calls of a kind whose approval was decided.
func (s *Store) ReadyCalls(ctx context.Context, kind string, n int) ([]*Call, error) {
	return s.callsOf(ctx, "CallsReadyOf", s.Space(), kind, n)
}

// callsOf returns the calls that a statement selects.
func (s *Store) callsOf(ctx context.Context, name string, args ...any) (calls []*Call, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) error {
		calls = nil
		rows, err := tx.Query(ctx, name, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			c, err := tx.scanCall(rows.Scan)
			if err != nil {
				return err
			}
			calls = append(calls, c)
		}
		return rows.Err()
	})
	return calls, err
}

// CallsReady records that an approval was decided: the suspended calls that wait
// for it can be resumed. It belongs to the transaction of the decision.
func (t *Tx) CallsReady(ctx context.Context, approval string) error {
	now, err := t.Now(ctx)
	if err == nil {
		_, err = t.Exec(ctx, "CallsReady", t.Space(), approval, now)
	}
	return err
}

// sweepCalls removes some expired records, and records the outcome of calls whose
// host has ended as unknown.
func (t *Tx) sweepCalls(ctx context.Context, w Writer) error {
	hosts, err := t.hostsOfCalls(ctx)
	if err != nil {
		return err
	}
	for _, host := range hosts {
		alive, err := t.HostAlive(ctx, host)
		if err != nil {
			return err
		}
		if alive {
			continue
		}
		if _, err := t.Exec(ctx, "CallsLose", t.Space(), host, w.Now.UnixMicro(), w.Now.Add(unknownLife).UnixMicro()); err != nil {
			return err
		}
	}
	_, err = t.Exec(ctx, "CallsExpire", t.Space(), w.Now.UnixMicro(), sweepStep)
	return err
}

// sweepStep is how many expired records each new one removes.
const sweepStep = 20

func (t *Tx) hostsOfCalls(ctx context.Context) ([]string, error) {
	rows, err := t.Query(ctx, "CallHosts", t.Space())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var hosts []string
	for rows.Next() {
		var host string
		if err := rows.Scan(&host); err != nil {
			return nil, err
		}
		hosts = append(hosts, host)
	}
	return hosts, rows.Err()
}

// asHost runs a transaction of this host, which needs its lease.
func (s *Store) asHost(ctx context.Context, f func(ctx context.Context, tx *Tx, w Writer) error) error {
	lease, err := s.Lease(ctx)
	if err != nil {
		return err
	}
	return s.UpdateOwned(ctx, lease, func(ctx context.Context, tx *Tx) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		return f(ctx, tx, Writer{Token: lease.Token(), Now: time.UnixMicro(now)})
	})
}

// call reads the record of a call that has not expired.
func (t *Tx) call(ctx context.Context, id string, now int64) (*Call, error) {
	c, err := t.scanCall(t.Row(ctx, "CallGet", t.Space(), id).Scan)
	if err == nil && !c.Expires.IsZero() && c.Expires.UnixMicro() <= now {
		return nil, fmt.Errorf("%w: the call %s has expired", ErrNotFound, id)
	}
	return c, err
}

func (t *Tx) scanCall(scan func(...any) error) (*Call, error) {
	var c Call
	var ready, stopped int
	var created, updated, expires int64
	err := scan(&c.ID, &c.Kind, &c.Principal, &c.Agent, &c.Instance, &c.Tool, &c.CallID, &c.Digest, &c.Args, &c.Capabilities, &created,
		&c.version, &c.State, &c.Round, &c.Approval, &ready, &c.Questions, &c.Answers, &stopped, &c.Result, &c.Host, &updated, &expires, &c.Attempt)
	if err != nil {
		return nil, err
	}
	c.Ready, c.Stopped = ready != 0, stopped != 0
	c.Created, c.Updated = time.UnixMicro(created), time.UnixMicro(updated)
	if expires != 0 {
		c.Expires = time.UnixMicro(expires)
	}
	return &c, t.openCall(&c)
}

// bytesOrNull makes NULL of no bytes: the engines do not agree about what comes
// back for an empty value.
func bytesOrNull(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// micros returns a time as in a column, zero being no time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
