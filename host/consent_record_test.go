package host_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/host"
)

// K2, K3: a record counts in the format of this version alone, for the bundle that
// it names, and only where other users could not have written it.
func TestK3_RecordsThatDoNotCount(t *testing.T) {
	dir := t.TempDir()
	records := host.Consents{Dir: t.TempDir()}
	if err := records.Grant(host.Consent{Folder: dir, Digest: "sha256:x", How: "test"}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(records.Dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	with := func(field string, value any, mode os.FileMode) (counts bool, listed int, failed string) {
		t.Helper()
		var record map[string]any
		if err := json.Unmarshal(raw, &record); err != nil {
			t.Fatal(err)
		}
		record[field] = value
		changed, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[0], changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(files[0], mode); err != nil {
			t.Fatal(err)
		}
		_, counts, err = records.Of(dir)
		all, listErr := records.List()
		if err != nil {
			failed = err.Error()
		}
		if (err != nil) != (listErr != nil) {
			t.Errorf("one of the two fails: %v, %v", err, listErr)
		}
		return counts, len(all), failed
	}
	for name, tc := range map[string]struct {
		field  string
		value  any
		mode   os.FileMode
		counts bool
		listed int
		failed string
	}{
		"as it was written":    {"how", "test", 0o600, true, 1, ""},
		"an earlier format":    {"version", 1, 0o600, false, 0, ""},
		"a later format":       {"version", 3, 0o600, false, 0, "use a newer gongu"},
		"another folder":       {"folder", "/another", 0o600, false, 1, ""},
		"open to other users":  {"how", "test", 0o644, false, 0, ""},
		"writable for a group": {"how", "test", 0o620, false, 0, ""},
	} {
		counts, listed, failed := with(tc.field, tc.value, tc.mode)
		if counts != tc.counts || listed != tc.listed || (failed != "") != (tc.failed != "") || !strings.Contains(failed, tc.failed) {
			t.Errorf("%s: counts %t, %d are listed, %q", name, counts, listed, failed)
		}
	}
}
