package schema

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// repositoryRoot is the folder with go.mod above the test.
func repositoryRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}

// TestCorpusTakesFastPath is H17 for the tools that people really have. The data
// stands beside the repository and may be absent on another machine.
func TestCorpusTakesFastPath(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repositoryRoot(t), "..", "shared", "toolsearch", "dev", "*", "tools.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Log("NOT CHECKED: the tool collection is not on this machine, so the share of the fast path is unknown")
		return
	}
	tools, fast := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var tool struct {
				Name       string
				Parameters json.RawMessage
			}
			if err := json.Unmarshal(lines.Bytes(), &tool); err != nil {
				t.Fatal(err)
			}
			repaired, _ := RepairTypes(tool.Parameters)
			c, err := Lazy(repaired, nil)
			if err != nil {
				t.Errorf("%s: %v", tool.Name, err)
				continue
			}
			tools++
			if c.Fast() {
				fast++
			}
			if tools%50 == 0 { // compiling all of them would take long
				compareVerdicts(t, string(repaired), `{"a":1}`, nil)
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d tools take the fast path", fast, tools)
	if tools == 0 || fast*100 < tools*80 {
		t.Errorf("only %d of %d tools take the fast path", fast, tools)
	}
}
