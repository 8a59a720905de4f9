//go:build unix

package toolrequest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gongu-ai/gongu/toolrequest"
)

// nobody is a user without rights, for when the tests run as root, whom no
// permission stops.
const nobody = 65534

// addUnderLimits adds in a process that may write only so much: first where a
// file may not grow, then where nothing may be written at all.
func addUnderLimits(path string) int {
	fail := func(err error) int {
		fmt.Println("unexpected:", err)
		return 1
	}
	signal.Ignore(syscall.SIGXFSZ)
	f := toolrequest.NewFile(path, &toolrequest.Options{Logger: quiet()})
	if _, _, err := f.Add(context.Background(), sofa()); err != nil {
		return fail(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return fail(err)
	}
	small := limit
	small.Cur = 300 // room for the first bytes of the new file
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return fail(err)
	}
	_, _, err := f.Add(context.Background(), toolrequest.New{Name: "b", Description: strings.Repeat("d", 1000)})
	if !errors.Is(err, toolrequest.ErrStorage) || !errors.Is(err, syscall.EFBIG) {
		return fail(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return fail(err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		return fail(err)
	}
	if os.Getuid() == 0 {
		if err := syscall.Setuid(nobody); err != nil {
			return fail(err)
		}
	}
	_, _, err = f.Add(context.Background(), toolrequest.New{Name: "b", Description: "d"})
	if !errors.Is(err, toolrequest.ErrStorage) || !errors.Is(err, os.ErrPermission) {
		return fail(err)
	}
	if page, err := f.List(context.Background(), toolrequest.Filter{}); err != nil || len(page.Requests) != 1 {
		return fail(fmt.Errorf("%d requests: %w", len(page.Requests), err))
	}
	return 0
}

// A full disk and a folder that may not be written, with the real system.
func TestRealLimits(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(folder, 0o755); err != nil { // for nobody
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	path := filepath.Join(dir, toolrequest.FileName)
	child := exec.Command(os.Args[0], path)
	child.Env = append(os.Environ(), childMode+"=limits", "GORACE=atexit_sleep_ms=0")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if count(t, path) != 1 {
		t.Error("something was changed")
	}
	checkClean(t, toolrequest.NewFile(path, nil))
}
