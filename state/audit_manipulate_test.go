package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// manipulator changes the audit of a store as a person with a database shell can.
type manipulator struct {
	ctx  context.Context
	tx   *Tx
	r    *rand.Rand
	rows int64 // rows up to the head
	head int64 // number of the head's seal
}

// do runs SQL.
func (m *manipulator) do(sql string, args ...any) {
	parsed, err := parseStatements("-- name: Manipulate\n"+sql, m.tx.store.Engine())
	if err != nil {
		panic(err)
	}
	m.tx.store.statements["Manipulate"] = parsed["Manipulate"]
	if n, err := m.tx.Exec(m.ctx, "Manipulate", args...); err != nil || n == 0 {
		panic(fmt.Sprint(sql, args, n, err))
	}
}

func (m *manipulator) row() int64  { return 1 + m.r.Int64N(m.rows) }
func (m *manipulator) seal() int64 { return 1 + m.r.Int64N(m.head) }

func (m *manipulator) pick(names ...string) string { return names[m.r.IntN(len(names))] }

// forge seals all rows anew from a seal on, as the sealer would.
func (m *manipulator) forge(from int64) {
	m.do("DELETE FROM audit_seals WHERE number >= $1", from)
	for {
		if seal, err := m.tx.sealRows(m.ctx); err != nil {
			panic(err)
		} else if seal == nil {
			return
		}
	}
}

