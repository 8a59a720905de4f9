package gongu

import "context"

// values is a context with what this package attaches to one. A value that is
// attached right after another shares its layer, so that a look-up passes one
// layer and not three.
type values struct {
	context.Context
	conversation *Context
	slot         *slot
	principal    *Principal
	// identified is true once a principal is attached, which may be nil.
	identified bool
}

// valuesOf returns a new layer: a copy of ctx if that is one already.
func valuesOf(ctx context.Context) *values {
	if v, ok := ctx.(*values); ok {
		return new(*v)
	}
	return &values{Context: ctx}
}

// Value returns the attached value, or that of the context below.
func (v *values) Value(key any) any {
	switch key.(type) {
	case baseKey:
		if v.conversation != nil {
			return v.conversation
		}
	case slotKey:
		if v.slot != nil {
			return v.slot
		}
	case principalKey:
		if v.identified {
			return v.principal
		}
	}
	return v.Context.Value(key)
}
