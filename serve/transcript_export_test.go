package serve

import (
	"maps"
	"slices"
)

// ServedMethods lists what the server dispatches, for the test that each of them has
// a transcript.
func (s *Server) ServedMethods() (legacy, modern []string) {
	return slices.Sorted(maps.Keys(s.methods.legacy)), slices.Sorted(maps.Keys(s.methods.modern))
}
