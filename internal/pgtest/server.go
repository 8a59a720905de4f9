//go:build unix

package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// admin is the superuser; it only makes databases. owner is the role of the
	// URLs: gongu must work without the rights of a superuser.
	admin, owner = "postgres", "gongu"
	// longest bounds a start or a stop on a very busy machine.
	longest = 2 * time.Minute
)

// settings suit short tests. fsync matters when the machine loses power and not
// when a process is killed: what was committed is in the operating system then,
// because synchronous_commit is on. The time zone is unusual on purpose, so that
// a statement that depends on it is found.
var settings = []string{
	"listen_addresses=", "unix_socket_permissions=0700", "fsync=off", "synchronous_commit=on", "full_page_writes=off",
	"shared_buffers=16MB", "max_connections=200", "max_wal_size=64MB", "log_min_messages=warning", "timezone=Asia/Kathmandu",
}

// sharedServer starts the server that the tests of a program share. The process
// beside the program ends it (see watch).
var sharedServer = sync.OnceValues(func() (*Server, error) { return New() })

// Server is a PostgreSQL server with its own folder. It listens on a Unix socket
// in that folder.
type Server struct {
	programs, dir, password string
	settings                []string
	// as is the user that the server runs as; nil is the current one.
	as *syscall.Credential
	// alive ends the watching shell when it is closed, and tells it the process.
	alive   *os.File
	watcher int

	mu        sync.Mutex
	pid       int
	databases int
}

// URL returns the URL of an empty database that is dropped after the test.
// Without PostgreSQL the test fails; with -short it is skipped.
func URL(tb testing.TB) string {
	tb.Helper()
	skipShort(tb)
	s, err := sharedServer()
	if err != nil {
		tb.Fatal(err)
	}
	name, err := s.createDatabase()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			tb.Error(err)
		}
	})
	return s.url(owner, name)
}

func skipShort(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("needs a PostgreSQL server; make test runs it") //rules:skip make check needs nothing that must be installed
	}
}

// Start starts a server for one test, which may restart and kill it.
func Start(tb testing.TB) *Server {
	tb.Helper()
	skipShort(tb)
	s, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// URL returns the URL of a new, empty database.
func (s *Server) URL(tb testing.TB) string {
	tb.Helper()
	url, err := s.Database()
	if err != nil {
		tb.Fatal(err)
	}
	return url
}

// Database makes an empty database and returns its URL.
func (s *Server) Database() (url string, err error) {
	name, err := s.createDatabase()
	return s.url(owner, name), err
}

// Restart stops the server as a system does at its end (connections are closed,
// transactions rolled back) and starts it again.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.end(syscall.SIGINT)
	s.Start(tb)
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Start starts the server again after Kill and returns when it accepts
// connections.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	if err := s.start(); err != nil {
		tb.Fatal(err)
	}
}

// Exec runs a statement as superuser, such as one that ends other sessions.
func (s *Server) Exec(tb testing.TB, statement string) {
	tb.Helper()
	if err := s.exec(statement); err != nil {
		tb.Fatal(err)
	}
}

// New starts a server outside of a test, with more settings such as "fsync=on".
// [ErrNotInstalled] means that this machine has no PostgreSQL.
func New(more ...string) (*Server, error) {
	programs, err := findPrograms()
	if err != nil {
		return nil, err
	}
	s := &Server{programs: programs, password: rand.Text(), settings: append(slices.Clone(settings), more...)}
	if s.as, err = unprivileged(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "gongu-pg-"); err != nil {
		return nil, err
	}
	if err := s.watch(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := s.initialize(); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.start(); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.exec("CREATE ROLE " + owner + " LOGIN PASSWORD '" + s.password + "'"); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// unprivileged is the user for the server, which refuses to run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody; run the tests as another user")
}

// watching is the program of the shell that outlives the test program. It reads
// the process id of the server, a line for each start, until the test program
// ends; then it ends the server and removes the folder. SIGQUIT makes PostgreSQL
// end at once and free its shared memory.
const watching = `trap '' INT TERM HUP QUIT
pid=
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
	kill -QUIT "$pid" 2>/dev/null
	n=0
	while kill -0 "$pid" 2>/dev/null && [ $n -lt 50 ]; do sleep 0.1; n=$((n+1)); done
	kill -KILL "$pid" 2>/dev/null
fi
n=0
until rm -rf "$1" 2>/dev/null || [ $n -gt 20 ]; do sleep 0.2; n=$((n+1)); done`

func (s *Server) watch() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // the shell has its own
	cmd := exec.Command("/bin/sh", "-c", watching, "sh", s.dir)
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, w.Close())
	}
	s.alive, s.watcher = w, cmd.Process.Pid
	return cmd.Process.Release()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }
func (s *Server) log() string  { return filepath.Join(s.dir, "log") }

