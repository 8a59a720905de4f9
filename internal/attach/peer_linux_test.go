package attach

import (
	"encoding/hex"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stranger is the user id of another user in these tests.
const stranger = 65534

// asStranger runs one test of this program as another user.
func asStranger(t *testing.T, test string, env ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user") //rules:skip a second user id takes root
	}
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
	conn, err := net.Dial("unix", address)
	if err != nil {
		t.Logf("RESULT dial: %v", err)
		return
	}
	defer conn.Close()
	secret, err := hex.DecodeString(os.Getenv("STRANGER_SECRET"))
	if err != nil {
		t.Fatal(err)
	}
	id := identity{secret, address, os.Getenv("STRANGER_INSTANCE")}
	t.Logf("RESULT proof: %v", id.prove(conn))
}

// K11: the process of another user cannot connect, and where it can, it is refused
// by its user id though it knows the secret.
func TestK11_OtherUsersAreRefused(t *testing.T) {
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

// K11: a client does not speak to a socket of another user.
func TestK11_ForeignSocketIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away") //rules:skip a second user id takes root
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
