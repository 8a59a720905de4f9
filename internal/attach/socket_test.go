//go:build !windows

package attach

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// listen opens a socket in a state root of the test's own.
func listen(t *testing.T, root, instance string) *Socket {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", shortDir(t))
	s, err := Listen(t.Context(), root, Record{PID: os.Getpid(), URL: "http://127.0.0.1:1/mcp", Instance: instance})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// shortDir is a folder whose path leaves room for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "g")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// answer serves "hello" on a socket until it is closed.
func answer(s *Socket) {
	_ = http.Serve(s, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
}

func stateRoot(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "state")
	if err := fsx.PrivateDir(root); err != nil {
		t.Fatal(err)
	}
	return root
}

// K11: a server is found by its record while it runs, with one record for each,
// the newest first.
func TestK11_FindRunningServers(t *testing.T) {
	root := stateRoot(t)
	if _, ok := Find(t.Context(), root); ok {
		t.Error("found a server where none ran")
	}
	first, second := listen(t, root, "first"), listen(t, root, "second")
	go answer(first)
	go answer(second)
	names := func() (all []string) {
		for _, s := range Servers(t.Context(), root) {
			all = append(all, s.Instance)
		}
		return all
	}
	if got := names(); len(got) != 2 || got[0] != "second" {
		t.Errorf("running: %v", got)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if got := names(); len(got) != 1 || got[0] != "first" {
		t.Errorf("running: %v", got)
	}
}

// K11: what a killed server left is removed by the first that looks.
func TestK11_KilledServerIsSweptAway(t *testing.T) {
	root := stateRoot(t)
	s := listen(t, root, "killed")
	if socket, ok := s.listener.(*net.UnixListener); ok {
		socket.SetUnlinkOnClose(false) // as a kill leaves it
	}
	if err := s.listener.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(s.record.Address); err != nil {
		t.Fatal(err)
	}
	if found := Servers(t.Context(), root); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	for _, path := range []string{s.file, filepath.Dir(s.record.Address)} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

// attack 7, K11: a program at the address of a server that does not know the secret
// is not spoken to, and gets neither the secret nor a proof to pass on.
func TestAttack7_SquatterLearnsNothing(t *testing.T) {
	root := stateRoot(t)
	s := listen(t, root, "killed")
	secret := s.identity.secret
	if err := s.listener.Close(); err != nil {
		t.Fatal(err)
	}
	squatter, err := net.Listen("unix", s.record.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer squatter.Close()
	heard := make(chan []byte, 2)
	go func() {
		for {
			conn, err := squatter.Accept()
			if err != nil {
				return
			}
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			hello := make([]byte, len(greeting)+nonceBytes)
			_, _ = io.ReadFull(conn, hello)
			_, _ = conn.Write(make([]byte, nonceBytes+32)) // a guess
			rest, _ := io.ReadAll(conn)
			_ = conn.Close()
			heard <- append(hello, rest...)
		}
	}()
	server := &Server{Record: s.record, identity: s.identity}
	if _, err := server.dial(t.Context()); !errors.Is(err, errNotProven) {
		t.Errorf("a squatter was accepted: %v", err)
	}
	got := <-heard
	if len(got) != len(greeting)+nonceBytes || bytes.Contains(got, secret) {
		t.Errorf("the squatter heard %d bytes: %q", len(got), got)
	}
	// It listens, so its record is not taken for that of a killed server.
	if found := Servers(t.Context(), root); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// K11: a program at an old address cannot pass the challenge on to a live server:
// the proof covers the address and the name.
func TestK11_ProofIsBoundToTheAddress(t *testing.T) {
	root := stateRoot(t)
	live := listen(t, root, "live")
	go answer(live)
	relay, err := net.Listen("unix", filepath.Join(shortDir(t), "r"))
	if err != nil {
		t.Fatal(err)
	}
	defer relay.Close()
	go func() {
		for {
			conn, err := relay.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", live.record.Address)
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(to, conn); _ = to.Close() }()
			go func() { _, _ = io.Copy(conn, to); _ = conn.Close() }()
		}
	}()
	moved := live.record
	moved.Address = relay.Addr().String()
	for _, instance := range []string{"live", "dead"} {
		moved.Instance = instance
		server := &Server{Record: moved, identity: identity{live.identity.secret, moved.Address, instance}}
		if conn, err := server.dial(t.Context()); err == nil {
			_ = conn.Close()
			t.Errorf("%s: the challenge was passed on", instance)
		}
	}
}

// K11: who does not know the secret reaches no handler, whatever it says, and holds
// nobody else up.
func TestK11_StrangerReachesNothing(t *testing.T) {
	root := stateRoot(t)
	s := listen(t, root, "one")
	go answer(s)
	say := func(text []byte) []byte {
		conn, err := net.Dial("unix", s.record.Address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = conn.Write(text)
		got, _ := io.ReadAll(conn)
		return got
	}
	guess := make([]byte, nonceBytes+32)
	_, _ = rand.Read(guess)
	guess = append(guess, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"...)
	for name, text := range map[string][]byte{
		"http": []byte("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n" + strings.Repeat(" ", 64)), "a guess": append([]byte(greeting), guess...),
	} {
		if got := say(text); len(got) > nonceBytes+32 || bytes.Contains(got, s.identity.secret) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for range maxHandshakes - 1 { // they say nothing
		conn, err := net.Dial("unix", s.record.Address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	waiting := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.pending)
	}
	for deadline := time.Now().Add(10 * time.Second); waiting() < maxHandshakes-1 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	if _, ok := Find(t.Context(), root); !ok || time.Since(began) > handshakeTime/2 {
		t.Errorf("found %v after %s", ok, time.Since(began))
	}
	// No more than a bounded number wait.
	for range maxHandshakes {
		conn, err := net.Dial("unix", s.record.Address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	time.Sleep(50 * time.Millisecond) // for the last of them to be accepted
	if n := waiting(); n > maxHandshakes {
		t.Errorf("%d handshakes wait", n)
	}
	// A socket that ends does not wait for them.
	began = time.Now()
	if err := s.Close(); err != nil || time.Since(began) > handshakeTime/2 {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}

// K11: where there are no Unix sockets, the same challenge is made over loopback.
func TestK11_HandshakeOverLoopback(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	id := identity{bytes.Repeat([]byte{7}, secretBytes), l.Addr().String(), "x"}
	for _, tc := range []struct {
		name   string
		client identity
		want   bool
	}{
		{"the same", id, true},
		{"another secret", identity{bytes.Repeat([]byte{8}, secretBytes), id.address, "x"}, false},
		{"another address", identity{id.secret, "127.0.0.1:1", "x"}, false},
		{"another server", identity{id.secret, id.address, "y"}, false},
	} {
		ended := make(chan error, 1)
		go func() {
			conn, err := l.Accept()
			if err == nil {
				defer conn.Close()
				var said Client
				_, peer := checkPeer(conn)
				said, err = id.verify(conn)
				if err == nil && said.ID != "mine" {
					err = fmt.Errorf("the client is %+v", said)
				}
				err = errors.Join(peer, err)
			}
			ended <- err
		}()
		conn, err := net.Dial("tcp", id.address)
		if err != nil {
			t.Fatal(err)
		}
		err = tc.client.prove(conn, Client{ID: "mine"})
		_ = conn.Close()
		if there := <-ended; (err == nil) != tc.want || (there == nil) != tc.want {
			t.Errorf("%s: client %v, server %v", tc.name, err, there)
		}
	}
}

// K11: a path that is too long for a socket, and a variable that names no folder,
// are passed over; without any place the error says what to do.
func TestK11_SocketPlaces(t *testing.T) {
	long := filepath.Join(shortDir(t), strings.Repeat("x", 100))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	short := shortDir(t)
	l, err := listenUnix([]string{"", "relative", long, filepath.Join(short, "missing"), short})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	path := l.Addr().String()
	if filepath.Dir(filepath.Dir(path)) != short || !isSocketFolder(filepath.Base(filepath.Dir(path))) || len(path) > maxSocketPath {
		t.Errorf("listens at %s", path)
	}
	for at, want := range map[string]fs.FileMode{filepath.Dir(path): 0o700, path: 0o600} {
		if info, err := os.Lstat(at); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", at, info.Mode(), err)
		}
	}
	if _, err := listenUnix([]string{long}); err == nil || !strings.Contains(err.Error(), "XDG_RUNTIME_DIR") || !strings.Contains(err.Error(), "103 bytes") {
		t.Errorf("%v", err)
	}
}

// K11: a secret that others could have read, or that is not whole, is not used; a
// server replaces it.
func TestK11_BadSecret(t *testing.T) {
	root := stateRoot(t)
	file := filepath.Join(root, secretName)
	for name, prepare := range map[string]func() error{
		"open": func() error {
			return errors.Join(os.WriteFile(file, make([]byte, secretBytes), 0o600), os.Chmod(file, 0o640))
		},
		"torn": func() error { return os.WriteFile(file, []byte("short"), 0o600) },
		"link": func() error { return os.Symlink("/dev/zero", file) },
	} {
		if err := errors.Join(os.RemoveAll(file), prepare()); err != nil {
			t.Fatal(err)
		}
		if _, err := readSecret(root); err == nil {
			t.Errorf("%s: accepted", name)
		}
		made, err := makeSecret(root)
		if err != nil || bytes.Equal(made, make([]byte, secretBytes)) {
			t.Errorf("%s: %v", name, err)
		}
		if again, err := readSecret(root); err != nil || !bytes.Equal(made, again) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A client that goes away does not wait for a server that says nothing.
func TestK11_DialEndsWithItsContext(t *testing.T) {
	dir := filepath.Join(shortDir(t), "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	silent, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	server := &Server{Record: Record{Network: localNetwork, Address: silent.Addr().String()}, identity: identity{}}
	if _, err := server.dial(ctx); err == nil || time.Since(began) > handshakeTime/2 {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}
