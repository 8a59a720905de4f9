package search

// query is the work space for reading a query.
type query struct {
	words words
	key   []byte
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
		x.readQuery(r, text, stops)
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

// readQuery takes the query apart, its stop words or all the others, and looks
// up its terms.
func (x *Index) readQuery(r *ranking, text string, stops bool) {
	q := &r.query
	emit := func(text []byte, p part) {
		if id, ok := x.ids[string(text)]; ok {
			r.want(id, p, min(q.words.clause, clauses-1))
		}
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

// want adds a term that some tool has.
func (r *ranking) want(id uint32, p part, clause int) {
	in := uint64(1) << clause
	if t := r.term(id); t != nil {
		t.weight = max(t.weight, partWeights[p])
		t.clauses |= in
		return
	}
	r.at[id] = uint16(len(r.terms))
	r.terms = append(r.terms, wanted{id: id, weight: partWeights[p], clauses: in})
	r.has[id/64] |= 1 << (id % 64)
}
