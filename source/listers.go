package source

// Listers returns the listers of the sources, in the order of their tools.
func (m *Manager) Listers() []Lister {
	var out []Lister
	for _, e := range m.all() {
		out = append(out, e.lister)
	}
	return out
}

// Pending reports whether a source has no known list yet.
func (m *Manager) Pending() bool {
	for _, e := range m.all() {
		if !e.known() {
			return true
		}
	}
	return false
}
