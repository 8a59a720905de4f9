package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

const (
	budgetBase    = 20_000
	budgetPerByte = 16
	budgetMost    = 5_000_000
	// keptErrors is how many errors of the validator are kept in memory; the
	// later ones only say that there was one. An array of a million wrong
	// items would otherwise cost hundreds of megabytes.
	keptErrors = 4000
)

// meter counts the work of one check. The validator takes no context, so the
// meter stops it with a panic that program.validate catches.
type meter struct {
	left  int
	depth int
	kept  int
	last  *jsonschema.ValidationError
	// spare replaces all errors beyond keptErrors.
	spare *jsonschema.ValidationError
	// unevaluated is set when some schema asks for unevaluated parts: then
	// each step copies the names of the object it looks at.
	unevaluated bool
}

// reset prepares the meter for arguments of a size.
func (m *meter) reset(size int) {
	m.left = min(budgetBase+budgetPerByte*size, budgetMost)
	m.depth, m.kept, m.last = 0, 0, nil
}

// spend takes work from the budget and stops the check when none is left.
func (m *meter) spend(work int) {
	if m.left -= work; m.left < 0 {
		panic(budgetExceeded{})
	}
}

// keep returns the error, or the shared one when there are too many.
func (m *meter) keep(err *jsonschema.ValidationError) *jsonschema.ValidationError {
	if err.ErrorKind == nil || err == m.last {
		return err // it is not reported, or was counted one level below
	}
	if m.kept++; m.kept > keptErrors && m.replaceable(err) {
		err = m.spare
	}
	m.last = err
	return err
}

// replaceable reports whether an error holds nothing that was kept before.
func (m *meter) replaceable(err *jsonschema.ValidationError) bool {
	for _, cause := range err.Causes {
		if cause != m.spare {
			return false
		}
	}
	return true
}

// meteredSchema wraps one compiled schema and charges the meter for each use. The
// compiled schema keeps its identity, because others point to it, but its
// keywords move to a copy that only the meteredSchema calls; so the work is counted
// before it is done and not after.
type meteredSchema struct {
	meter *meter
	inner *jsonschema.Schema
	costs costs
}

var _ jsonschema.SchemaExt = (*meteredSchema)(nil)

// Validate implements the extension that the validator calls.
func (g *meteredSchema) Validate(ctx *jsonschema.ValidatorContext, v any) {
	m := g.meter
	// The validator looks up its own chain of callers for cycles, and the
	// stack grows with it: depth costs as well.
	m.spend(1 + m.depth/32 + g.costs.of(v, m))
	if g.costs.unique {
		g.uniqueItems(ctx, v)
	}
	before := m.left
	m.depth++
	err := ctx.Validate(g.inner, v, nil)
	m.depth--
	if g.costs.repeated > 0 {
		// The first branch that matches spares the others, so that the same
		// arguments are cheap or endless by luck. Repeated branches are paid
		// for in any case: too complex then is a property of the input.
		m.spend((before - m.left) * g.costs.repeated)
	}
	invalid, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return
	}
	if g.inner.PropertyNames != nil {
		detachLocations(invalid)
	}
	ctx.AddErr(m.keep(invalid))
}

// detachLocations copies the locations that the validator shares with later
// steps and would overwrite.
func detachLocations(err *jsonschema.ValidationError) {
	for _, e := range append([]*jsonschema.ValidationError{err}, err.Causes...) {
		if _, ok := e.ErrorKind.(*kind.PropertyNames); ok {
			e.InstanceLocation = slices.Clone(e.InstanceLocation)
		}
	}
}

// uniqueItems replaces the validator's own check, whose hashes an attacker
// can make collide, by one that is linear for every input.
func (g *meteredSchema) uniqueItems(ctx *jsonschema.ValidatorContext, v any) {
	items, ok := v.([]any)
	if !ok || len(items) < 2 {
		return
	}
	seen := make(map[string]int, len(items))
	var key []byte
	for i, item := range items {
		key = canonical(key[:0], item)
		g.meter.spend(1 + len(key)/32)
		if first, dup := seen[string(key)]; dup {
			ctx.AddError(&kind.UniqueItems{Duplicates: [2]int{first, i}})
			return
		}
		seen[string(key)] = i
	}
}

// canonical appends a spelling that is the same for equal JSON values.
func canonical(out []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(out, 'n')
	case bool:
		if v {
			return append(out, 't')
		}
		return append(out, 'f')
	case json.Number:
		return canonicalNumber(out, v.String())
	case string:
		return canonicalString(out, v)
	case []any:
		out = append(out, '[')
		for _, item := range v {
			out = append(canonical(out, item), ',')
		}
		return append(out, ']')
	case map[string]any:
		out = append(out, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(canonicalString(out, name), ':')
			out = append(canonical(out, v[name]), ',')
		}
		return append(out, '}')
	}
	return out
}

// canonicalString writes the length first, so that no text can imitate
// structure.
func canonicalString(out []byte, s string) []byte {
	out = append(out, '"')
	out = strconv.AppendInt(out, int64(len(s)), 10)
	out = append(out, ':')
	return append(out, s...)
}
