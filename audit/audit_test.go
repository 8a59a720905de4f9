package audit_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/state"
)

func openStore(t testing.TB) (*state.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := state.Open(t.Context(), "sqlite:"+path, &state.Options{Busy: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, path
}

// newExecutor has the tools in its catalog and a recorder.
func newExecutor(t testing.TB, r *audit.Recorder, tools ...gongu.Tool) *gongu.Executor {
	t.Helper()
	registry := gongu.NewRegistry(nil)
	for _, tool := range tools {
		if err := registry.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	return gongu.NewExecutor(registry, &gongu.ExecutorOptions{
		Catalog: gongu.Everything(registry), Observers: []gongu.Observer{r}, Guards: []gongu.Guard{r.Guard(nil)},
	})
}

func echo() gongu.Tool {
	return gongu.Tool{Name: "echo", Invoke: func(_ context.Context, call gongu.Call) gongu.Result { return gongu.OK(call.Args) }}
}

func rowsOf(t testing.TB, s *state.Store) []*state.AuditRow {
	t.Helper()
	var all []*state.AuditRow
	for after := int64(0); ; {
		rows, err := s.AuditAfter(context.WithoutCancel(t.Context()), after, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 {
			return all
		}
		all, after = append(all, rows...), rows[len(rows)-1].Seq
	}
}

func closeRecorder(t testing.TB, r *audit.Recorder) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func resultDigest(salt []byte, parts ...string) []byte {
	h := sha256.New()
	h.Write(salt)
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

// R8: the row of a call says who called what, with which outcome, and has digests
// of the exact bytes. A refused call has a row, a dry run has none.
func TestR8_RowOfACall(t *testing.T) {
	s, _ := openStore(t)
	r := audit.New(s, nil)
	outer := gongu.Tool{Name: "outer", Invoke: func(ctx context.Context, _ gongu.Call) gongu.Result {
		return gongu.ContextOf(ctx).Executor.Call(ctx, gongu.Call{ID: "inner", Name: "echo", Args: json.RawMessage(`{"a":1}`)})
	}}
	x := newExecutor(t, r, echo(), outer)
	ctx, err := gongu.WithContext(gongu.WithPrincipal(t.Context(), &gongu.Principal{Name: "kim", Kind: "token"}),
		gongu.Context{AgentName: "helper", InstanceKey: "one", TurnID: "t", TraceID: strings.Repeat("ab", 16)})
	if err != nil {
		t.Fatal(err)
	}
	x.Call(ctx, gongu.Call{ID: "c1", Name: "outer", Args: json.RawMessage(`{}`)})
	x.Call(ctx, gongu.Call{ID: "c2", Name: "missing", Args: json.RawMessage(`{"x":2}`)})
	x.DryRun(ctx, gongu.Call{ID: "c3", Name: "echo", Args: json.RawMessage(`{}`)})
	closeRecorder(t, r)
	rows := rowsOf(t, s)
	if len(rows) != 3 {
		t.Fatalf("%d rows", len(rows))
	}
	inner, first, refused := rows[0], rows[1], rows[2]
	for _, row := range rows {
		if row.Kind != state.AuditCall || row.Phase != state.PhaseSingle || row.Principal != "kim" || row.PrincipalKind != "token" || row.Agent != "helper" || row.Instance != "one" ||
			row.Trace != strings.Repeat("ab", 16) || row.Started > row.Time || row.Duration <= 0 {
			t.Errorf("%+v", row)
		}
	}
	if first.Tool != "outer" || first.CallID != "c1" || first.Source != "Go/" || first.Status != "ok" || inner.ParentID != "c1" || inner.CallID != "inner" {
		t.Errorf("%+v\n%+v", first, inner)
	}
	if refused.Status != "error" || refused.Code != gongu.CodeNotInCatalog || refused.Tool != "missing" || string(refused.Payload.Args) != `{"x":2}` || !strings.Contains(string(refused.Payload.Result), gongu.CodeNotInCatalog) {
		t.Errorf("%+v %s %s", refused, refused.Payload.Args, refused.Payload.Result)
	}
	p := inner.Payload
	if string(p.Args) != `{"a":1}` || string(p.Result) != `{"a":1}` || inner.ArgsSize != 7 || len(p.Salt) != 16 ||
		!bytes.Equal(inner.ArgsDigest, state.AuditBytes(p.Salt, []byte(`{"a":1}`))) || !bytes.Equal(inner.ResultDigest, resultDigest(p.Salt, `{"a":1}`, "", "")) {
		t.Errorf("%+v %s", inner, p.Args)
	}
	if stats := r.Stats(); stats.Written != 3 || stats.Lost != 0 || stats.Waiting != 0 {
		t.Errorf("%+v", stats)
	}
}

// R8: rows are written within a moment, without Close, and the recorder seals.
func TestR8_RowsAppear(t *testing.T) {
	s, _ := openStore(t)
	r := audit.New(s, &audit.Options{Seal: true})
	defer r.Close()
	x := newExecutor(t, r, echo())
	x.Call(t.Context(), gongu.Call{Name: "echo", Args: json.RawMessage(`{}`)})
	eventually(t, func() bool { return len(rowsOf(t, s)) == 1 })
	eventually(t, func() bool {
		head, err := s.AuditHead(t.Context())
		return err == nil && head != nil && head.Last == 1
	})
}

// eventually fails only after far more time than the condition needs.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for begun := time.Now(); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("it did not happen")
		}
	}
}

// R8: with audit required, the begin row is committed before the handler and the
// end row before the answer.
func TestR8_Required(t *testing.T) {
	s, _ := openStore(t)
	r := audit.New(s, &audit.Options{Required: true})
	defer r.Close()
	var seen []*state.AuditRow
	look := gongu.Tool{Name: "look", Invoke: func(ctx context.Context, _ gongu.Call) gongu.Result {
		page, err := s.AuditPage(ctx, state.AuditFilter{})
		if err != nil {
			return gongu.Fail(err)
		}
		seen = page.Rows
		return gongu.OK("done")
	}}
	x := newExecutor(t, r, look)
	if result := x.Call(t.Context(), gongu.Call{ID: "c", Name: "look", Args: json.RawMessage(`{"a":1}`)}); result.Failed() {
		t.Fatal(result.Error)
	}
	if len(seen) != 1 || seen[0].Phase != state.PhaseBegin || seen[0].Status != state.AuditRunning || seen[0].Tool != "look" || string(seen[0].Payload.Args) != `{"a":1}` {
		t.Fatalf("the handler saw %+v", seen)
	}
	rows := rowsOf(t, s) // no Close before: the answer was given after the row
	if len(rows) != 2 || rows[1].Phase != state.PhaseEnd || rows[1].Begins != rows[0].Seq || rows[1].Status != "ok" || string(rows[1].Payload.Result) != `"done"` {
		t.Errorf("%+v", rows)
	}
	x.DryRun(t.Context(), gongu.Call{Name: "look", Args: json.RawMessage(`{}`)})
	if n := len(rowsOf(t, s)); n != 2 {
		t.Errorf("a dry run left a row: %d", n)
	}
}

// R8: what cannot be recorded does not run, if it has to be on record; the loss of
// other rows is counted.
func TestR8_NoStore(t *testing.T) {
	s, _ := openStore(t)
	required, plain := audit.New(s, &audit.Options{Required: true}), audit.New(s, nil)
	s.Close()
	ran := 0
	tool := gongu.Tool{Name: "run", Invoke: func(context.Context, gongu.Call) gongu.Result { ran++; return gongu.OK(nil) }}
	result := newExecutor(t, required, tool).Call(t.Context(), gongu.Call{Name: "run", Args: json.RawMessage(`{}`)})
	if ran != 0 || result.Error == nil || result.Error.Code != gongu.CodeAudit || result.Error.Suggestion == "" {
		t.Errorf("ran %d times: %+v", ran, result.Error)
	}
	if stats := required.Stats(); stats.Refused != 1 || stats.LastError == "" {
		t.Errorf("%+v", stats)
	}
	if result := newExecutor(t, plain, tool).Call(t.Context(), gongu.Call{Name: "run", Args: json.RawMessage(`{}`)}); result.Failed() || ran != 1 {
		t.Errorf("%+v", result.Error)
	}
	for _, r := range []*audit.Recorder{required, plain} {
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "1 rows could not be written") {
			t.Error(err)
		}
	}
	if stats := plain.Stats(); stats.Lost != 1 || stats.Failures == 0 {
		t.Errorf("%+v", stats)
	}
}

// R8: while the store takes nothing, calls wait and no row is lost.
func TestR8_FullQueueWaits(t *testing.T) {
	s, path := openStore(t)
	r := audit.New(s, &audit.Options{Queue: 8, Wait: time.Minute})
	x := newExecutor(t, r, echo())
	free := lockStore(t, path)
	const callers, each = 16, 4
	var group sync.WaitGroup
	var answered atomic.Int64
	for range callers {
		group.Go(func() {
			for range each {
				x.Call(t.Context(), gongu.Call{Name: "echo", Args: json.RawMessage(`{}`)})
				answered.Add(1)
			}
		})
	}
	eventually(t, func() bool { return r.Stats().Waiting >= 8 })
	free()
	group.Wait()
	closeRecorder(t, r)
	if n := len(rowsOf(t, s)); n != callers*each || answered.Load() != callers*each || r.Stats().Lost != 0 {
		t.Errorf("%d rows of %d calls: %+v", n, answered.Load(), r.Stats())
	}
}

// lockStore takes the write lock of a store as another process would.
func lockStore(t *testing.T, path string) (free func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := db.Exec("ROLLBACK"); err != nil {
			t.Error(err)
		}
		db.Close()
	}
}

