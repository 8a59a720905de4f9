package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sse"
	"github.com/gongu-ai/gongu/state"
)

const (
	// heartbeat is the interval of comments on a stream, which detect clients that
	// have disconnected.
	heartbeat = 25 * time.Second
	// eventPage is how many rows a stream reads at a time. A slow client holds no
	// more in memory; a write that takes too long ends its stream.
	eventPage = 200
)

// eventKinds are the kinds of events that a client can ask for.
func eventKinds() []string {
	return []string{"call", "request", "pin", "source", "reload", "token", "consent", "approval", "audit"}
}

// streamed is the reply of a route that has written its response itself.
type streamed struct{}

// events streams what happens, as server-sent events. The id of an event is its
// sequence in the records, so a client that was cut off goes on where it was,
// on this server, after a restart, or on another host of the same store.
func (x *exchange) events() (any, error) {
	store, err := x.records()
	if err != nil {
		return nil, err
	}
	// A stream that the authenticator does not know as one would outlive its token.
	if !slices.ContainsFunc(x.r.Header["Accept"], func(v string) bool {
		return strings.Contains(v, "text/event-stream") || strings.Contains(v, "*/*")
	}) {
		return nil, fail(CodeInvalid, lang.APINoStream.With(), lang.APINoStreamHint.With())
	}
	s := &eventStream{x: x, store: store, kind: x.query("kind")}
	if s.kind != "" && !slices.Contains(eventKinds(), s.kind) {
		return nil, fail(CodeInvalid, lang.APIBadValue.With("kind", clip(s.kind)), x.oneOf(s.kind, eventKinds()))
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	if x.r.Method == http.MethodHead {
		x.w.Header().Set("Content-Type", "text/event-stream")
		return streamed{}, nil
	}
	if !x.api.streams.TryAcquire(x.who.Name) {
		return nil, fail(CodeBusy, lang.APIStreams.With(), lang.APIStreamsHint.With())
	}
	defer x.api.streams.Release(x.who.Name)
	ctx, cancel := context.WithCancel(x.r.Context())
	if until := x.who.Expires; !until.IsZero() {
		ctx, cancel = context.WithDeadline(x.r.Context(), until)
	}
	defer cancel()
	s.follow(ctx)
	return streamed{}, nil
}

// eventStream is one client that follows events.
type eventStream struct {
	x     *exchange
	store *state.Store
	kind  string // the only kind it wants, or empty
	conn  *sse.Conn
	// after is the sequence of the last row that it has read.
	after int64
	// missed is the first row that is still there, if rows after the one that the
	// client named were removed by age or size.
	missed int64
}

// missedEvent tells a client that it cannot go on where it was.
const missedEvent = "missed"

// Missed is the data of the event: the rows between the two were removed.
type Missed struct {
	After int64 `json:"after"`
	First int64 `json:"first"`
}

// begin finds where the stream begins: after the event that the client names, or
// now.
func (s *eventStream) begin() error {
	name, text := "Last-Event-ID", s.x.r.Header.Get("Last-Event-ID")
	if text == "" {
		name, text = "after", s.x.query("after")
	}
	last, err := s.store.AuditLast(s.x.r.Context())
	if err != nil {
		return err
	}
	if s.after = last; text == "" {
		return nil
	}
	// A sequence that does not exist yet is one of another store.
	if s.after, err = strconv.ParseInt(text, 10, 64); err != nil || s.after < 0 || s.after > last {
		return fail(CodeInvalid, lang.APIBadValue.With(name, clip(text)), lang.APIAfterHint.With(last))
	}
	first, _, err := s.store.AuditEnds(s.x.r.Context())
	if s.after > 0 && s.after+1 < first { // 0 asks for what is there
		s.missed = first
	}
	return err
}

// follow sends events until the client, its credentials or the server end.
func (s *eventStream) follow(ctx context.Context) {
	changed := s.store.Watch(ctx, state.AuditFeed)
	s.conn = sse.Begin(s.x.w)
	defer s.conn.Close()
	if s.conn.Retry() != nil || s.missed > 0 && s.sendMissed() != nil {
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		if err := s.send(ctx); err != nil {
			if ctx.Err() == nil {
				s.x.api.opts.Logger.Info("a stream of events ended", "error", err)
			}
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-s.x.api.ending:
			return
		case _, open := <-changed:
			if !open {
				return
			}
		case <-beat.C:
			s.x.api.see(ctx, s.x.who)
			if s.conn.Comment() != nil {
				return
			}
		}
	}
}

// sendMissed sends the event before all others. It has the id of the last row that
// was removed, so that a client that is cut off here is not told again.
func (s *eventStream) sendMissed() error {
	raw, err := encode(Missed{After: s.after, First: s.missed})
	if err != nil {
		return err
	}
	s.after = s.missed - 1
	return s.conn.Event(strconv.FormatInt(s.after, 10), missedEvent, bytes.TrimSpace(raw))
}

// send sends the rows that the stream has not seen yet.
func (s *eventStream) send(ctx context.Context) error {
	for {
		rows, err := s.read(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if s.wants(row) {
				raw, err := encode(ViewEvent(row))
				if err != nil {
					return err
				}
				raw = s.x.api.opts.Secrets.RedactJSON(bytes.TrimSpace(raw))
				if err := s.conn.Event(strconv.FormatInt(row.Seq, 10), row.Topic(), raw); err != nil {
					return err
				}
			}
			s.after = row.Seq
		}
		if len(rows) < eventPage {
			return nil
		}
	}
}

// read returns the next rows that the principal may see some of.
func (s *eventStream) read(ctx context.Context) ([]*state.AuditRow, error) {
	if access.Requests(s.x.who) == nil {
		return s.store.AuditAfter(ctx, s.after, eventPage)
	}
	return s.store.AuditAfterOf(ctx, s.x.who.Name, s.after, eventPage)
}

// wants reports whether the client asked for a row and may see it.
func (s *eventStream) wants(row *state.AuditRow) bool {
	return (s.kind == "" || s.kind == row.Topic()) && s.x.maySee(row)
}
