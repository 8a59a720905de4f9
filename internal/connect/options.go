package connect

import (
	"errors"
	"fmt"
	"os"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
)

// Options are what the package needs to know about the user and the program.
type Options struct {
	Lang lang.Lang
	// Getenv looks up environment variables.
	Getenv func(string) string
	// ConfigDir is gongu's configuration folder. The records that Undo restores
	// files from are kept there, and the user's own bundle.
	ConfigDir string
	// StateRoot is where backups of a bundle's files go (default:
	// GONGU_STATE_ROOT, then the bundle's in the user's state folder).
	StateRoot string
	// Policy has the policy files: what they deny is not counted as offered.
	Policy host.PolicyOptions
	// Version is the program's own, sent to servers.
	Version string
	// Child is the program that runs scripts in a separate process.
	Child []string
	// Secrets are those of the servers that are started.
	Secrets *secret.Vault
	// Accept asks a person whether servers of a file may have the values that
	// they refer to, such as env:NAME and file:PATH; nil rejects them.
	Accept func(file string, references []string) bool
	// Starting is called with the servers that are about to be started; it may be nil.
	Starting func(servers []Launch)
	// Load reads a bundle. Its error is returned as it is.
	Load func(path string) (*bundle.Bundle, error)
	// Writing is called before the bundle at a path is changed. The function that
	// it returns is called after the change, with the files that were written,
	// and returns the consent with which the servers are listed. Nil lists them
	// without a consent.
	Writing func(path string) func(wrote ...string) *host.ConsentOptions
}

// Launch is a server that is started: a command line or an address.
type Launch struct{ Name, What string }

// ReadError is a settings file that cannot be read. Nothing was changed.
type ReadError struct {
	File string
	Err  error
}

func (e *ReadError) Error() string { return fmt.Sprintf("read %s: %v", e.File, e.Err) }
func (e *ReadError) Unwrap() error { return e.Err }

// WriteError is a file that cannot be changed. It is as it was before.
type WriteError struct {
	File string
	Err  error
}

func (e *WriteError) Error() string { return fmt.Sprintf("change %s: %v", e.File, e.Err) }
func (e *WriteError) Unwrap() error { return e.Err }

// NameTakenError is another server that already has the name that gongu is to
// have in a file.
type NameTakenError struct{ Name, File string }

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("another server is called %q in %s", e.Name, e.File)
}

// The reasons why Undo changes nothing.
var (
	ErrNoUndo = errors.New("gongu connect has not changed the file")
	ErrEdited = errors.New("the file was changed since gongu connect")
)

// maxSettings is larger than any settings file.
const maxSettings = 16 << 20

var (
	errNoFile    = errors.New("it is not a file")
	errLargeFile = errors.New("it is too large for a settings file")
)

// readSettings reads a settings file.
func readSettings(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNoFile
	case info.Size() > maxSettings:
		return nil, errLargeFile
	}
	return os.ReadFile(path)
}
