package source

// Listers are the sources as they were given, in the order of their tools.
func (m *Manager) Listers() []Lister {
	var out []Lister
	for _, e := range m.all() {
		out = append(out, e.lister)
	}
	return out
}

// Pending reports whether there are sources that nothing is known of yet.
func (m *Manager) Pending() bool {
	for _, e := range m.all() {
		if !e.known() {
			return true
		}
	}
	return false
}
