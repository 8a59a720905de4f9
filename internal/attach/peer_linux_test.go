package attach

import (
	"encoding/hex"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gongu-ai/gongu/internal/secondid"
	"time"
)

// stranger is the user id of another user in these tests.
const stranger = 65534

// asStranger runs one test of this program as another user.
func asStranger(t *testing.T, test string, env ...string) string {
	t.Helper()
	dir := shortDir(t)
	program := filepath.Join(dir, "test") // where everybody can read it
	raw, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, raw, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^"+test+"$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestStranger is run as another user by TestK11_OtherUsersAreRefused.
func TestStranger(t *testing.T) {
	address := os.Getenv("STRANGER_ADDRESS")
	if address == "" {
		return // a part of another test
	}
	secret, err := hex.DecodeString(os.Getenv("STRANGER_SECRET"))
	if err != nil {
		t.Fatal(err)
	}
	id := identity{secret, address, os.Getenv("STRANGER_INSTANCE")}
	if os.Getenv("STRANGER_LISTENS") != "" {
		l, err := net.Listen("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, err = id.verify(conn)
		t.Logf("RESULT verified: %v", err)
		return
	}
	conn, err := net.Dial("unix", address)
	if err != nil {
		t.Logf("RESULT dial: %v", err)
		return
	}
	defer conn.Close()
	t.Logf("RESULT proof: %v", id.prove(conn, Client{}))
}

// K11: the process of another user cannot connect, and where it can, it is refused
// by its user id though it knows the secret.
func TestK11_OtherUsersAreRefused(t *testing.T) {
	if !secondid.Here(t) {
		return
	}
	root := stateRoot(t)
	s := listen(t, root, "one")
	go answer(s)
	env := []string{
		"STRANGER_ADDRESS=" + s.record.Address, "STRANGER_INSTANCE=one", "STRANGER_SECRET=" + hex.EncodeToString(s.identity.secret),
	}
	dir := filepath.Dir(s.record.Address)
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := asStranger(t, "TestStranger", env...); !strings.Contains(out, "RESULT dial: ") || !strings.Contains(out, "permission denied") {
		t.Errorf("another user connected: %s", out)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o755, s.record.Address: 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if out := asStranger(t, "TestStranger", env...); !strings.Contains(out, "RESULT proof: ") || strings.Contains(out, "RESULT proof: <nil>") {
		t.Errorf("another user was accepted: %s", out)
	}
	if _, ok := Find(t.Context(), root); !ok {
		t.Error("the user is refused, too")
	}
}

// K11: a client hangs up on a server of another user, though the socket looks like
// its own and the server knows the secret.
func TestK11_ServerOfAnotherUserIsRefused(t *testing.T) {
	if !secondid.Here(t) {
		return
	}
	dir := filepath.Join(shortDir(t), "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	address, secret := filepath.Join(dir, "s"), make([]byte, secretBytes)
	dialed := make(chan error, 1)
	if os.Geteuid() == 0 {
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, stranger, stranger); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		for range 2000 {
			if _, err := os.Lstat(address); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		err := errors.Join(os.Chown(dir, 0, 0), os.Chown(address, 0, 0))
		if err == nil {
			server := &Server{Record: Record{Network: "unix", Address: address, Instance: "x"}, identity: identity{secret, address, "x"}}
			_, err = server.dial(t.Context())
		}
		dialed <- err
	}()
	out := asStranger(t, "TestStranger", "STRANGER_LISTENS=1", "STRANGER_ADDRESS="+address, "STRANGER_INSTANCE=x", "STRANGER_SECRET="+hex.EncodeToString(secret))
	if err := <-dialed; err == nil || !strings.Contains(err.Error(), "belongs to user 65534") || strings.Contains(out, "verified: <nil>") {
		t.Errorf("%v: %s", err, out)
	}
}

// K11: a client does not speak to a socket of another user.
func TestK11_ForeignSocketIsRefused(t *testing.T) {
	if !secondid.Here(t) {
		return
	}
	for _, part := range []string{"folder", "socket"} {
		root := stateRoot(t)
		s := listen(t, root, "one")
		go answer(s)
		path := s.record.Address
		if part == "folder" {
			path = filepath.Dir(path)
		}
		if err := os.Chown(path, stranger, stranger); err != nil {
			t.Fatal(err)
		}
		if found := Servers(t.Context(), root); len(found) != 0 {
			t.Errorf("%s: %+v", part, found)
		}
	}
}
