//go:build unix

package state

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// sqliteHost is what TestHostProcess does for the tests of this file.
func sqliteHost(t *testing.T, s *Store, mode string, told *bufio.Reader) {
	wait := func() {
		if _, err := told.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	switch mode {
	case "batch": // many writers, so that units share commits
		var wg sync.WaitGroup
		var out sync.Mutex
		for w := range 8 {
			wg.Go(func() {
				for i := 0; ; i++ {
					id := fmt.Sprintf("row %d %d %d", os.Getpid(), w, i)
					if err := s.Update(t.Context(), pair(id)); err != nil {
						t.Error(err)
						return
					}
					out.Lock()
					fmt.Println(id)
					out.Unlock()
				}
			})
		}
		wg.Wait()
	case "count": // a fixed number of units
		for i := range 60 {
			if err := s.Update(t.Context(), pair(fmt.Sprintf("row %d %d", os.Getpid(), i))); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Println("done")
	case "idle": // an owner that does nothing until it is told to
		l := lease(t, s)
		fmt.Println(l.Token())
		wait()
		fmt.Println(l.Valid(), errors.Is(s.UpdateOwned(t.Context(), l, insert("late", 1)), ErrLeaseLost))
	case "own-inside": // an owner that is stopped inside a transaction
		l := lease(t, s)
		err := s.UpdateOwned(t.Context(), l, func(ctx context.Context, tx *Tx) error {
			if err := insert("late", 1)(ctx, tx); err != nil {
				return err
			}
			fmt.Println("inside")
			wait()
			return nil
		})
		fmt.Println("lost", errors.Is(err, ErrLeaseLost))
	case "limit": // files cannot grow until it is told so
		fillUp(t, s, wait)
	}
}

// pair is a unit of three changes that belong together.
func pair(id string) unit {
	return func(ctx context.Context, tx *Tx) error {
		for _, f := range []unit{add("a"), insert(id, 1), add("b")} {
			if err := f(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	}
}

// fillUp writes until the limit of the size of files, which stands for a full
// disk, then goes on without it.
func fillUp(t *testing.T, s *Store, wait func()) {
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 300_000, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	n := writeUntilFull(t, s)
	fmt.Println("wrote", n)
	wait()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), big(n)); err != nil {
		t.Fatal(err)
	}
	fmt.Println("wrote", n+1)
}

// big is a unit with a large value.
func big(i int) unit {
	return func(ctx context.Context, tx *Tx) error {
		if err := pair(fmt.Sprintf("big %d", i))(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "TestInsert", tx.Space(), fmt.Sprintf("value %d", i), i, make([]byte, 20_000))
		return err
	}
}

// writeUntilFull returns how many units were acknowledged before the first error.
func writeUntilFull(t *testing.T, s *Store) int {
	t.Helper()
	for i := range 10_000 {
		if err := s.Update(t.Context(), big(i)); err != nil {
			if !errors.Is(err, ErrUnavailable) {
				t.Fatalf("a full disk is not told apart: %v", err)
			}
			return i
		}
	}
	t.Fatal("the disk is never full")
	return 0
}

func pairStore(t *testing.T, url string) *Store {
	t.Helper()
	s := withTable(t, openAt(t, url, nil))
	update(t, s, insert("a", 0))
	update(t, s, insert("b", 0))
	return s
}

// wholePairs checks that each unit is there as a whole, and all acknowledged ones.
func wholePairs(t *testing.T, s *Store, acknowledged map[string]bool) {
	t.Helper()
	all := values(t, s)
	rows := int64(0)
	for id := range all {
		if strings.HasPrefix(id, "row ") || strings.HasPrefix(id, "big ") {
			rows++
		}
	}
	for id := range acknowledged {
		if _, there := all[id]; strings.HasPrefix(id, "row ") && !there {
			t.Errorf("%s was acknowledged and is not there", id)
		}
	}
	if all["a"] != rows || all["b"] != rows {
		t.Errorf("%d rows, sums %d and %d", rows, all["a"], all["b"])
	}
	if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("check: %v, %v", problems, err)
	}
}

// R5: two writing processes, one of which is killed at any point again and again:
// nothing that was acknowledged is lost, and no unit is there in part.
func TestR5_SQLiteWritersAreKilled(t *testing.T) {
	t.Parallel()
	url := newStoreURL(t, engineSQLite)
	s := pairStore(t, url)
	rnd := rand.New(rand.NewPCG(10, 5))
	acknowledged := map[string]bool{}
	var hosts [2]*hostProcess
	for kill := range times(25, 300) {
		for i := range hosts {
			if hosts[i] == nil {
				hosts[i] = startHost(t, fmt.Sprintf("batch h%d-%d", kill, i), url)
			}
		}
		i := kill % 2
		for range 1 + rnd.IntN(30) {
			acknowledged[hosts[i].line(t)] = true
		}
		time.Sleep(time.Duration(rnd.IntN(2000)) * time.Microsecond) // any point of a commit
		hosts[i].signal(t, syscall.SIGKILL)
		for line := range hosts[i].lines {
			acknowledged[line] = true
		}
		hosts[i] = nil
	}
	for _, h := range hosts {
		if h != nil {
			h.signal(t, syscall.SIGKILL)
			for line := range h.lines {
				acknowledged[line] = true
			}
		}
	}
	wholePairs(t, s, acknowledged)
	t.Logf("%d units acknowledged", len(acknowledged))
}

// R5: two processes that write all the time both finish.
func TestR5_SQLiteTwoProcesses(t *testing.T) {
	t.Parallel()
	url := newStoreURL(t, engineSQLite)
	s := pairStore(t, url)
	a, b := startHost(t, "count a", url), startHost(t, "count b", url)
	for _, h := range []*hostProcess{a, b} {
		if line := h.line(t); line != "done" {
			t.Error(line)
		}
	}
	wholePairs(t, s, nil)
	if all := values(t, s); all["a"] != 120 {
		t.Errorf("%d of 120 units", all["a"])
	}
}

// R5: a process that is stopped inside a transaction keeps writers waiting for a
// bounded time, with a clear error, and readers not at all. When it goes on or
// dies, everything works again.
func TestR5_SQLiteStoppedInsideATransaction(t *testing.T) {
	t.Parallel()
	for _, end := range []syscall.Signal{syscall.SIGCONT, syscall.SIGKILL} {
		t.Run(end.String(), func(t *testing.T) {
			t.Parallel()
			url := newStoreURL(t, engineSQLite)
			s := withTable(t, openAt(t, url, &Options{Busy: 200 * time.Millisecond}))
			update(t, s, insert("n", 0))
			h := startHost(t, "inside h", url)
			if line := h.line(t); line != "inside" {
				t.Fatal(line)
			}
			h.signal(t, syscall.SIGSTOP)
			begun := time.Now()
			err := s.Update(t.Context(), add("n"))
			if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "another process") || time.Since(begun) > 20*time.Second {
				t.Errorf("after %v: %v", time.Since(begun), err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(10*time.Millisecond, cancel)
			if err := s.Update(ctx, add("n")); !errors.Is(err, context.Canceled) && !errors.Is(err, ErrUnavailable) {
				t.Errorf("a caller who leaves: %v", err)
			}
			if n := values(t, s)["n"]; n != 0 {
				t.Errorf("a reader sees %d", n)
			}
			h.signal(t, end)
			want := int64(0)
			if end == syscall.SIGCONT {
				if _, err := io.WriteString(h.in, "go on\n"); err != nil {
					t.Fatal(err)
				}
				if line := h.line(t); line != "runs 1 <nil>" {
					t.Errorf("the stopped process: %s", line)
				}
				want = 2
			}
			eventually(t, "writers work again", func() bool { return s.Update(t.Context(), add("n")) == nil })
			if n := values(t, s)["n"]; n != want+1 {
				t.Errorf("the row is %d, want %d", n, want+1)
			}
		})
	}
}

// R7: a host that is stopped past its lease writes nothing afterwards: neither
// what it begins then, nor what it had begun.
func TestR7_SQLiteStoppedPastItsLease(t *testing.T) {
	t.Parallel()
	t.Run("outside a transaction", func(t *testing.T) {
		t.Parallel()
		url := newStoreURL(t, engineSQLite)
		s := withTable(t, openAt(t, url, &Options{Busy: 100 * time.Millisecond}))
		h := startHost(t, "idle h", url)
		token := h.line(t)
		h.signal(t, syscall.SIGSTOP)
		eventually(t, "the lease ends", func() bool {
			var ended bool
			err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) (err error) {
				ended, err = tx.Fence(ctx, token)
				return err
			})
			if err != nil { // it was stopped inside the transaction that renews the lease
				h.signal(t, syscall.SIGCONT)
				time.Sleep(10 * time.Millisecond)
				h.signal(t, syscall.SIGSTOP)
			}
			return ended
		})
		if _, err := io.WriteString(h.in, "go on\n"); err != nil {
			t.Fatal(err)
		}
		h.signal(t, syscall.SIGCONT)
		if line := h.line(t); line != "false true" {
			t.Errorf("valid and lost: %s", line)
		}
		if len(values(t, s)) != 0 {
			t.Error("it wrote something")
		}
	})
	t.Run("inside a transaction", func(t *testing.T) {
		t.Parallel()
		url := newStoreURL(t, engineSQLite)
		s := withTable(t, openAt(t, url, nil))
		h := startHost(t, "own-inside h", url)
		if line := h.line(t); line != "inside" {
			t.Fatal(line)
		}
		h.signal(t, syscall.SIGSTOP)
		time.Sleep(2500 * time.Millisecond) // the lease of a host process is 2 s
		h.signal(t, syscall.SIGCONT)
		if _, err := io.WriteString(h.in, "go on\n"); err != nil {
			t.Fatal(err)
		}
		if line := h.line(t); line != "lost true" {
			t.Error(line)
		}
		if len(values(t, s)) != 0 {
			t.Error("it wrote something")
		}
	})
}

