//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/gongu-ai/gongu/bundle"
)

// opens counts how often a file is opened while work runs.
func opens(t *testing.T, file string, work func()) int {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	// The kernel merges equal events in a row, so closing is watched, too.
	if _, err := syscall.InotifyAddWatch(fd, file, syscall.IN_OPEN|syscall.IN_CLOSE_NOWRITE); err != nil {
		t.Fatal(err)
	}
	work()
	events := make([]byte, 1<<16)
	n, err := syscall.Read(fd, events)
	if err != nil {
		t.Fatalf("the file was not opened at all: %v", err)
	}
	count := 0
	for at := 0; at+syscall.SizeofInotifyEvent <= n; {
		event := (*syscall.InotifyEvent)(unsafe.Pointer(&events[at]))
		if event.Mask&syscall.IN_OPEN != 0 {
			count++
		}
		at += syscall.SizeofInotifyEvent + int(event.Len)
	}
	return count
}

// Each command reads and parses its bundle once.
func TestCommandsReadTheBundleOnce(t *testing.T) {
	const yaml = "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: text-transform}\nspec:\n  entry: builtin:text-transform\n" +
		"  exports:\n    - {name: case}\n---\napiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: nowhere}\nspec: {url: 'http://127.0.0.1:1/mcp'}\n"
	dir := t.TempDir()
	file := filepath.Join(dir, "gongu.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	once := opens(t, file, func() {
		if b, diagnostics := bundle.Load(dir, nil); b == nil {
			t.Fatal(diagnostics)
		}
	})
	env := map[string]string{"GONGU_CONFIG_DIR": t.TempDir()}
	for _, line := range []string{
		"tools", "search case", "sources", "pins list", "doctor", "validate --json",
		`call text-transform__case {"text":"x","to":"upper"}`,
	} {
		args := append(strings.Fields(line), "-b", dir)
		var out bytes.Buffer
		got := opens(t, file, func() {
			run(args, environment{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: func(name string) string { return env[name] }})
		})
		if got != once {
			t.Errorf("gongu %s opened the bundle's file %d times, reading it once takes %d:\n%s", line, got, once, &out)
		}
	}
}
