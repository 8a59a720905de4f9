package source

// Listers are the sources as they were given, in the order of their tools.
func (m *Manager) Listers() []Lister {
	var out []Lister
	for _, e := range m.all() {
		out = append(out, e.lister)
	}
	return out
}
