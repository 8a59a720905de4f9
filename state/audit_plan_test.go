package state

import (
	"database/sql"
	"strings"
	"testing"
)

// R8: a filtered page of a large audit reads an index: SQLite chooses the one that
// a statement was written for.
func TestR8_PagesUseIndexes(t *testing.T) {
	path := t.TempDir() + "/state.db"
	s := openAt(t, "sqlite:"+path, nil)
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, want := range map[string]string{
		"AuditPage": "sqlite_autoindex_audit_1 (space=? AND seq>? AND seq<?)", "AuditPageByTool": "audit_tool (space=? AND tool=? AND seq>? AND seq<?)",
		"AuditPageByPrincipal": "audit_principal (space=? AND principal=? AND seq>? AND seq<?)", "AuditPageByStatus": "audit_status (space=? AND status=? AND seq>? AND seq<?)",
		"AuditPageByCall": "audit_call (space=? AND <expr>=? AND call_id=?)", "AuditPageByTrace": "audit_trace (space=? AND <expr>=? AND trace=?)",
		"AuditSince": "audit_time (space=? AND time>?)", "AuditUntil": "audit_time (space=? AND time<?)", "AuditEndOf": "audit_end (space=? AND begins=?)",
		"AuditRecords": "audit_records (space=?)",
	} {
		st := s.statements[name]
		var id, parent, other int
		var detail string
		if err := db.QueryRow("EXPLAIN QUERY PLAN "+st.text, make([]any, st.params)...).Scan(&id, &parent, &other, &detail); err != nil {
			t.Fatal(name, err)
		}
		if !strings.HasSuffix(detail, "INDEX "+want) {
			t.Errorf("%s: %s, want %s", name, detail, want)
		}
	}
}