// manipulations are all kinds of changes before the head.
var manipulations = []struct {
	name string
	do   func(m *manipulator)
}{
	{"cut a row", func(m *manipulator) { m.do("DELETE FROM audit WHERE seq = $1", m.row()) }},
	{"cut rows", func(m *manipulator) {
		from := m.row()
		m.do("DELETE FROM audit WHERE seq >= $1 AND seq <= $2", from, from+m.r.Int64N(9))
	}},
	{"cut the beginning", func(m *manipulator) { m.do("DELETE FROM audit WHERE seq <= $1", m.row()) }},
	{"cut the end with its seals", func(m *manipulator) {
		m.do("DELETE FROM audit_seals WHERE number >= $1", m.seal())
		m.do("DELETE FROM audit WHERE seq > (SELECT COALESCE(MAX(last), 0) FROM audit_seals)")
	}},
	{"change a text", func(m *manipulator) {
		column := m.pick("kind", "phase", "call_id", "parent_id", "trace", "principal", "principal_kind", "agent", "instance", "tool", "source", "action", "subject", "status", "code", "rule", "approval", "host")
		m.do("UPDATE audit SET "+column+" = "+column+" || 'x' WHERE seq = $1", m.row())
	}},
	{"change a number", func(m *manipulator) {
		column := m.pick("time", "begins", "started", "duration", "args_size", "result_size")
		m.do("UPDATE audit SET "+column+" = "+column+" + 1 WHERE seq = $1", m.row())
	}},
	{"change a digest", func(m *manipulator) {
		column := m.pick("args_digest", "result_digest", "payload_digest")
		m.do("UPDATE audit SET "+column+" = CAST($2 AS BYTEA) WHERE seq = $1", m.row(), bytes.Repeat([]byte{7}, m.r.IntN(2)*32))
	}},
	{"change a payload", func(m *manipulator) {
		column := m.pick("args", "result", "salt")
		m.do("UPDATE audit SET "+column+" = CAST($2 AS BYTEA) WHERE seq = $1", m.row(), []byte("other"))
	}},
	{"change a payload and its digest", func(m *manipulator) {
		forged := &AuditPayload{Salt: []byte("s"), Args: []byte("a"), Result: []byte("r")}
		m.do("UPDATE audit SET salt = CAST($2 AS BYTEA), args = CAST($3 AS BYTEA), result = CAST($4 AS BYTEA), payload_digest = CAST($5 AS BYTEA) WHERE seq = $1", m.row(), forged.Salt, forged.Args, forged.Result, forged.Digest())
	}},
	{"remove a payload", func(m *manipulator) {
		m.do("UPDATE audit SET salt = NULL, args = NULL, result = NULL WHERE seq = $1", m.row())
	}},
	{"reorder", func(m *manipulator) {
		a, b := m.row(), m.row()
		if a == b {
			b = a%m.rows + 1
		}
		m.do("UPDATE audit SET seq = -1 WHERE seq = $1", a)
		m.do("UPDATE audit SET seq = $1 WHERE seq = $2", a, b)
		m.do("UPDATE audit SET seq = $1 WHERE seq = -1", b)
	}},
	{"insert", func(m *manipulator) {
		at := m.row()
		m.do("UPDATE audit SET seq = -seq WHERE seq >= $1", at)
		m.do("UPDATE audit SET seq = 1 - seq WHERE seq < 0")
		m.insert(at)
	}},
	{"insert before the first", func(m *manipulator) { m.insert(-m.r.Int64N(3)) }},
	{"replace", func(m *manipulator) {
		at := m.row()
		m.do("DELETE FROM audit WHERE seq = $1", at)
		m.insert(at)
	}},
	{"move to another space", func(m *manipulator) { m.do("UPDATE audit SET space = 'other' WHERE seq = $1", m.row()) }},
	{"cut a seal", func(m *manipulator) { m.do("DELETE FROM audit_seals WHERE number = $1", m.seal()) }},
	{"cut a seal with its rows", func(m *manipulator) {
		n := m.seal()
		m.do("DELETE FROM audit WHERE seq >= (SELECT first FROM audit_seals WHERE number = $1) AND seq <= (SELECT last FROM audit_seals WHERE number = $1)", n)
		m.do("DELETE FROM audit_seals WHERE number = $1", n)
	}},
	{"change a number of a seal", func(m *manipulator) {
		column := m.pick("first", "last", "bytes", "time", "number + 1000, number")
		if column == "number + 1000, number" {
			m.do("UPDATE audit_seals SET number = number + 1000 WHERE number = $1", m.seal())
			return
		}
		m.do("UPDATE audit_seals SET "+column+" = "+column+" + 1 WHERE number = $1", m.seal())
	}},
	{"change a digest of a seal", func(m *manipulator) {
		column := m.pick("rows_digest", "previous", "digest")
		m.do("UPDATE audit_seals SET "+column+" = CAST($2 AS BYTEA) WHERE number = $1", m.seal(), bytes.Repeat([]byte{7}, 32))
	}},
	{"reorder seals", func(m *manipulator) {
		a := m.seal()
		b := a%m.head + 1
		m.do("UPDATE audit_seals SET number = -1 WHERE number = $1", a)
		m.do("UPDATE audit_seals SET number = $1 WHERE number = $2", a, b)
		m.do("UPDATE audit_seals SET number = $1 WHERE number = -1", b)
	}},
	{"change a row and forge its seal", func(m *manipulator) {
		row := m.row()
		m.do("UPDATE audit SET principal = 'someone else' WHERE seq = $1", row)
		m.forgeOne(row)
	}},
	{"change a row and forge all seals from there", func(m *manipulator) {
		m.do("UPDATE audit SET principal = 'someone else' WHERE seq = $1", m.row())
		m.forge(1)
	}},
	{"forge the record of a removal", func(m *manipulator) {
		n := m.seal()
		var last int64
		for _, s := range m.seals() {
			if s.Number == n {
				last = s.Last
			}
		}
		m.do("DELETE FROM audit WHERE seq <= $1", last)
		if err := m.tx.Audit(m.ctx, &AuditRow{Kind: AuditRetention, Subject: strconv.FormatInt(last, 10), Status: "ok"}); err != nil {
			panic(err)
		}
		if _, err := m.tx.sealRows(m.ctx); err != nil {
			panic(err)
		}
	}},
}

func (m *manipulator) insert(at int64) {
	row := auditRowN(int(m.r.Int32N(1000)))
	row.Seq, row.Time = at, 1
	if err := m.tx.insertAudit(m.ctx, row); err != nil {
		panic(err)
	}
}

