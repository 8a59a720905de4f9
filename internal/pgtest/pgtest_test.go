//go:build unix

package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

// asChild makes the test program start the shared server, print its process and
// folder, and wait to be killed.
const asChild = "GONGU_PGTEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) != "" {
		s, err := sharedServer()
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.process(), s.dir)
		select {}
	}
	goleak.VerifyTestMain(m)
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // many tests lose it on purpose
	return conn
}

func value(t *testing.T, conn *pgx.Conn, query string) string {
	t.Helper()
	var text string
	if err := conn.QueryRow(t.Context(), query).Scan(&text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return text
}

// Each test has an empty database, as a role that is not a superuser, in a
// session whose time zone and collation are not what a statement might expect.
func TestURL(t *testing.T) {
	first, second := URL(t), URL(t)
	if first == second {
		t.Fatal("two tests share a database")
	}
	a, b := connect(t, first), connect(t, second)
	if _, err := a.Exec(t.Context(), "CREATE TABLE x (y int)"); err != nil {
		t.Fatal(err)
	}
	if n := value(t, b, "SELECT count(*)::text FROM pg_tables WHERE schemaname = 'public'"); n != "0" {
		t.Errorf("the second database has %s tables", n)
	}
	if on := value(t, a, "SELECT usesuper::text FROM pg_user WHERE usename = current_user"); on != "false" {
		t.Error("the tests run as superuser")
	}
	if zone := value(t, a, "SHOW timezone"); zone != "Asia/Kathmandu" {
		t.Errorf("time zone %s", zone)
	}
}

func TestDatabasesAreDropped(t *testing.T) {
	skipShort(t)
	var name string
	t.Run("uses one", func(t *testing.T) {
		name = value(t, connect(t, URL(t)), "SELECT current_database()::text")
	})
	s, err := sharedServer()
	if err != nil {
		t.Fatal(err)
	}
	conn := connect(t, s.url(admin, "postgres"))
	if n := value(t, conn, "SELECT count(*)::text FROM pg_database WHERE datname = '"+name+"'"); n != "0" {
		t.Errorf("%s is still there", name)
	}
}

// What was committed is there after a restart and after SIGKILL.
func TestServerRestartAndKill(t *testing.T) {
	s := Start(t)
	url := s.URL(t)
	conn := connect(t, url)
	if _, err := conn.Exec(t.Context(), "CREATE TABLE x AS SELECT 'kept' AS y"); err != nil {
		t.Fatal(err)
	}
	s.Restart(t)
	if _, err := conn.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("a connection outlived a restart")
	}
	conn = connect(t, url)
	if _, err := conn.Exec(t.Context(), "UPDATE x SET y = 'changed'"); err != nil {
		t.Fatal(err)
	}
	s.Kill()
	if _, err := pgx.Connect(t.Context(), url); err == nil {
		t.Error("a killed server accepts connections")
	}
	s.Start(t)
	if got := value(t, connect(t, url), "SELECT y FROM x"); got != "changed" {
		t.Errorf("after SIGKILL: %s", got)
	}
}

// A killed test program leaves neither a process nor files.
func TestNothingIsLeftOfAKilledProgram(t *testing.T) {
	skipShort(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asChild+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = cmd.Process.Kill() // it waits for this
	_ = cmd.Wait()         // killed
	pid, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
	process, bad := strconv.Atoi(pid)
	if err != nil || !ok || bad != nil {
		t.Fatalf("the child printed %q: %v", line, err)
	}
	for until := time.Now().Add(longest); ; time.Sleep(10 * time.Millisecond) {
		_, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && ended(process) {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("process %d ended: %v, folder %s: %v", process, ended(process), dir, err)
		}
	}
}

// ended also accepts a process that no parent has collected, as in a container
// whose first process does not.
func ended(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && strings.Contains(string(status), "State:\tZ")
}

func TestProxy(t *testing.T) {
	p := NewProxy(t, URL(t))
	conn := connect(t, p.URL())
	if got := value(t, conn, "SELECT 'through'"); got != "through" {
		t.Fatal(got)
	}
	if n := p.Cut(); n != 1 {
		t.Errorf("%d connections were cut, want 1", n)
	}
	if _, err := conn.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("a connection that was cut works")
	}
	p.Refuse(true)
	if _, err := pgx.Connect(t.Context(), p.URL()); err == nil {
		t.Error("a proxy that refuses connects")
	}
	p.Refuse(false)
	if got := value(t, connect(t, p.URL()), "SELECT 'again'"); got != "again" {
		t.Error(got)
	}
}

// Replies that are held and then lost leave the client without the answer to a
// statement that was executed.
func TestProxyLosesReplies(t *testing.T) {
	url := URL(t)
	p := NewProxy(t, url)
	conn, direct := connect(t, p.URL()), connect(t, url)
	if _, err := direct.Exec(t.Context(), "CREATE TABLE x (y int)"); err != nil {
		t.Fatal(err)
	}
	p.HoldReplies()
	failed := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "INSERT INTO x VALUES (1)")
		failed <- err
	}()
	for until := time.Now().Add(longest); value(t, direct, "SELECT count(*)::text FROM x") != "1"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the statement was not executed")
		}
	}
	select {
	case err := <-failed:
		t.Fatalf("answered although replies are held: %v", err)
	default:
	}
	p.Cut()
	if err := <-failed; err == nil {
		t.Error("the lost answer arrived")
	}
	p.Release()
}

func TestProxyHolds(t *testing.T) {
	p := NewProxy(t, URL(t))
	conn := connect(t, p.URL())
	p.Hold()
	answered := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "SELECT 1")
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatalf("answered through a held proxy: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	p.Release()
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// The programs are found where packages install them, the newest first, and
// their absence names the command that installs them.
func TestSearchPlaces(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"9/bin/postgres", "9/bin/initdb", "17/bin/postgres", "17/bin/initdb", "15/bin/postgres", "15/bin/initdb", "18/bin/postgres"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got, err := searchPlaces(dir + "/none\n" + dir + "/*/bin\n")
	if want := filepath.Join(dir, "17", "bin"); err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if _, err := searchPlaces(dir + "/none\n"); err == nil || !strings.Contains(err.Error(), "apt-get install -y postgresql") {
		t.Errorf("without PostgreSQL: %v", err)
	}
}
