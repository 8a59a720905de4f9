package attach

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// maxHandshakes bounds the connections that have not proven anything yet.
const maxHandshakes = 64

// Socket accepts connections of programs that know the secret of a state root.
type Socket struct {
	record   Record
	file     string
	identity identity
	listener net.Listener
	verified chan net.Conn
	closed   chan struct{}
	closing  sync.Once
	checks   sync.WaitGroup

	mu sync.Mutex
	// pending are the connections that have not proven anything yet.
	pending map[net.Conn]bool
}

var _ net.Listener = (*Socket)(nil)

// Listen opens a socket for the server of a record, and leaves the record in the
// state root. It removes what killed servers left there.
func Listen(ctx context.Context, stateRoot string, r Record) (*Socket, error) {
	dir := filepath.Join(stateRoot, recordsName)
	if err := fsx.PrivateDir(dir); err != nil {
		return nil, err
	}
	lock, err := fsx.TakeLock(ctx, filepath.Join(dir, ".lock"))
	if err != nil {
		return nil, err
	}
	secret, err := makeSecret(stateRoot)
	if err == nil {
		sweep(stateRoot)
	}
	if err = errors.Join(err, lock.Release()); err != nil {
		return nil, err
	}
	s := &Socket{verified: make(chan net.Conn), closed: make(chan struct{}), pending: map[net.Conn]bool{}}
	if s.listener, err = listenLocal(localNetwork); err != nil {
		return nil, err
	}
	s.record, s.file = r, recordFile(stateRoot, r.Instance)
	s.record.Network, s.record.Address = s.listener.Addr().Network(), s.listener.Addr().String()
	s.record.Started = time.Now().UTC()
	s.identity = identity{secret, s.record.Address, r.Instance}
	if err := s.record.Write(s.file); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", s.file, err), s.Close())
	}
	go s.accept()
	return s, nil
}

func (s *Socket) accept() {
	for {
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files; it passes
			select {
			case <-s.closed:
				return
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		if !s.hold(conn) {
			_ = conn.Close() // nothing was exchanged
		}
	}
}

// hold begins the handshake of a connection, unless there are too many or the
// socket is closed.
func (s *Socket) hold(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == nil || len(s.pending) >= maxHandshakes {
		return false
	}
	s.pending[conn] = true
	s.checks.Go(func() { s.check(conn) })
	return true
}

// check passes a connection on when its other end is this user and knows the
// secret.
func (s *Socket) check(conn net.Conn) {
	peer, err := checkPeer(conn)
	checked := &clientConn{Conn: conn}
	if err == nil {
		checked.client, err = s.identity.verify(conn)
	}
	// The client may not tell the truth about this.
	checked.client.Started = checked.client.Started || peer > 0 && terminal.IsDescendant(peer)
	s.mu.Lock()
	delete(s.pending, conn)
	s.mu.Unlock()
	if err == nil {
		select {
		case s.verified <- checked:
			return
		case <-s.closed:
		}
	}
	_ = conn.Close() // the other end is told nothing
}

// clientConn is a connection of a client that has proven itself.
type clientConn struct {
	net.Conn
	client Client
}

type clientKey struct{}

// WithClient attaches what the client of a connection that [Socket.Accept] returned
// says about itself. It is the ConnContext of a server.
func WithClient(ctx context.Context, conn net.Conn) context.Context {
	if c, ok := conn.(*clientConn); ok {
		return context.WithValue(ctx, clientKey{}, c.client)
	}
	return ctx
}

// ClientOf returns the client of a request.
func ClientOf(ctx context.Context) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	return c
}

// Accept waits for a connection whose other end has proven itself.
func (s *Socket) Accept() (net.Conn, error) {
	select {
	case conn := <-s.verified:
		return conn, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Addr returns the address of the socket.
func (s *Socket) Addr() net.Addr { return s.listener.Addr() }

// Keep puts the secret of the state root into a vault, which keeps it out of logs
// and answers (K13).
func (s *Socket) Keep(in *secret.Vault) { s.identity.keep(in) }

// Close closes the socket and removes it and its record.
func (s *Socket) Close() error {
	var err error
	s.closing.Do(func() {
		close(s.closed)
		s.record.Remove(s.file)
		err = s.listener.Close()
		s.record.removeSocket()
		s.mu.Lock()
		for conn := range s.pending {
			_ = conn.Close() // its handshake ends
		}
		s.pending = nil
		s.mu.Unlock()
		s.checks.Wait()
	})
	return err
}

// socketName is the file in the folder of a socket; the folder's name is random.
const (
	socketFolder = "gongu-"
	socketName   = "s"
	socketHex    = 16
	// maxSocketPath is what every system takes: the kernel has 104 to 108 bytes.
	maxSocketPath = 103
)

// listenUnix listens in a new private folder with a short path. An existing folder
// is never used: another user could have made it.
func listenUnix(places []string) (net.Listener, error) {
	var failed error
	for _, place := range places {
		if !filepath.IsAbs(place) {
			continue
		}
		random := make([]byte, socketHex/2)
		_, _ = rand.Read(random) // never fails
		dir := filepath.Join(place, socketFolder+hex.EncodeToString(random))
		path := filepath.Join(dir, socketName)
		if len(path) > maxSocketPath {
			failed = errors.Join(failed, fmt.Errorf("the path of a socket in %s is longer than %d bytes", place, maxSocketPath))
			continue
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		listener, err := net.Listen("unix", path)
		if err == nil {
			if err = os.Chmod(path, 0o600); err == nil {
				return listener, nil
			}
			err = errors.Join(err, listener.Close())
		}
		failed = errors.Join(failed, err, os.Remove(dir))
	}
	return nil, fmt.Errorf("no folder for a socket; set XDG_RUNTIME_DIR to a folder of yours: %w", failed)
}

// socketPlaces returns the folders to try for a socket.
func socketPlaces() []string {
	places := []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()}
	if os.PathSeparator == '/' {
		places = append(places, "/tmp")
	}
	return places
}

// removeSocket removes the socket of a server that has ended, and its folder. It
// removes nothing that it cannot have made.
func (r Record) removeSocket() {
	dir := filepath.Dir(r.Address)
	if r.Network != "unix" || filepath.Base(r.Address) != socketName || !isSocketFolder(filepath.Base(dir)) {
		return
	}
	if _, err := fsx.CheckPrivate(dir); err != nil {
		return
	}
	if info, err := os.Lstat(r.Address); err == nil && info.Mode()&fs.ModeSocket != 0 {
		_ = os.Remove(r.Address)
	}
	_ = os.Remove(dir) // only when it is empty
}

func isSocketFolder(name string) bool {
	digits, ok := strings.CutPrefix(name, socketFolder)
	return ok && len(digits) == socketHex && strings.Trim(digits, "0123456789abcdef") == ""
}

// sweep removes the records and sockets of servers that do not run any more. The
// caller holds the lock of the records.
func sweep(stateRoot string) {
	all, torn := records(stateRoot)
	for _, file := range torn {
		_ = os.Remove(file) // it is ignored in any case
	}
	for _, r := range all {
		r.sweep(stateRoot)
	}
}

// sweep removes the record of a server whose socket has no listener. One whose
// other end only fails the handshake stays: its server may have another secret.
func (r Record) sweep(stateRoot string) {
	conn, err := net.DialTimeout(r.Network, r.Address, time.Second)
	if err == nil {
		_ = conn.Close() // somebody listens
		return
	}
	if isGone(err) {
		r.removeSocket()
		r.Remove(recordFile(stateRoot, r.Instance))
	}
}

// isGone reports whether an error of dialing means that there is no listener.
func isGone(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}
