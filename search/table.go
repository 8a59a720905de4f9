package search

import "hash/maphash"

// table has the ids of the terms. It is a hash table of its own because a
// search looks up many terms at once, most of which are not there: eight places
// share a line of the processor's cache, one of which tells that, and the lines
// of all terms can be on their way at the same time.
type table struct {
	seed   maphash.Seed
	places []uint64 // a hash and the id plus one; zero is free
	count  int
}

func newTable() table {
	const places = 64 // a power of two
	return table{seed: maphash.MakeSeed(), places: make([]uint64, places)}
}

// hash is of a text; only those of one table can be compared.
func (t *table) hash(text []byte) uint32 {
	return uint32(maphash.Bytes(t.seed, text) >> 32)
}

// find returns the first id at or after a place that has the hash, which need
// not be of the same text, and the place after it.
func (t *table) find(hash, place uint32) (id, next uint32, ok bool) {
	last := uint32(len(t.places) - 1)
	for ; ; place++ {
		p := t.places[place&last]
		if p == 0 {
			return 0, 0, false
		}
		if uint32(p>>32) == hash {
			return uint32(p) - 1, place + 1, true
		}
	}
}

// add takes in an id that is not there.
func (t *table) add(hash, id uint32) {
	if t.count++; t.count > len(t.places)/4*3 {
		old := t.places
		t.places = make([]uint64, 2*len(old))
		for _, p := range old {
			if p != 0 {
				t.put(p)
			}
		}
	}
	t.put(uint64(hash)<<32 | uint64(id+1))
}

// put writes to the first free place from the one that the hash is for.
func (t *table) put(p uint64) {
	last := len(t.places) - 1
	i := int(p>>32) & last
	for t.places[i] != 0 {
		i = (i + 1) & last
	}
	t.places[i] = p
}

// remove takes out an id. What follows it moves up, so that whatever is there
// can be reached from its own place without a gap.
func (t *table) remove(hash, id uint32) {
	last := len(t.places) - 1
	free := int(hash) & last
	for t.places[free] != uint64(hash)<<32|uint64(id+1) {
		if t.places[free] == 0 {
			return
		}
		free = (free + 1) & last
	}
	t.count--
	for i := (free + 1) & last; t.places[i] != 0; i = (i + 1) & last {
		own := int(t.places[i]>>32) & last
		if (i-own)&last >= (i-free)&last {
			t.places[free], free = t.places[i], i
		}
	}
	t.places[free] = 0
}
