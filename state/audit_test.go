package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// auditRowN returns a row like that of a call.
func auditRowN(i int) *AuditRow {
	p := &AuditPayload{Salt: []byte{byte(i), 1, 2}, Args: []byte(`{"n":` + strconv.Itoa(i) + `}`), Result: []byte(`"ok"`)}
	r := &AuditRow{
		Kind: AuditCall, CallID: "call_" + strconv.Itoa(i), Trace: fmt.Sprintf("%032x", i%7), Principal: "user" + strconv.Itoa(i%5), PrincipalKind: "token",
		Agent: "agent" + strconv.Itoa(i%3), Instance: "default", Tool: "tool" + strconv.Itoa(i%11), Source: "Tool/tool", Status: "ok",
		Started: int64(i), Duration: 7, ArgsSize: 3, ResultSize: 4, ArgsDigest: AuditBytes(p.Salt, p.Args), ResultDigest: AuditBytes(p.Salt, p.Result), Payload: p,
	}
	if i%10 == 0 {
		r.Status, r.Code = "error", "E_TOOL"
	}
	return r
}

func writeAudit(t *testing.T, s *Store, rows ...*AuditRow) {
	t.Helper()
	if err := s.Audit(t.Context(), rows...); err != nil {
		t.Fatal(err)
	}
}

// sealedStore writes n rows, a few for each seal, and returns the head.
func sealedStore(t *testing.T, s *Store, n, each int) string {
	t.Helper()
	for i := 0; i < n; i += each {
		var rows []*AuditRow
		for j := i; j < min(n, i+each); j++ {
			rows = append(rows, auditRowN(j))
		}
		writeAudit(t, s, rows...)
		if written, err := s.SealAudit(t.Context()); err != nil || written != 1 {
			t.Fatal(written, err)
		}
	}
	head, err := s.AuditHead(t.Context())
	if err != nil || head == nil {
		t.Fatal(head, err)
	}
	return hexOf(head.Digest)
}

func verified(t *testing.T, s *Store, head string) *AuditReport {
	t.Helper()
	report, err := s.VerifyAudit(t.Context(), head)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// R8: rows are numbered without gaps, in the order of their commits, and their
// times never go back.
func TestR8_RowsAreNumbered(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		a, b := open(nil), open(nil)
		const writers, each = 8, 12
		errs := make(chan error, writers)
		for w := range writers {
			s := []*Store{a, b}[w%2]
			go func() {
				var err error
				for i := range each {
					err = errors.Join(err, s.Audit(t.Context(), auditRowN(i), auditRowN(i+1)))
				}
				errs <- err
			}()
		}
		for range writers {
			if err := <-errs; err != nil {
				t.Fatal(err)
			}
		}
		// A transaction that fails takes no number.
		if err := a.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			return errors.Join(tx.Audit(ctx, auditRowN(1)), errors.New("no"))
		}); err == nil {
			t.Error("a failed transaction was committed")
		}
		writeAudit(t, b, auditRowN(0))
		rows, err := b.AuditAfter(t.Context(), 0, 1000)
		if err != nil || len(rows) != 2*writers*each+1 {
			t.Fatal(len(rows), err)
		}
		for i, r := range rows {
			if r.Seq != int64(i+1) || i > 0 && r.Time < rows[i-1].Time {
				t.Errorf("row %d has number %d and time %d", i+1, r.Seq, r.Time)
			}
		}
	})
}

// R8: any text and any bytes can be recorded, and names have a bounded length.
func TestR8_AnyText(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		row := auditRowN(1)
		row.Tool, row.CallID, row.Code = "a\x00b\xff", strings.Repeat("한", 200), "\u202e"
		row.Payload.Args = []byte{0, 0xff, 1}
		writeAudit(t, s, row)
		got, err := s.AuditGet(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		r := got[0]
		if r.Tool != "a\uFFFDb\uFFFD" || len(r.CallID) > maxAuditText || !strings.HasSuffix(r.CallID, "한…") || string(r.Payload.Args) != "\x00\xff\x01" {
			t.Errorf("%+v", r)
		}
		sealAll(t, s)
		if report := verified(t, s, ""); report.Found != 0 {
			t.Errorf("%+v", report)
		}
	})
}

