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
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/pgtest"
)

// hostMode chooses what the test program does as a second host, and hostURL is
// its store.
const (
	hostMode = "GONGU_STATE_HOST"
	hostURL  = "GONGU_STATE_HOST_URL"
)

// TestHostProcess is the program of a second host. Without the variable it does
// nothing.
func TestHostProcess(t *testing.T) {
	mode, name, _ := strings.Cut(os.Getenv(hostMode), " ")
	if mode == "" {
		return
	}
	if mode == "readonly" {
		readOnlyHost(t)
		return
	}
	s := withTable(t, openAt(t, os.Getenv(hostURL), &Options{Host: name, Lease: 2 * time.Second, Renew: 400 * time.Millisecond, Stale: 1300 * time.Millisecond}))
	told := bufio.NewReader(os.Stdin)
	switch mode {
	case "write":
		// Each row that is told was acknowledged.
		for i := 0; ; i++ {
			id := fmt.Sprintf("row %s %d", name, i)
			err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
				if err := add("a")(ctx, tx); err != nil {
					return err
				}
				if err := insert(id, i)(ctx, tx); err != nil {
					return err
				}
				return add("b")(ctx, tx)
			})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(id)
		}
	case "inside":
		runs := 0
		err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			if err := add("n")(ctx, tx); err != nil {
				return err
			}
			if runs++; runs == 1 {
				fmt.Println("inside")
				if _, err := told.ReadString('\n'); err != nil {
					return err
				}
			}
			return add("n")(ctx, tx)
		})
		fmt.Println("runs", runs, err)
	case "own":
		l := lease(t, s)
		fmt.Println(l.Token())
		for {
			err := s.UpdateOwned(t.Context(), l, add("n"))
			if errors.Is(err, ErrLeaseLost) {
				fmt.Println("lost")
				return
			}
			if err != nil && !errors.Is(err, ErrUnavailable) {
				t.Fatal(err)
			}
			fmt.Println("wrote")
		}
	default:
		sqliteHost(t, s, mode, told)
	}
}

// hostProcess is a process that runs TestHostProcess.
type hostProcess struct {
	cmd   *exec.Cmd
	in    io.Writer
	lines chan string
}

func startHost(t *testing.T, mode, address string) *hostProcess {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHostProcess$")
	cmd.Env = append(os.Environ(), hostMode+"="+mode, hostURL+"="+address)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &hostProcess{cmd: cmd, in: in, lines: make(chan string, 1<<16)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(h.lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			h.lines <- scan.Text()
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-read
		_ = cmd.Wait() // killed
	})
	return h
}

// line returns the next line that the process told.
func (h *hostProcess) line(t *testing.T) string {
	t.Helper()
	select {
	case line, ok := <-h.lines:
		if !ok {
			t.Fatal("the host ended")
		}
		return line
	case <-time.After(longest):
		t.Fatal("the host tells nothing")
	}
	return ""
}

func (h *hostProcess) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := h.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// R5: processes on one store that are killed at any point while others go on:
// every row that was acknowledged is there, and the sums agree with the rows.
func TestR5_PostgresHostsAreKilled(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := withTable(t, openAt(t, address, nil))
	update(t, s, insert("a", 0))
	update(t, s, insert("b", 0))
	rnd := rand.New(rand.NewPCG(10, 7))
	acknowledged := map[string]bool{}
	var hosts [2]*hostProcess
	for kill := range times(6, 300) {
		for i := range hosts {
			if hosts[i] == nil {
				hosts[i] = startHost(t, fmt.Sprintf("write h%d-%d", kill, i), address)
			}
		}
		i := kill % 2
		for range 1 + rnd.IntN(20) {
			acknowledged[hosts[i].line(t)] = true
		}
		time.Sleep(time.Duration(rnd.IntN(3000)) * time.Microsecond) // any point of a transaction
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
	// The server notices the end of a killed client a moment later.
	e, ok := s.engine.(*postgresEngine)
	if !ok {
		t.Fatal("another engine")
	}
	eventually(t, "the sessions of the killed processes end", func() bool {
		n, err := queryInt(t.Context(), e.db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()")
		return err == nil && n == 0
	})
	all := values(t, s)
	for id := range acknowledged {
		if _, there := all[id]; strings.HasPrefix(id, "row ") && !there {
			t.Errorf("%s was acknowledged and is not there", id)
		}
	}
	if rows := int64(len(all) - 2); all["a"] != rows || all["b"] != rows || len(acknowledged) == 0 {
		t.Errorf("%d rows, sums %d and %d, %d acknowledged", rows, all["a"], all["b"], len(acknowledged))
	}
}

// R5: a process that is stopped inside a transaction keeps the others waiting for
// a bounded time only. What it had written is undone; when it goes on, its unit
// runs again.
func TestR5_PostgresStoppedInsideATransaction(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := withTable(t, openAt(t, address, nil))
	update(t, s, insert("n", 0))
	h := startHost(t, "inside h", address)
	if line := h.line(t); line != "inside" {
		t.Fatal(line)
	}
	h.signal(t, syscall.SIGSTOP)
	update(t, s, add("n")) // waits for the row until the server ends the other session
	if n := values(t, s)["n"]; n != 1 {
		t.Errorf("the row is %d while the other process is stopped, want 1", n)
	}
	h.signal(t, syscall.SIGCONT)
	if _, err := io.WriteString(h.in, "go on\n"); err != nil {
		t.Fatal(err)
	}
	if line := h.line(t); line != "runs 2 <nil>" {
		t.Errorf("the stopped process: %s", line)
	}
	if n := values(t, s)["n"]; n != 3 {
		t.Errorf("the row is %d, want 3: one by this process and two by the other", n)
	}
}

// R7: a host that is stopped past its lease, at any point, writes nothing after
// another one took over, although it goes on with what it was doing.
func TestR7_PostgresStoppedPastItsLease(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := withTable(t, openAt(t, address, nil))
	update(t, s, insert("n", 0))
	lease(t, s) // the lease of another host is no use to one that lost its own
	rnd := rand.New(rand.NewPCG(10, 8))
	for i := range times(2, 50) {
		h := startHost(t, fmt.Sprint("own h", i), address)
		token := h.line(t)
		for range 1 + rnd.IntN(5) {
			h.line(t)
		}
		time.Sleep(time.Duration(rnd.IntN(3000)) * time.Microsecond) // any point of a transaction
		h.signal(t, syscall.SIGSTOP)
		eventually(t, "the lease of a stopped host ends", func() bool { return fenced(t, s, token) })
		before := values(t, s)["n"]
		h.signal(t, syscall.SIGCONT)
		for line := h.line(t); line != "lost"; line = h.line(t) {
			if line != "wrote" {
				t.Fatal(line)
			}
		}
		if after := values(t, s)["n"]; after != before {
			t.Errorf("a host without its lease wrote %d times", after-before)
		}
	}
}
