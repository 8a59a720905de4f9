package attach

import (
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"testing"
)

// K11: a server speaks to programs that know the protocol alone, also where they
// know the secret; and a client wants to be told that it was accepted.
func TestK11_GreetingAndVerdict(t *testing.T) {
	id := identity{make([]byte, secretBytes), "address", "one"}
	client, server := net.Pipe()
	result := make(chan error, 1)
	go func() { _, err := id.verify(server); result <- err }()
	hello := make([]byte, len(greeting)+nonceBytes)
	if _, err := client.Write(hello); err != nil {
		t.Fatal(err)
	}
	go func() {
		// As a client that knows the secret would go on.
		answer := make([]byte, nonceBytes+sha256.Size)
		if _, err := io.ReadFull(client, answer); err == nil {
			_, _ = client.Write(append(id.proof("client", hello[len(greeting):], answer[:nonceBytes], []byte("{}")), 0, 2, '{', '}'))
			_, _ = io.ReadFull(client, make([]byte, 1))
		}
	}()
	if err := <-result; !errors.Is(err, errNotProven) {
		t.Errorf("another greeting: %v", err)
	}
	_ = client.Close()

	dialer, listener := net.Pipe()
	defer dialer.Close()
	go func() { result <- id.prove(dialer, Client{}) }()
	real := make([]byte, len(greeting)+nonceBytes)
	if _, err := io.ReadFull(listener, real); err != nil {
		t.Fatal(err)
	}
	theirs := real[len(greeting):]
	mine := make([]byte, nonceBytes)
	if _, err := listener.Write(append(mine, id.proof("server", theirs, mine, nil)...)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(listener, make([]byte, sha256.Size+2+len("{}"))); err != nil {
		t.Fatal(err)
	}
	if _, err := listener.Write([]byte{accepted + 1}); err != nil {
		t.Fatal(err)
	}
	if err := <-result; !errors.Is(err, errNotProven) {
		t.Errorf("another verdict: %v", err)
	}
}
