package attach

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
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
//	client: HMAC("client", …, about), 2 bytes with the length of about, about
//	server: accepted
//
// What a client says about itself is JSON ([Client]).
//
// The file system permissions of a socket would keep other users out. A sandboxed
// program of the same user could still connect: Landlock does not restrict Unix
// sockets. It cannot read the secret.
const (
	greeting    = "gongu 2\n"
	accepted    = 1
	secretBytes = 32
	nonceBytes  = 32
	// handshakeTime bounds a handshake; both ends are on one machine.
	handshakeTime = 3 * time.Second
	secretName    = "attach.key"
	// maxAbout bounds what a client says about itself.
	maxAbout = 1024
)

// Client is what a client on stdio says about itself.
type Client struct {
	// ID names the entry that gongu connect wrote for it; empty is none.
	ID string `json:"id,omitempty"`
	// Permission is the mode that its command line asks for.
	Permission string `json:"permission,omitempty"`
	// Started means that the client descends from a program that gongu started.
	Started bool `json:"started,omitempty"`
}

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

func (i *identity) proof(role string, client, server, about []byte) []byte {
	mac := hmac.New(sha256.New, i.secret)
	for _, part := range [][]byte{[]byte(role), []byte(i.address), []byte(i.instance), client, server, about} {
		fmt.Fprintf(mac, "%d:", len(part))
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// prove is the client's side of the handshake.
func (i *identity) prove(conn net.Conn, c Client) error {
	about, err := json.Marshal(c)
	if err != nil || len(about) > maxAbout {
		return fmt.Errorf("what the client says about itself is longer than %d bytes", maxAbout)
	}
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
	if !hmac.Equal(proof, i.proof("server", mine, theirs, nil)) {
		return errNotProven
	}
	last := binary.BigEndian.AppendUint16(i.proof("client", mine, theirs, about), uint16(len(about)))
	if _, err := conn.Write(append(last, about...)); err != nil {
		return err
	}
	verdict := make([]byte, 1)
	if _, err := io.ReadFull(conn, verdict); err != nil || verdict[0] != accepted {
		return errors.Join(errNotProven, err)
	}
	return conn.SetDeadline(time.Time{})
}

// verify is the server's side of the handshake.
func (i *identity) verify(conn net.Conn) (Client, error) {
	var c Client
	if err := conn.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return c, err
	}
	hello := make([]byte, len(greeting)+nonceBytes)
	if _, err := io.ReadFull(conn, hello); err != nil {
		return c, err
	}
	if string(hello[:len(greeting)]) != greeting {
		return c, errNotProven
	}
	theirs, mine := hello[len(greeting):], make([]byte, nonceBytes)
	_, _ = rand.Read(mine) // never fails
	if _, err := conn.Write(append(mine, i.proof("server", theirs, mine, nil)...)); err != nil {
		return c, err
	}
	proof, about, err := readProof(conn)
	if err != nil {
		return c, err
	}
	if !hmac.Equal(proof, i.proof("client", theirs, mine, about)) || json.Unmarshal(about, &c) != nil {
		return c, errNotProven
	}
	if _, err := conn.Write([]byte{accepted}); err != nil {
		return c, err
	}
	return c, conn.SetDeadline(time.Time{})
}

// readProof reads the client's proof and what it says about itself.
func readProof(conn net.Conn) (proof, about []byte, err error) {
	head := make([]byte, sha256.Size+2)
	if _, err := io.ReadFull(conn, head); err != nil {
		return nil, nil, err
	}
	size := int(binary.BigEndian.Uint16(head[sha256.Size:]))
	if size > maxAbout {
		return nil, nil, errNotProven
	}
	about = make([]byte, size)
	_, err = io.ReadFull(conn, about)
	return head[:sha256.Size], about, err
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
