package attach

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/secret"
)

// Server is a running server that has proven to know the secret of a state root.
type Server struct {
	Record
	identity identity
	client   Client // what it is told about us
}

// Keep is as in [Socket.Keep].
func (s *Server) Keep(in *secret.Vault) { s.identity.keep(in) }

// Find returns the newest server of a state root that runs, if there is one, and
// removes what killed servers left.
func Find(ctx context.Context, stateRoot string) (*Server, bool) {
	if all := Servers(ctx, stateRoot); len(all) > 0 {
		return all[0], true
	}
	return nil, false
}

// Servers returns the servers of a state root that run, the newest first.
func Servers(ctx context.Context, stateRoot string) []*Server {
	secret, err := readSecret(stateRoot)
	if err != nil {
		return nil // no server has run here
	}
	all, _ := records(stateRoot)
	var running []*Server
	for _, r := range all {
		s := &Server{Record: r, identity: identity{secret, r.Address, r.Instance}}
		conn, err := s.dial(ctx)
		if err == nil {
			_ = conn.Close() // it was only asked whether it runs
			running = append(running, s)
		} else if isGone(err) {
			r.sweep(stateRoot)
		}
	}
	return running
}

// dial connects to the server. What it returns has passed the handshake.
func (s *Server) dial(ctx context.Context) (net.Conn, error) {
	if s.Network != localNetwork {
		return nil, fmt.Errorf("the record of process %d names a %s address", s.PID, s.Network)
	}
	if err := checkSocket(s.Network, s.Address); err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: handshakeTime}
	conn, err := dialer.DialContext(ctx, s.Network, s.Address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	if _, err = checkPeer(conn); err == nil {
		err = s.identity.prove(conn, s.client)
	}
	if err != nil {
		_ = conn.Close() // nothing secret was sent
		return nil, err
	}
	return conn, nil
}

// checkSocket refuses a socket that another user could have made.
func checkSocket(network, address string) error {
	if network != "unix" {
		return nil
	}
	if _, err := fsx.CheckPrivate(filepath.Dir(address)); err != nil {
		return err
	}
	info, err := os.Lstat(address)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSocket == 0 || !fsx.Owned(info):
		return &fs.PathError{Op: "connect", Path: address, Err: fsx.ErrForeign}
	}
	return nil
}
