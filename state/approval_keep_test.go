package state

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// rejected opens an approval and declines it.
func rejected(t *testing.T, s *Store, key string) {
	t.Helper()
	if _, decided := decide(t, s, opened(t, s, question(key)).ID, ApprovalDecision{By: "lee", ByKind: "session"}); !decided {
		t.Fatal("not declined")
	}
}

// Approvals are listed newest first, by state, caller and agent, page by page; a
// page of large ones ends early.
func TestP6_ApprovalList(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		for i := range 9 {
			q := question(fmt.Sprint(i))
			q.Principal, q.Agent = []string{"kim", "lee"}[i%2], []string{"coder", "writer", "mcp"}[i%3]
			opened(t, s, q)
		}
		approve(t, s, getApproval(t, s, "ap-4"))
		list := func(f ApprovalFilter) string {
			t.Helper()
			var all []string
			for {
				page, err := s.Approvals(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range page.Approvals {
					all = append(all, strings.TrimPrefix(a.ID, "ap-"))
				}
				if f.After = page.Next; f.After == "" {
					return strings.Join(all, "")
				}
				all = append(all, "|")
			}
		}
		for _, c := range []struct {
			f    ApprovalFilter
			want string
		}{
			{ApprovalFilter{}, "876543210"},
			{ApprovalFilter{Limit: 4}, "8765|4321|0"},
			{ApprovalFilter{Limit: 9}, "876543210"},
			{ApprovalFilter{State: ApprovalPending, Limit: 5}, "87653|210"},
			{ApprovalFilter{State: ApprovalApproved}, "4"},
			{ApprovalFilter{State: ApprovalUsed}, ""},
			{ApprovalFilter{Principal: "kim", Limit: 2}, "86|42|0"},
			{ApprovalFilter{State: ApprovalPending, Principal: "kim", Agent: "coder"}, "60"},
		} {
			if got := list(c.f); got != c.want {
				t.Errorf("%+v: %s, want %s", c.f, got, c.want)
			}
		}
		if _, err := s.Approvals(t.Context(), ApprovalFilter{After: "8"}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a bad place: %v", err)
		}
		if s.Engine() == enginePostgres {
			return
		}
		for i := range 9 {
			q := question(fmt.Sprint("large", i))
			q.Agent = "large"
			q.Calls[0].Preview = bytes.Repeat([]byte("x"), maxApprovalBytes/2)
			opened(t, s, q)
		}
		if got, want := list(ApprovalFilter{Agent: "large"}), "large8large7large6large5large4large3large2|large1large0"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// A list reads an index, however many ended approvals there are.
func TestP6_ListsUseIndexes(t *testing.T) {
	path := t.TempDir() + "/state.db"
	s := openAt(t, "sqlite:"+path, nil)
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, want := range map[string]string{
		"ApprovalPage": "approvals_by_time (space=? AND (created,id)<(?,?))", "ApprovalPageOfState": "approvals_by_state (space=? AND state=? AND (created,id)<(?,?))",
		"ApprovalOfKey": "approvals_by_key (space=? AND key=?)", "ApprovalCount": "approvals_by_state (space=? AND state=?)",
		"ApprovalsOver": "approvals_open (space=?)", "ApprovalGet": "sqlite_autoindex_approvals_1 (space=? AND id=?)", "ApprovalsRemove": "approvals_ended (space=? AND updated<?)",
		"CallsOfApproval": "calls_by_approval (space=? AND approval=?)", "CallsReady": "calls_by_approval (space=? AND approval=?)",
	} {
		st := s.statements[name]
		rows, err := db.Query("EXPLAIN QUERY PLAN "+st.text, make([]any, st.params)...)
		if err != nil {
			t.Fatal(name, err)
		}
		var plan []string
		for rows.Next() {
			var id, parent, other int
			var detail string
			if err := rows.Scan(&id, &parent, &other, &detail); err != nil {
				t.Fatal(name, err)
			}
			plan = append(plan, detail+"\n")
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(name, err)
		}
		if all := strings.Join(plan, ""); !strings.Contains(all, "INDEX "+want+"\n") || strings.Contains(all, "(space=?)\n") && name != "ApprovalsOver" {
			t.Errorf("%s: %s, want %s", name, all, want)
		}
	}
}

// K13: with a key the arguments, previews and schemas of an approval cannot be read
// in the database, and a host with another key says so.
func TestK13_SealedApprovals(t *testing.T) {
	for _, engine := range []string{engineSQLite, enginePostgres} {
		t.Run(engine, func(t *testing.T) {
			url := newStoreURL(t, engine)
			s := openAt(t, url, &Options{Key: bytes.Repeat([]byte{1}, KeySize)})
			q := question("k")
			q.Calls[0].Args, q.Calls[0].Preview, q.Calls[0].Files = []byte("canary-args"), []byte("canary-preview"), []ApprovalFile{{Path: "/canary-path"}}
			a := opened(t, s, q)
			s.statements["TestRaw"] = &statement{name: "TestRaw", text: "SELECT calls FROM approvals"}
			var raw []byte
			err := s.View(t.Context(), func(ctx context.Context, tx *Tx) error { return tx.Row(ctx, "TestRaw").Scan(&raw) })
			if err != nil || !bytes.HasPrefix(raw, []byte(sealedMark)) || bytes.Contains(raw, []byte("canary")) {
				t.Errorf("%q %v", raw, err)
			}
			if got := getApproval(t, s, a.ID); string(got.Calls[0].Args) != "canary-args" || string(got.Calls[0].Preview) != "canary-preview" {
				t.Errorf("%+v", got)
			}
			if _, err := openAt(t, url, nil).GetApproval(t.Context(), a.ID); !errors.Is(err, ErrSealed) {
				t.Errorf("without the key: %v", err)
			}
		})
	}
}

// R2: after a restore no approval can be decided or used.
func TestR2_RestoredApprovals(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		opened(t, s, question("pending"))
		for _, key := range []string{"approved", "used"} {
			approve(t, s, opened(t, s, question(key)))
		}
		if _, used, err := s.UseApproval(t.Context(), "ap-used", "c"); !used || err != nil {
			t.Fatal(err)
		}
		rejected(t, s, "rejected")
		file := filepath.Join(t.TempDir(), "backup.db")
		if err := s.Backup(t.Context(), file); err != nil {
			t.Fatal(err)
		}
		url := "sqlite:" + filepath.Join(t.TempDir(), "restored.db")
		if err := Restore(t.Context(), url, file, nil); err != nil {
			t.Fatal(err)
		}
		restored := openAt(t, url, nil)
		for key, want := range map[string]string{"pending": ApprovalCancelled, "approved": ApprovalCancelled, "used": ApprovalUsed, "rejected": ApprovalRejected} {
			a := getApproval(t, restored, "ap-"+key)
			if a.State != want {
				t.Errorf("%s is %s", key, a.State)
			}
			if _, decided := decide(t, restored, a.ID, yes(a.Version)); decided {
				t.Errorf("%s can be decided", key)
			}
			if _, used, err := restored.UseApproval(t.Context(), a.ID, "another"); used || err != nil {
				t.Errorf("%s can be used: %v", key, err)
			}
		}
	})
}

