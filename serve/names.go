package serve

import (
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/toolname"
)

// names maps the names of tools to the names they are served under, and back.
type names struct {
	most  int
	given toolname.Map

	mu   sync.Mutex
	read map[string]struct{} // digests of the catalogs whose names are in given
}

// maxRead limits the digests in read.
const maxRead = 64

func newNames(most int) *names {
	return &names{most: most, given: toolname.Map{Max: most}, read: map[string]struct{}{}}
}

// served returns the name that a tool is served under: shortened if it is too
// long.
func (n *names) served(name string) (string, error) {
	if len(name) <= n.most {
		return name, nil
	}
	return n.given.Import("", name)
}

// original returns the name of the tool that is served under a name. A client
// may have the name from before a restart, so that an unknown one makes it read
// the catalog.
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

// fresh reports whether a catalog was not read before, and marks it as read.
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
