package search

// query is a query that is being read.
type query struct {
	words words
	key   []byte
	text  []byte // of the terms, one after the other
	terms []asked
}

// asked is a term of the query, before it is known whether any tool has it.
type asked struct {
	from, to uint32 // in the text
	hash     uint32
	id       uint32 // of a term with the hash, if found
	next     uint32 // where to look for another one
	part     part
	clause   uint8
	found    bool
}

// wanted is a term of the query that some tool has.
type wanted struct {
	id      uint32
	weight  float32 // of the term in the query, then times its rarity
	rarity  float32
	rest    float32 // see byWeight
	tools   []strength
	clauses uint64 // a bit for each clause that has it
}

// want looks up the terms of the query. Stop words count when there is nothing
// else.
func (x *Index) want(r *ranking, text string) {
	r.terms = r.terms[:0]
	text = text[:min(len(text), longestQuery)]
	for _, stops := range [...]bool{false, true} {
		r.query.read(text, stops, &x.ids)
		x.find(r)
		if len(r.terms) > 0 {
			break
		}
	}
	for i := range r.terms {
		t := &r.terms[i]
		t.rarity = x.rarity(t.id)
		t.tools = x.terms[t.id].tools
		t.weight *= t.rarity
	}
}

// read takes the query apart: its stop words, or all the others.
func (q *query) read(text string, stops bool, ids *table) {
	q.text, q.terms = q.text[:0], q.terms[:0]
	emit := func(text []byte, p part) {
		from := uint32(len(q.text))
		q.text = append(q.text, text...)
		q.terms = append(q.terms, asked{
			hash: ids.hash(text), from: from, to: uint32(len(q.text)),
			part: p, clause: uint8(min(q.words.clause, clauses-1)),
		})
	}
	var before joint
	q.words.reset(text)
	for q.words.next() {
		if both, ok := before.join(&q.words); ok {
			emit(both, joined)
		}
		if stop(q.words.word) == stops {
			q.key = parts(q.key, q.words.word, q.words.dense, emit)
		}
	}
}

// find looks up what was read. It goes through the terms several times, so that
// the processor, which waits for memory most of the time, waits for many of
// them at once.
func (x *Index) find(r *ranking) {
	terms := r.query.terms
	for i := range terms {
		t := &terms[i]
		t.id, t.next, t.found = x.ids.find(t.hash, t.hash)
	}
	for i := range terms {
		t := &terms[i]
		if !t.found {
			continue
		}
		text := r.query.text[t.from:t.to]
		if x.terms[t.id].text != string(text) {
			var ok bool
			if t.id, ok = x.lookUp(text, t.hash, t.next); !ok {
				continue
			}
		}
		r.want(t)
	}
}

// want takes in a term that some tool has.
func (r *ranking) want(a *asked) {
	clause := uint64(1) << a.clause
	if t := r.term(a.id); t != nil {
		t.weight = max(t.weight, partWeights[a.part])
		t.clauses |= clause
		return
	}
	r.at[a.id] = uint16(len(r.terms))
	r.terms = append(r.terms, wanted{id: a.id, weight: partWeights[a.part], clauses: clause})
	r.has[a.id/64] |= 1 << (a.id % 64)
}
