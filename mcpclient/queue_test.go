package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// K12: notifications that wait for a caller are bounded in number and in bytes.
func TestK12Inbox(t *testing.T) {
	box, taken := newInbox(), 0
	whole := bytes.Repeat([]byte("x"), eventBytes)
	box.add(append(whole, 'x'), func(json.RawMessage) { t.Error("a giant event was taken") })
	for range 10 {
		box.add(whole[:eventBytes/4], func(params json.RawMessage) {
			if taken++; &params[0] == &whole[0] {
				t.Error("the event keeps its message in memory")
			}
		})
	}
	box.run()
	if taken != 4 {
		t.Errorf("%d events of a quarter of the bound were taken", taken)
	}
	for range eventBuffer + 10 {
		box.add(json.RawMessage("1"), func(json.RawMessage) { taken++ })
	}
	box.run()
	if taken != 4+eventBuffer {
		t.Errorf("%d events", taken)
	}
}

// K12: notifications that belong to no call are bounded likewise, and a flood of
// them does not flood the log.
func TestK12Notices(t *testing.T) {
	var log bytes.Buffer
	l := &link{notices: make(chan notice, noticeBuffer), logger: slog.New(slog.NewTextHandler(&log, nil))}
	giant := json.RawMessage(strings.Repeat(" ", noticeBytes/4-10) + "{}")
	for range 100_000 {
		l.notified("notifications/x", giant)
	}
	if n := len(l.notices); n == 0 || n > 4 {
		t.Errorf("%d giant notifications wait", n)
	}
	if lines := strings.Count(log.String(), "\n"); lines == 0 || lines > 20 {
		t.Errorf("%d lines were logged", lines)
	}
}

// deaf is a connection to a server that sends and never takes anything.
type deaf struct {
	connection
	left    int
	writing atomic.Int32
	most    atomic.Int32
}

func (d *deaf) Read(ctx context.Context) (jsonrpc.Message, error) {
	if d.left--; d.left < 0 {
		<-ctx.Done()
		return nil, io.EOF
	}
	raw := []byte(`{"jsonrpc":"2.0","id":` + string(rune('1'+d.left%9)) + `,"method":"ping"}`)
	return decodeMessage(raw, 0)
}

func (d *deaf) Write(ctx context.Context, _ jsonrpc.Message) error {
	now := d.writing.Add(1)
	for seen := d.most.Load(); now > seen && !d.most.CompareAndSwap(seen, now); seen = d.most.Load() {
	}
	<-ctx.Done()
	return ctx.Err()
}

func (*deaf) Close() error   { return nil }
func (*deaf) traits() traits { return traits{} }

// K12: each ping was answered by a goroutine of its own, without end, while the
// server did not read the answers.
func TestK12Pings(t *testing.T) {
	conn := &deaf{left: 50_000}
	s := newSession(conn, slog.New(slog.DiscardHandler))
	before := runtime.NumGoroutine()
	s.start()
	for conn.most.Load() < maxReplies {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine() - before; n > maxReplies+10 {
		t.Errorf("%d goroutines", n)
	}
	s.close()
	if n := conn.most.Load(); n != maxReplies {
		t.Errorf("%d answers under way, want %d", n, maxReplies)
	}
}

// K12: the open requests of a server are bounded in bytes, too.
func TestK12Asked(t *testing.T) {
	s := newSession(&deaf{}, slog.New(slog.DiscardHandler))
	giant := json.RawMessage(strings.Repeat("x", maxAskedBytes/4))
	opened := []*jsonrpc.Request{}
	for i := range 10 {
		req := &jsonrpc.Request{ID: numberID(int64(i + 1)), Params: giant}
		if s.openAsked(req, func() {}) {
			opened = append(opened, req)
		}
	}
	if len(opened) != 4 {
		t.Errorf("%d giant requests are open", len(opened))
	}
	for _, req := range opened {
		s.closeAsked(req)
	}
	if s.askedBytes != 0 {
		t.Errorf("%d bytes are left", s.askedBytes)
	}
}

// K12: a batch is read one message after the other, up to a number.
func TestK12Batch(t *testing.T) {
	one := `{"jsonrpc":"2.0","method":"x"}`
	raw := "[" + strings.Repeat(one+",", maxBatch) + one + "]"
	if _, err := decodeMessages([]byte(raw), 0); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("got %v", err)
	}
	if got, err := decodeMessages([]byte("["+strings.Repeat(one+",", maxBatch-1)+one+"]"), 0); err != nil || len(got) != maxBatch {
		t.Errorf("%d, %v", len(got), err)
	}
}

// K12: the resources of a server that are followed are bounded; one that is
// followed already can be subscribed to again.
func TestK12Watched(t *testing.T) {
	var w watched
	c := &Client{}
	for i := range maxWatched {
		if w.full(strconv.Itoa(i)) {
			t.Fatalf("full after %d", i)
		}
		w.add(c, strconv.Itoa(i))
	}
	if !w.full("more") || w.full("0") {
		t.Errorf("more %t, the first again %t", w.full("more"), w.full("0"))
	}
}
