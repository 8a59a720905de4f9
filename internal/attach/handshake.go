package attach

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/secret"
)

// K11: a client proves that it knows a secret, after the server has done so. The
// secret itself is never sent: each side answers a random challenge of the other
// with an HMAC. The HMAC covers the address and the name of the server as well, so
// that a program at an old address cannot pass the challenge on to a live server.
//
//	client: greeting, 32 random bytes
//	server: 32 random bytes, HMAC("server", …)
//	client: HMAC("client", …)
//	server: accepted
//
// The file system permissions of a socket would keep other users out. A sandboxed
// program of the same user could still connect: Landlock does not restrict Unix
// sockets. It cannot read the secret.
const (
	greeting    = "gongu 1\n"
	accepted    = 1
	secretBytes = 32
	nonceBytes  = 32
	// handshakeTime bounds a handshake; both ends are on one machine.
	handshakeTime = 3 * time.Second
	secretName    = "attach.key"
)

// keep remembers the secret as it is and in the forms in which it may be printed.
func (i *identity) keep(in *secret.Vault) {
	in.Remember(secretName, string(i.secret))
	in.Remember(secretName, hex.EncodeToString(i.secret))
	in.Remember(secretName, base64.StdEncoding.EncodeToString(i.secret)) // it may begin with a space, which a vault cuts
}

// errNotProven means that the other end does not know the secret.
var errNotProven = errors.New("the other end does not know the secret of this state root")

// identity is what both ends must agree on beside the secret.
type identity struct {
	secret            []byte
	address, instance string
}

func (i *identity) proof(role string, client, server []byte) []byte {
	mac := hmac.New(sha256.New, i.secret)
	for _, part := range [][]byte{[]byte(role), []byte(i.address), []byte(i.instance), client, server} {
		fmt.Fprintf(mac, "%d:", len(part))
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// prove is the client's side of the handshake.
func (i *identity) prove(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return err
	}
	mine := make([]byte, nonceBytes)
	_, _ = rand.Read(mine) // never fails
	if _, err := conn.Write(append([]byte(greeting), mine...)); err != nil {
		return err
	}
	answer := make([]byte, nonceBytes+sha256.Size)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	theirs, proof := answer[:nonceBytes], answer[nonceBytes:]
	if !hmac.Equal(proof, i.proof("server", mine, theirs)) {
		return errNotProven
	}
	if _, err := conn.Write(i.proof("client", mine, theirs)); err != nil {
		return err
	}
	verdict := make([]byte, 1)
	if _, err := io.ReadFull(conn, verdict); err != nil || verdict[0] != accepted {
		return errors.Join(errNotProven, err)
	}
	return conn.SetDeadline(time.Time{})
}

// verify is the server's side of the handshake.
func (i *identity) verify(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return err
	}
	hello := make([]byte, len(greeting)+nonceBytes)
	if _, err := io.ReadFull(conn, hello); err != nil {
		return err
	}
	if string(hello[:len(greeting)]) != greeting {
		return errNotProven
	}
	theirs, mine := hello[len(greeting):], make([]byte, nonceBytes)
	_, _ = rand.Read(mine) // never fails
	if _, err := conn.Write(append(mine, i.proof("server", theirs, mine)...)); err != nil {
		return err
	}
	proof := make([]byte, sha256.Size)
	if _, err := io.ReadFull(conn, proof); err != nil {
		return err
	}
	if !hmac.Equal(proof, i.proof("client", theirs, mine)) {
		return errNotProven
	}
	if _, err := conn.Write([]byte{accepted}); err != nil {
		return err
	}
	return conn.SetDeadline(time.Time{})
}

// readSecret reads the secret of a state root. A file that others can read, or that
// is not complete, is not a secret.
func readSecret(stateRoot string) ([]byte, error) {
	path := filepath.Join(stateRoot, secretName)
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || !fsx.Private(info) || info.Size() != secretBytes:
		return nil, fmt.Errorf("%s is not a secret of this user", path)
	}
	return os.ReadFile(path)
}

// makeSecret returns the secret of a state root, which the first server makes. The
// caller holds the lock of the records.
func makeSecret(stateRoot string) ([]byte, error) {
	if secret, err := readSecret(stateRoot); err == nil {
		return secret, nil
	}
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails
	err := fsx.ReplacePrivate(filepath.Join(stateRoot, secretName), secret)
	if err != nil && !errors.Is(err, fsx.ErrUnconfirmed) {
		return nil, err
	}
	return secret, nil
}
