package builtin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// mostSeen bounds how many reads are remembered; the oldest are forgotten, and
// their files have to be read again.
const mostSeen = 10_000

// fileState is the state of the file tools between calls.
type fileState struct {
	locks *fsx.PathLocks

	mu sync.Mutex
	// seen has the content that an instance read last, by instance and file,
	// and order the keys from the oldest on.
	seen  map[seenKey]string
	order []seenKey

	// staged is called when the new content of files is written and none has
	// its name yet. Only a test sets it.
	staged func(context.Context)
}

type seenKey struct{ agent, instance, file string }

func newFileState(lockDir string) *fileState {
	return &fileState{locks: fsx.NewPathLocks(lockDir), seen: map[seenKey]string{}, staged: func(context.Context) {}}
}

// saw stores the hash of the content that an instance has read of a file.
func (f *fileState) saw(ctx context.Context, path, sha string) {
	key := keyOf(ctx, path)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.seen[key]; known {
		i := slices.Index(f.order, key)
		f.order = slices.Delete(f.order, i, i+1)
	} else if len(f.order) == mostSeen {
		delete(f.seen, f.order[0])
		f.order = slices.Delete(f.order, 0, 1)
	}
	f.seen[key] = sha
	f.order = append(f.order, key)
}

// known is the content that an instance knows of a file, empty when it has not
// read it.
func (f *fileState) known(ctx context.Context, path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[keyOf(ctx, path)]
}

func keyOf(ctx context.Context, path string) seenKey {
	c := gongu.ContextOf(ctx)
	return seenKey{c.AgentName, c.InstanceKey, path}
}

// unread says why an instance may not change a file under ReadFirst, or
// nothing.
func (s *system) unread(ctx context.Context, p *place, sha string) lang.Message {
	if !s.opts.ReadFirst {
		return lang.Message{}
	}
	switch s.files.known(ctx, p.Real()) {
	case "":
		return lang.EditUnread.With(p.asked)
	case sha:
		return lang.Message{}
	}
	return lang.EditReadBefore.With(p.asked)
}

func shaOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
