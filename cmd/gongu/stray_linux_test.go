package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const strayBundle = `apiVersion: gongu/v1
kind: Tool
metadata: {name: bash}
spec: {entry: "builtin:bash", exports: [{name: exec}]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: free}
spec: {entry: "builtin:bash", exports: [{name: exec}], sandbox: off}
`

// K16: a process that left the group and the session of its call, lost its parent
// or cleared its environment ends with the call, and not with another one. Nothing
// of it is left, not even a zombie. One without a sandbox goes on.
func TestK16_StraysEndWithTheCall(t *testing.T) {
	work := t.TempDir()
	s := serveBundle(t, strayBundle, "--no-auth", "--permission", "bypass", "--root", work)
	call := func(tool, command string) string {
		body, err := json.Marshal(map[string]any{"name": tool + "__exec", "arguments": map[string]any{"command": "cd " + work + "; " + command}})
		if err != nil {
			t.Error(err)
			return ""
		}
		response, err := http.Post(s.url+"/api/v1/calls", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Error(err)
			return ""
		}
		defer response.Body.Close()
		said, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("%v %d %s", err, response.StatusCode, said)
		}
		return string(said)
	}
	// stray starts a process that writes its number into a file and hangs.
	stray := func(before, name string) string {
		return fmt.Sprintf(`(%s sh -c 'echo $$ > %s; exec sleep 1000' >/dev/null 2>&1 </dev/null &) ; until test -s %s; do sleep 0.01; done;`, before, name, name)
	}
	pid := func(name string) int {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(work, name))
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	alive := func(name string) bool { return !errors.Is(syscall.Kill(pid(name), 0), syscall.ESRCH) }

	var other sync.WaitGroup
	other.Go(func() {
		said := call("bash", stray("setsid", "other")+`until test -e end; do sleep 0.01; done; kill -0 $(cat other) && echo still here`)
		if !strings.Contains(said, "still here") {
			t.Errorf("another call's process was ended: %s", said)
		}
	})
	waitFor(t, "for the other call", func() bool { info, err := os.Stat(filepath.Join(work, "other")); return err == nil && info.Size() > 0 })
	for i, before := range []string{"setsid", "setsid setsid", "env -i /usr/bin/setsid", "setsid sh -c 'setsid sleep 1000 & exec \"$@\"' x"} {
		name := fmt.Sprintf("stray%d", i)
		call("bash", stray(before, name))
		if alive(name) {
			t.Errorf("%s outlives its call", before)
		}
	}
	if !alive("other") {
		t.Error("another call's process was ended")
	}
	if err := os.WriteFile(filepath.Join(work, "end"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other.Wait()
	if alive("other") {
		t.Error("it outlives its call")
	}
	call("free", stray("setsid", "free"))
	call("bash", "true")
	if !alive("free") {
		t.Error("a process without a sandbox was ended")
	}
	if err := unix.Kill(pid("free"), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "for the adopted process to be waited for", func() bool { return !alive("free") })
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", s.cmd.Process.Pid, s.cmd.Process.Pid))
	if err != nil || len(strings.TrimSpace(string(raw))) > 0 {
		t.Errorf("children are left: %q, %v", raw, err)
	}
}