// R6: ended approvals are removed by age and by size, open ones stay, and a check
// finds those that cannot be.
func TestR6_Approvals(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		for i := range 4 {
			rejected(t, s, fmt.Sprint(i))
		}
		opened(t, s, question("open"))
		approve(t, s, opened(t, s, question("approved")))
		for _, c := range []struct {
			r    Retention
			want int64
		}{{Retention{Age: time.Hour}, 0}, {Retention{Bytes: 1 << 20}, 0}, {Retention{Bytes: 1}, 4}} {
			if n, err := s.Retain(t.Context(), "approvals", c.r); n != c.want || err != nil {
				t.Errorf("%+v: %d %v", c.r, n, err)
			}
		}
		rejected(t, s, "old")
		time.Sleep(time.Millisecond)
		if n, err := s.Retain(t.Context(), "approvals", Retention{Age: time.Microsecond}); n != 1 || err != nil {
			t.Errorf("by age: %d %v", n, err)
		}
		if age := DefaultRetention()["approvals"].Age; age != 90*24*time.Hour {
			t.Errorf("kept for %v", age)
		}
		page, err := s.Approvals(t.Context(), ApprovalFilter{})
		if err != nil || len(page.Approvals) != 2 {
			t.Errorf("%d approvals are left, %v", len(page.Approvals), err)
		}
		if problems, err := s.Check(t.Context()); len(problems) != 0 || err != nil {
			t.Errorf("%v %v", problems, err)
		}
		s.statements["TestWrong"] = &statement{name: "TestWrong", text: "UPDATE approvals SET decided_by = ''"}
		update(t, s, func(ctx context.Context, tx *Tx) error {
			_, err := tx.Exec(ctx, "TestWrong")
			return err
		})
		if problems, err := s.Check(t.Context()); len(problems) != 1 || err != nil || !strings.Contains(problems[0].Text, "ap-approved") {
			t.Errorf("%v %v", problems, err)
		}
	})
}

