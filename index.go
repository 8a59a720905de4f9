package gongu

import (
	"hash/maphash"
	"math/bits"
)

// index finds an entry by name. Among very many tools a look-up waits for
// memory and for nothing else, and a Go map touches three far places for each:
// its control bytes, the slot, and the text of the key. Here the slots are four
// bytes each, so that those of 100,000 tools stay in the processor's cache, and
// one record of a cache line holds both the name and the entry. It is made once
// and never changes.
type index struct {
	seed    maphash.Seed
	slots   []uint32 // a part of the hash above, the record's number from 1 below
	records []record
	// low is how many bits of a slot number the record.
	low uint
}

// record is one cache line. A name that does not fit is read from the entry.
type record struct {
	entry *entry
	size  uint8
	name  [55]byte
}

// indexOf makes the index of entries with different names.
func indexOf(entries []*entry) *index {
	x := &index{
		seed:    maphash.MakeSeed(),
		slots:   make([]uint32, 1<<max(3, bits.Len(uint(len(entries)*5/4)))),
		records: make([]record, len(entries)),
		low:     uint(bits.Len(uint(len(entries)))),
	}
	for i, e := range entries {
		r := &x.records[i]
		r.entry, r.size = e, uint8(len(e.tool.Name))
		copy(r.name[:], e.tool.Name)
		hash := maphash.String(x.seed, e.tool.Name)
		for at := x.home(hash); ; at = x.after(at) {
			if x.slots[at] == 0 {
				x.slots[at] = x.tag(hash) | uint32(i+1)
				break
			}
		}
	}
	return x
}

// find returns nil for a name that is not there.
func (x *index) find(name string) *entry {
	hash := maphash.String(x.seed, name)
	tag := x.tag(hash)
	for at := x.home(hash); ; at = x.after(at) {
		slot := x.slots[at]
		if slot == 0 {
			return nil
		}
		if slot>>x.low != tag>>x.low {
			continue
		}
		if r := &x.records[slot&(1<<x.low-1)-1]; r.is(name) {
			return r.entry
		}
	}
}

func (r *record) is(name string) bool {
	if len(name) > len(r.name) {
		return r.entry.tool.Name == name
	}
	return int(r.size) == len(name) && string(r.name[:r.size]) == name
}

func (x *index) home(hash uint64) int { return int(hash) & (len(x.slots) - 1) }

func (x *index) after(at int) int { return (at + 1) & (len(x.slots) - 1) }

// tag is the part of a slot that tells most other names apart without looking
// at their records.
func (x *index) tag(hash uint64) uint32 { return uint32(hash>>32) >> x.low << x.low }
