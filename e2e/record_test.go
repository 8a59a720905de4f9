//go:build e2e

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// record is a table of what the clients did, for people. GONGU_E2E_RECORD
// names the file that it is written to.
type record struct{ rows []string }

func newRecord(t *testing.T) *record {
	t.Helper()
	r := &record{}
	file := os.Getenv("GONGU_E2E_RECORD")
	if file == "" {
		return r
	}
	t.Cleanup(func() {
		if t.Failed() {
			return // half a record would look like a whole one
		}
		text := "# What the clients did\n\nWritten by `make e2e-clients`. The model is a script: it calls the tool, and says its last words when the answer of the tool is in the conversation.\n\n" +
			"| client | version | way | tool that the model called | answer in its next turn | time |\n|---|---|---|---|---|---|\n" + strings.Join(r.rows, "\n") + "\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *record) add(t *testing.T, c clientCase, way, called, answer string, took time.Duration) {
	t.Helper()
	raw, err := os.ReadFile(packages(t, modules, c.manifest, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(raw, &manifest); err != nil {
		t.Fatal(err)
	}
	row := fmt.Sprintf("| %s | %s | %s | `%s` | %s | %.1f s |", c.name, manifest.Version, way, called, answer, took.Seconds())
	t.Log(row)
	r.rows = append(r.rows, row)
}