// command is a program of PostgreSQL, run as the user of the server.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.programs, name), args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "HOME=" + s.dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	return cmd
}

// initialize makes the files of the server. Its default collation is that of a
// language where the version and the build have one: a key column without its
// own collation sorts differently then, and a test can find it.
func (s *Server) initialize() error {
	password := filepath.Join(s.dir, "password")
	if err := os.WriteFile(password, []byte(s.password), 0o600); err != nil {
		return err
	}
	if s.as != nil {
		for _, path := range []string{s.dir, password} {
			if err := os.Chown(path, int(s.as.Uid), int(s.as.Gid)); err != nil {
				return err
			}
		}
	}
	common := []string{"-D", s.data(), "-U", admin, "-E", "UTF8", "--no-sync", "--auth=scram-sha-256", "--pwfile=" + password}
	var problem error
	for _, locale := range [][]string{{"--locale=C", "--locale-provider=icu", "--icu-locale=en-US"}, {"--locale=C"}} {
		out, err := s.command("initdb", append(common, locale...)...).CombinedOutput()
		if err == nil {
			return nil
		}
		problem = fmt.Errorf("initdb in %s: %w\n%s", s.dir, err, out)
	}
	return problem
}

// start starts the server and returns when it accepts connections. The processes
// of a killed server need a moment to end; until then a new one refuses to start.
func (s *Server) start() error {
	for until := time.Now().Add(longest); ; time.Sleep(20 * time.Millisecond) {
		said, err := s.startOnce()
		if err == nil {
			return nil
		}
		if !strings.Contains(said, "shared memory block") || time.Now().After(until) {
			return fmt.Errorf("start PostgreSQL from %s: %w\n%s", s.programs, err, said)
		}
	}
}

func (s *Server) startOnce() (said string, err error) {
	log, err := os.Create(s.log())
	if err != nil {
		return "", err
	}
	defer func() { _ = log.Close() }() // the server has its own
	args := []string{"-D", s.data(), "-k", s.dir}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	cmd := s.command("postgres", args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return "", err
	}
	s.setProcess(cmd.Process.Pid)
	// Its end is awaited by end and ready: a goroutine that waits would look like
	// a leak to tests that count them.
	if err := cmd.Process.Release(); err != nil {
		return "", err
	}
	if err := s.ready(); err != nil {
		text, _ := os.ReadFile(s.log()) // the error is told without it as well
		return string(text), err
	}
	return "", nil
}

func (s *Server) setProcess(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pid = pid
	line := ""
	if pid != 0 {
		line = strconv.Itoa(pid)
	}
	// Without the shell the server is still ended by Cleanup.
	_, _ = s.alive.WriteString(line + "\n")
}

func (s *Server) process() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pid
}

// ready waits until the server accepts connections.
func (s *Server) ready() error {
	var err error
	for until := time.Now().Add(longest); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if exited(s.process(), syscall.WNOHANG) {
			s.setProcess(0)
			return errors.New("it ended")
		}
		if err = s.exec("SELECT 1"); err == nil {
			return nil
		}
	}
	return errors.Join(fmt.Errorf("it accepts no connection after %s: %w", longest, err), s.stopped(syscall.SIGKILL))
}

// end sends a signal to the server and waits for its end.
func (s *Server) end(sig syscall.Signal) { _ = s.stopped(sig) }

func (s *Server) stopped(sig syscall.Signal) error {
	pid := s.process()
	if pid == 0 {
		return nil
	}
	err := syscall.Kill(pid, sig)
	for until := time.Now().Add(longest); !exited(pid, syscall.WNOHANG); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			err = errors.Join(err, syscall.Kill(pid, syscall.SIGKILL))
			exited(pid, 0)
			break
		}
	}
	s.setProcess(0)
	return err
}

// exited reports whether a child process has ended, and forgets it then.
func exited(pid, options int) bool {
	for {
		got, err := syscall.Wait4(pid, nil, options, nil)
		if !errors.Is(err, syscall.EINTR) {
			return err != nil || got == pid
		}
	}
}

// Close ends the server and removes its folder.
func (s *Server) Close() {
	s.end(syscall.SIGQUIT)
	_ = s.alive.Close() // the shell removes the folder
	exited(s.watcher, 0)
}

func (s *Server) createDatabase() (string, error) {
	s.mu.Lock()
	s.databases++
	name := "test" + strconv.Itoa(s.databases)
	s.mu.Unlock()
	return name, s.exec("CREATE DATABASE " + name + " OWNER " + owner)
}

func (s *Server) exec(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.url(admin, "postgres"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

func (s *Server) url(role, database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, s.password), Path: "/" + database,
		RawQuery: url.Values{"host": {s.dir}, "sslmode": {"disable"}}.Encode(),
	}
	return u.String()
}
