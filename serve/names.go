package serve

import (
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/toolname"
)

// names are the names that tools are served under, and the way back.
type names struct {
	most  int
	given toolname.Map

	mu   sync.Mutex
	read map[string]struct{} // the digests of catalogs that were read
}

// maxRead bounds the catalogs that are remembered as read.
const maxRead = 64

func newNames(most int) *names {
	return &names{most: most, given: toolname.Map{Max: most}, read: map[string]struct{}{}}
}

// served is the name a client is told. One that fits is kept.
func (n *names) served(name string) (string, error) {
	if len(name) <= n.most {
		return name, nil
	}
	return n.given.Import("", name)
}

// original finds the tool that a client means. A client may know the name from
// before a restart, so that the catalog is read where the name says nothing.
func (n *names) original(catalog *gongu.Catalog, name string) string {
	if catalog == nil || catalog.Has(name) || len(name) > n.most {
		return name
	}
	if _, original, ok := n.given.Original(name); ok {
		return original
	}
	if n.fresh(catalog.Digest()) {
		for _, tool := range catalog.Callable() {
			if _, err := n.served(tool.Name); err != nil {
				continue // another tool has the hash: this one is not served
			}
		}
	}
	if _, original, ok := n.given.Original(name); ok {
		return original
	}
	return name
}

// fresh reports whether a catalog is looked at for the first time.
func (n *names) fresh(digest string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, seen := n.read[digest]; seen {
		return false
	}
	if len(n.read) >= maxRead {
		clear(n.read)
	}
	n.read[digest] = struct{}{}
	return true
}