// P11: a yes is remembered for the same caller, agent, instance, tool, arguments,
// rule and path, and for nothing else; never for a command that its text does not
// decide, and never without a yes.
func TestP11_Remember(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		a := opened(t, s, question("k"))
		if err := s.RememberApproval(t.Context(), a.ID); !errors.Is(err, ErrConflict) {
			t.Errorf("remembered before an answer: %v", err)
		}
		approve(t, s, a)
		if err := s.RememberApproval(t.Context(), a.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.RememberApproval(t.Context(), a.ID); err != nil {
			t.Error(err)
		}
		r, err := open(nil).Remembered(t.Context(), question("another"))
		if err != nil || r.Approval != a.ID || r.By != "lee" || r.Expires.Sub(r.Created) != RememberLife {
			t.Errorf("%+v %v", r, err)
		}
		for name, change := range answerChanges() {
			q := question("k")
			change(q)
			if _, err := s.Remembered(t.Context(), q); !errors.Is(err, ErrNotFound) {
				t.Errorf("another %s: %v", name, err)
			}
		}
		dynamic := question("dynamic")
		dynamic.Calls[0].Dynamic = true
		approve(t, s, opened(t, s, dynamic))
		rejected(t, s, "no")
		for id, want := range map[string]error{"ap-dynamic": ErrInvalid, "ap-no": ErrConflict, "ap-none": ErrNotFound} {
			if err := s.RememberApproval(t.Context(), id); !errors.Is(err, want) {
				t.Errorf("%s: %v", id, err)
			}
		}
		s.statements["TestAge"] = &statement{name: "TestAge", text: "UPDATE approval_answers SET expires = 1"}
		update(t, s, func(ctx context.Context, tx *Tx) error {
			_, err := tx.Exec(ctx, "TestAge")
			return err
		})
		if _, err := s.Remembered(t.Context(), question("k")); !errors.Is(err, ErrNotFound) {
			t.Errorf("remembered for ever: %v", err)
		}
	})
}

// answerChanges change one thing each that a remembered answer is bound to.
func answerChanges() map[string]func(a *Approval) {
	return map[string]func(a *Approval){
		"principal": func(a *Approval) { a.Principal = "x" }, "kind": func(a *Approval) { a.PrincipalKind = "x" },
		"agent": func(a *Approval) { a.Agent = "x" }, "instance": func(a *Approval) { a.Instance = "x" },
		"tool": func(a *Approval) { a.Calls[0].Tool = "x" }, "definition": func(a *Approval) { a.Calls[0].Digest = []byte("x") },
		"arguments": func(a *Approval) { a.Calls[0].Args = []byte("{}") }, "rule": func(a *Approval) { a.Calls[0].Rule = "x" },
		"text of the rule": func(a *Approval) { a.Calls[0].RuleDigest = "x" }, "path": func(a *Approval) { a.Calls[0].Files = []ApprovalFile{{Path: "/x"}} },
		"command": func(a *Approval) { a.Calls[0].Dynamic = true }, "number of calls": func(a *Approval) { a.Calls = append(a.Calls, a.Calls[0]) },
	}
}

// P3: a person counts as present for a while after they could see questions, on
// every host of the store.
func TestP3_Presence(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s, other := open(nil), open(nil)
		seen := func(within time.Duration) bool {
			t.Helper()
			seen, err := other.SeenPerson(t.Context(), within)
			if err != nil {
				t.Fatal(err)
			}
			return seen
		}
		if seen(time.Hour) {
			t.Error("someone is there in a new store")
		}
		for range 3 {
			if err := s.SeePerson(t.Context(), "session", "lee\x00"); err != nil {
				t.Fatal(err)
			}
		}
		if !seen(time.Minute) || seen(0) {
			t.Error("a person was not seen, or is there for ever")
		}
		s.statements["TestAge"] = &statement{name: "TestAge", text: "UPDATE approval_presence SET seen = seen - 61000000"}
		update(t, s, func(ctx context.Context, tx *Tx) error {
			_, err := tx.Exec(ctx, "TestAge")
			return err
		})
		if seen(time.Minute) || !seen(2*time.Minute) {
			t.Error("a person who was there a minute ago counts as present")
		}
		if err := s.SeePerson(t.Context(), "session", "lee\x00"); err != nil || !seen(time.Minute) {
			t.Errorf("the person came back: %v", err)
		}
	})
}

// The calls of an approval come back as they were, and damaged ones are not read.
func TestP6_StoredCalls(t *testing.T) {
	calls := []ApprovalCall{question("a").Calls[0], {}, {Tool: "t", Args: []byte("x"), Approved: true, Changed: true, Dynamic: true, Approvers: []string{"lee"}}}
	raw, err := encodeCalls(calls)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decodeCalls(raw); err != nil || !reflect.DeepEqual(got, calls) {
		t.Errorf("%+v %v", got, err)
	}
	for i := 1; i < len(raw); i++ {
		if got, err := decodeCalls(raw[:i]); err == nil && len(got) == len(calls) {
			t.Errorf("cut after %d of %d bytes: %+v", i, len(raw), got)
		}
	}
	for _, bad := range [][]byte{{200}, {2, '{', '}'}, {2, '[', ']', 0, 0, 0}, bytes.Repeat([]byte{255}, 20)} {
		if _, err := decodeCalls(bad); !errors.Is(err, errBadCalls) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
