package command

// Parse reads a list as the source called name would print it, without running
// anything. The tools answer that there is no program.
func Parse(name string, list []byte) (*Listing, error) {
	s, err := New(Config{Name: name, Discover: []string{"-"}, Call: []string{"-"}})
	if err != nil {
		return nil, err
	}
	return s.read(list)
}
