package attach

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// A record counts while the very server that left it answers: another one may
// have its address by now.
func TestFindChecksTheInstance(t *testing.T) {
	server := httptest.NewServer(WithInstance("a", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.NotFound(w, r)
		}
	})))
	defer server.Close()
	file := RecordFile(filepath.Join(t.TempDir(), "state"))
	if _, ok := Find(t.Context(), file); ok {
		t.Error("a record that is not there was found")
	}
	for instance, want := range map[string]bool{"a": true, "b": false, "": false} {
		r := Record{PID: 1, URL: server.URL + "/mcp", Instance: instance}
		if err := r.Write(file); err != nil {
			t.Fatal(err)
		}
		if _, ok := Find(t.Context(), file); ok != want {
			t.Errorf("instance %q: found %v", instance, ok)
		}
	}
}

func TestRecordIsPrivateAndRemovedByItsServer(t *testing.T) {
	file := RecordFile(t.TempDir())
	mine := Record{PID: 1, URL: "http://127.0.0.1:1/mcp", Instance: "mine", Token: "secret"}
	if err := mine.Write(file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	Record{Instance: "other"}.Remove(file)
	if now, ok := Read(file); !ok || now != mine {
		t.Errorf("%+v, %v", now, ok)
	}
	mine.Remove(file)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the record is still there: %v", err)
	}
}
