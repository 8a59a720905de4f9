package pin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// hereName is a file beside the cache.
const hereName = "accepted.json"

// here is what was accepted on this machine. The lock file comes with the
// bundle, so others write it: an entry that only they accepted counts after the
// scanner has read it here.
type here struct {
	Version int                          `json:"version"`
	Sources map[string]map[string][]kept `json:"sources"`

	dirty bool
}

const hereVersion = 1

// readHere reads the record. One that cannot be read is empty, so everything is
// scanned again.
func readHere(dir string) *here {
	h := &here{}
	raw, err := os.ReadFile(filepath.Join(dir, hereName))
	if err != nil || json.Unmarshal(raw, h) != nil || h.Version != hereVersion || h.Sources == nil {
		return newHere()
	}
	return h
}

func newHere() *here {
	return &here{Version: hereVersion, Sources: make(map[string]map[string][]kept)}
}

func (h *here) write(dir string) error {
	encoded, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, hereName), append(encoded, '\n'))
}

// has reports whether a definition was accepted here.
func (h *here) has(source, name, digest string) bool {
	return slices.ContainsFunc(h.Sources[source][name], func(k kept) bool { return k.Digest == digest })
}

// text is a definition that was accepted here.
func (h *here) text(source, name, digest string) (Definition, bool) {
	for _, k := range h.Sources[source][name] {
		if k.Digest == digest {
			return k.definition()
		}
	}
	return Definition{}, false
}

// newest is the definition that was accepted here last.
func (h *here) newest(source, name string) (Definition, bool) {
	for _, k := range h.Sources[source][name] {
		return k.definition()
	}
	return Definition{}, false
}

func (h *here) add(source, name string, k kept) {
	if h.Sources[source] == nil {
		h.Sources[source] = make(map[string][]kept)
	}
	h.Sources[source][name] = accept(h.Sources[source][name], k)
	h.dirty = true
}

func (h *here) forget(source, name string) {
	delete(h.Sources[source], name)
	h.dirty = true
}

// hints are the annotations that say how careful a caller has to be, with the
// defaults of MCP.
type hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

func hintsOf(d Definition) hints {
	h := hints{Destructive: true, OpenWorld: true}
	_ = json.Unmarshal(d.Annotations, &h) // what is not a hint says nothing
	return h
}

// milder reports whether a definition promises less harm than another.
func milder(now, was Definition) bool {
	a, b := hintsOf(now), hintsOf(was)
	return a.ReadOnly && !b.ReadOnly || !a.Destructive && b.Destructive || a.Idempotent && !b.Idempotent || !a.OpenWorld && b.OpenWorld
}