func (m *manipulator) seals() []*Seal {
	seals, err := m.tx.sealQuery(m.ctx, "SealsFrom", m.tx.Space(), 0, 1000)
	if err != nil {
		panic(err)
	}
	return seals
}

// forgeOne makes the seal of a row fit the row again.
func (m *manipulator) forgeOne(row int64) {
	for _, s := range m.seals() {
		if row < s.First || row > s.Last {
			continue
		}
		h := newRowsHash(m.tx.Space())
		if err := m.tx.eachAudit(m.ctx, func(r *AuditRow) error { h.add(r); return nil }, "AuditAfter", m.tx.Space(), s.First-1, s.Last, 1000); err != nil {
			panic(err)
		}
		s.RowsDigest = h.hash.Sum(nil)
		m.do("UPDATE audit_seals SET rows_digest = CAST($2 AS BYTEA), digest = CAST($3 AS BYTEA) WHERE number = $1", s.Number, s.RowsDigest, s.sum(m.tx.Space()))
	}
}

var errRollback = errors.New("roll back")

// R8: every change before a known head is found. Without a head the same check
// cannot find a store that was forged as a whole.
func TestR8_Manipulations(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		sealedStore(t, s, 60, 6)
		seal, err := s.AuditHead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		head := hexOf(seal.Digest)
		for i := range 12 { // two seals and a row after the head
			writeAudit(t, s, auditRowN(i))
			if i%6 == 5 {
				sealAll(t, s)
			}
		}
		writeAudit(t, s, auditRowN(1))
		if r := verified(t, s, head); r.Found != 0 || r.Proven != 60 || r.Seals != 12 || r.Unsealed != 1 {
			t.Fatalf("%+v", r)
		}
		tries := 250
		if s.Engine() == enginePostgres {
			tries = 3 * len(manipulations)
		}
		if os.Getenv("GONGU_CHAOS") != "" && s.Engine() == engineSQLite {
			tries = 10_000
		}
		seed := uint64(20)
		for i := range tries {
			kind := manipulations[i%len(manipulations)]
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			var report *AuditReport
			err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
				m := &manipulator{ctx, tx, rng, 60, seal.Number}
				kind.do(m)
				v := &verifier{
					view:  func(ctx context.Context, f func(context.Context, *Tx) error) error { return f(ctx, tx) },
					space: s.Space(), head: seal.Digest, report: &AuditReport{},
				}
				if err := v.run(ctx); err != nil {
					return err
				}
				report = v.report
				return errRollback
			})
			if !errors.Is(err, errRollback) {
				t.Fatalf("try %d: %s: %v", i, kind.name, err)
			}
			if report.Found == 0 {
				t.Errorf("try %d: %s was not found: %+v", i, kind.name, report)
			}
		}
		if r := verified(t, s, head); r.Found != 0 {
			t.Errorf("the manipulations were not rolled back: %+v", r)
		}
	})
}

// R8: without a head, a store that was written anew as a whole looks right: the
// report says that nothing is proven.
func TestR8_WithoutHead(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		head := sealedStore(t, s, 12, 6)
		update(t, s, func(ctx context.Context, tx *Tx) error {
			m := &manipulator{ctx, tx, rand.New(rand.NewPCG(1, 1)), 12, 2}
			m.do("UPDATE audit SET principal = 'someone else' WHERE seq = 3")
			m.forge(1)
			return nil
		})
		if r := verified(t, s, ""); r.Found != 0 || r.Proven != 0 || r.HeadSeal != 0 {
			t.Errorf("%+v", r)
		}
		if r := verified(t, s, head); r.Found != 1 || r.Problems[0].Kind != ProblemHead || r.Proven != 0 {
			t.Errorf("%+v", r)
		}
		for _, wrong := range []string{"x", head[:10], head + "00"} {
			if _, err := s.VerifyAudit(t.Context(), wrong); err == nil {
				t.Errorf("%q is a head", wrong)
			}
		}
	})
}