// R8: rows that were lost are counted, and a row says how many.
func TestR8_LostRowsAreRecorded(t *testing.T) {
	s, path := openStore(t)
	r := audit.New(s, &audit.Options{Queue: 1, Wait: time.Millisecond})
	x := newExecutor(t, r, echo())
	free := lockStore(t, path)
	call := func() { x.Call(t.Context(), gongu.Call{Name: "echo", Args: json.RawMessage(`{}`)}) }
	calls := 0
	eventually(t, func() bool { call(); calls++; return r.Stats().Lost >= 3 })
	free()
	eventually(t, func() bool { return r.Stats().Waiting == 0 })
	lost := r.Stats().Lost
	call()
	if err := r.Close(); err == nil {
		t.Error("the loss is not reported")
	}
	gaps, written := 0, 0
	for _, row := range rowsOf(t, s) {
		switch row.Kind {
		case state.AuditGap:
			var n int
			fmt.Sscan(row.Subject, &n)
			gaps += n
		case state.AuditCall:
			written++
		}
	}
	if int64(gaps) != lost || written+gaps != calls+1 {
		t.Errorf("%d rows written, %d on record as lost of %d; %d calls", written, gaps, lost, calls+1)
	}
}

// R8: 256 callers at a time; every answered call has its row.
func TestR8_EveryCallHasItsRow(t *testing.T) {
	s, _ := openStore(t)
	r := audit.New(s, &audit.Options{Seal: true, Secrets: &secret.Vault{}})
	x := newExecutor(t, r, echo())
	const callers, each = 256, 8
	var group sync.WaitGroup
	for c := range callers {
		group.Go(func() {
			for i := range each {
				x.Call(t.Context(), gongu.Call{ID: fmt.Sprint(c, "-", i), Name: "echo", Args: json.RawMessage(`{"text":"hello"}`)})
			}
		})
	}
	group.Wait()
	closeRecorder(t, r)
	ids := map[string]bool{}
	for _, row := range rowsOf(t, s) {
		ids[row.CallID] = true
	}
	if len(ids) != callers*each {
		t.Errorf("%d of %d calls have a row", len(ids), callers*each)
	}
	report, err := s.VerifyAudit(t.Context(), "")
	if err != nil || report.Found != 0 || report.Unsealed != 0 {
		t.Errorf("%+v %v", report, err)
	}
}

// BenchmarkObserver is what recording costs the caller.
func BenchmarkObserver(b *testing.B) {
	for _, on := range []bool{false, true} {
		b.Run(fmt.Sprint("audit=", on), func(b *testing.B) {
			s, _ := openStore(b)
			r := audit.New(s, &audit.Options{Queue: 1 << 20, QueueBytes: 1 << 30})
			defer r.Close()
			tool := echo()
			tool.Limits.Inline = true
			x := newExecutor(b, r, tool)
			if !on {
				registry := gongu.NewRegistry(nil)
				_ = registry.Add(tool)
				x = gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
			}
			args := json.RawMessage(`{"text":"` + strings.Repeat("x", 90) + `"}`)
			b.ReportAllocs()
			for b.Loop() {
				x.Call(b.Context(), gongu.Call{ID: "c", Name: "echo", Args: args})
			}
		})
	}
}