func sealAll(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.SealAudit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// R8: filters, pages and times.
func TestR8_Pages(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		const n = 300
		for i := 0; i < n; i += 50 {
			var rows []*AuditRow
			for j := range 50 {
				rows = append(rows, auditRowN(i+j))
			}
			writeAudit(t, s, rows...)
		}
		all, err := s.AuditAfter(t.Context(), 0, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []AuditFilter{
			{}, {Tool: "tool3"}, {Principal: "user2"}, {Agent: "agent1"}, {Status: "error"}, {Status: "ok"}, {Trace: fmt.Sprintf("%032x", 4)}, {Call: "call_17"},
			{Tool: "tool3", Principal: "user2", Agent: "agent1"}, {Kind: AuditDecision}, {Instance: "default", Status: "error", Tool: "tool0"}, {Tool: "none"},
			{Since: all[100].Time}, {Until: all[100].Time}, {Since: all[60].Time, Until: all[200].Time, Tool: "tool1"}, {Since: all[n-1].Time + 1}, {Until: all[0].Time - 1},
		} {
			var want, got []int64
			for _, r := range slices.Backward(all) {
				if f.Matches(r) {
					want = append(want, r.Seq)
				}
			}
			f.Limit = 7
			for pages := 0; pages == 0 || f.Before > 0; pages++ {
				page, err := s.AuditPage(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range page.Rows {
					got = append(got, r.Seq)
				}
				f.Before = page.Next
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: %v, want %v", f, got, want)
			}
		}
	})
}

// R8: a call with a begin row and no end row is running or unknown; with an end
// row it is listed once. A call ends once.
func TestR8_BeginAndEnd(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		lease, err := s.Lease(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		begin := func(i int, host string) *AuditRow {
			r := auditRowN(i)
			r.Phase, r.Status, r.Host = PhaseBegin, AuditStarted, host
			return r
		}
		writeAudit(t, s, begin(1, lease.Token()), begin(2, "gone"), begin(3, lease.Token()))
		end := auditRowN(3)
		end.Phase, end.Begins = PhaseEnd, 3
		writeAudit(t, s, end)
		page, err := s.AuditPage(t.Context(), AuditFilter{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range page.Rows {
			got = append(got, fmt.Sprint(r.Seq)+" "+r.Status)
		}
		if want := []string{"4 ok", "2 unknown", "1 running"}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		for status, seq := range map[string]int64{AuditUnknown: 2, AuditRunning: 1} {
			if page, err = s.AuditPage(t.Context(), AuditFilter{Status: status}); err != nil || len(page.Rows) != 1 || page.Rows[0].Seq != seq {
				t.Errorf("%s: %+v %v", status, page.Rows, err)
			}
		}
		if page, err = s.AuditPage(t.Context(), AuditFilter{Raw: true}); err != nil || len(page.Rows) != 4 {
			t.Errorf("raw: %d rows, %v", len(page.Rows), err)
		}
		for _, seq := range []int64{3, 4} {
			if rows, err := s.AuditGet(t.Context(), seq); err != nil || len(rows) != 2 || rows[0].Seq != seq || rows[1].Seq != 7-seq {
				t.Errorf("row %d: %+v %v", seq, rows, err)
			}
		}
		if _, err := s.AuditGet(t.Context(), 99); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		again := auditRowN(3)
		again.Phase, again.Begins = PhaseEnd, 3
		if s.Audit(t.Context(), again) == nil {
			t.Error("a call ended twice")
		}
	})
}

// R6, R8: retention removes the rows of whole seals, keeps the seals and leaves a
// record; the check needs that record.
func TestR8_Retention(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		old := sealedStore(t, s, 40, 10)
		if n, err := s.RetainAudit(t.Context(), Retention{Age: time.Hour, Bytes: 1 << 30}); err != nil || n != 0 {
			t.Fatal(n, err)
		}
		// The size of two seals and a half: two stay.
		head, err := s.AuditHead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.RetainAudit(t.Context(), Retention{Bytes: head.Bytes * 5 / 2}); err != nil || n != 20 {
			t.Fatal(n, err)
		}
		sealAll(t, s)
		if r := verified(t, s, ""); r.Found != 0 || r.Removed != 20 || r.Rows != 21 || r.Seals != 5 {
			t.Errorf("%+v", r)
		}
		if r := verified(t, s, newest(t, s)); r.Found != 0 || r.Proven != 21 {
			t.Errorf("%+v", r)
		}
		// An older head does not cover the record of the removal.
		if r := verified(t, s, old); r.Found != 2 || r.Problems[0].Kind != ProblemRemoved {
			t.Errorf("%+v", r)
		}
		// Again: only what is left counts.
		if n, err := s.RetainAudit(t.Context(), Retention{Bytes: head.Bytes * 5 / 2}); err != nil || n > 10 {
			t.Fatal(n, err)
		}
		time.Sleep(2 * time.Millisecond)
		if n, err := s.RetainAudit(t.Context(), Retention{Age: time.Millisecond}); err != nil || n == 0 {
			t.Fatal(n, err)
		}
		sealAll(t, s)
		if r := verified(t, s, newest(t, s)); r.Found != 0 || r.Rows == 0 {
			t.Errorf("%+v", r)
		}
		writeAudit(t, s, auditRowN(1))
		sealAll(t, s)
		// Rows that come back are found.
		update(t, s, func(ctx context.Context, tx *Tx) error {
			r := auditRowN(5)
			r.Seq = 6
			return tx.insertAudit(ctx, r)
		})
		if r := verified(t, s, ""); r.Found == 0 || !slices.ContainsFunc(r.Problems, func(p AuditProblem) bool { return p.Kind == ProblemLeft }) {
			t.Errorf("%+v", r)
		}
	})
}

func newest(t *testing.T, s *Store) string {
	t.Helper()
	head, err := s.AuditHead(t.Context())
	if err != nil || head == nil {
		t.Fatal(head, err)
	}
	return hexOf(head.Digest)
}

// R8: a payload can be erased, by a record that says who did it; nothing then
// confirms a guess, and the rows still verify.
func TestR8_Erase(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		head := sealedStore(t, s, 20, 10)
		if n, err := s.EraseAudit(t.Context(), 7, AuditRow{Principal: "kim", PrincipalKind: "cli"}); err != nil || n != 1 {
			t.Fatal(n, err)
		}
		if n, err := s.EraseAudit(t.Context(), 7, AuditRow{}); err != nil || n != 0 {
			t.Fatal(n, err)
		}
		if _, err := s.EraseAudit(t.Context(), 700, AuditRow{}); !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
		rows, err := s.AuditGet(t.Context(), 7)
		if err != nil || rows[0].Payload != nil || len(rows[0].ArgsDigest) != 32 {
			t.Errorf("%+v %v", rows, err)
		}
		rows, err = s.AuditGet(t.Context(), 21)
		if err != nil || rows[0].Kind != AuditErasure || rows[0].Subject != "7" || rows[0].Principal != "kim" {
			t.Errorf("%+v %v", rows, err)
		}
		if r := verified(t, s, head); r.Found != 0 || r.Erased != 1 || r.Proven != 20 || r.Unsealed != 1 {
			t.Errorf("%+v", r)
		}
	})
}
