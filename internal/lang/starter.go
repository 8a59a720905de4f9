package lang

import _ "embed" // for the files below

var (
	//go:embed starter.en.yaml
	starterEnglish string
	//go:embed starter.ko.yaml
	starterKorean string
)

// Starter returns the bundle that gongu init writes. Both languages hold the
// same resources; only comments, the prompt and descriptions differ.
func Starter(l Lang) string {
	if l == Korean {
		return starterKorean
	}
	return starterEnglish
}