// R5: a full disk is a clear error, loses nothing, leaves nothing half done, and
// the store goes on when there is room.
func TestR5_SQLiteDiskFull(t *testing.T) {
	t.Parallel()
	t.Run("limit of files", func(t *testing.T) {
		t.Parallel()
		url := newStoreURL(t, engineSQLite)
		s := pairStore(t, url)
		h := startHost(t, "limit h", url)
		var n, more int64
		if _, err := fmt.Sscanf(h.line(t), "wrote %d", &n); err != nil || n == 0 {
			t.Fatal(n, err)
		}
		wholePairs(t, s, nil)
		if all := values(t, s); all["a"] != n {
			t.Errorf("%d units there, %d acknowledged", all["a"], n)
		}
		if _, err := io.WriteString(h.in, "go on\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(h.line(t), "wrote %d", &more); err != nil || more != n+1 {
			t.Error(more, err)
		}
		wholePairs(t, s, nil)
	})
	t.Run("small disk", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if !smallDisk(t, dir) {
			return // only root can mount one; the limit of files is tested anyway
		}
		filler := filepath.Join(dir, "filler")
		if err := os.WriteFile(filler, make([]byte, 500_000), 0o600); err != nil {
			t.Fatal(err)
		}
		s := pairStore(t, filepath.Join(dir, "state.db"))
		n := writeUntilFull(t, s)
		err := s.Update(t.Context(), big(n))
		if err == nil || !strings.Contains(err.Error(), "full") {
			t.Errorf("the error does not say that the disk is full: %v", err)
		}
		if all := values(t, s); all["a"] != int64(n) {
			t.Errorf("%d units there, %d acknowledged", all["a"], n)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		update(t, s, big(n))
		wholePairs(t, s, nil)
	})
}
