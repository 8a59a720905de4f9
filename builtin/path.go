package builtin

import (
	"strings"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/lang"
)

// parsePath takes a path such as .users[0].name apart into its steps. Keys and
// array positions are not distinguished here: what "0" means depends on the data.
// The path "." has no steps.
func parsePath(path string) ([]string, error) {
	if path == "." {
		return nil, nil
	}
	var steps []string
	for i := 0; i < len(path); {
		if strings.HasPrefix(path[i:], ".[") { // as jq writes it
			i++
		}
		step, size, err := readStep(path, i)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
		i += size
	}
	return steps, nil
}

// readStep reads one step at byte i and says how many bytes it took.
func readStep(path string, i int) (step string, size int, err error) {
	switch {
	case path[i] == '[':
		end := strings.IndexByte(path[i:], ']')
		if end < 0 {
			return "", 0, wrong(lang.PathUnclosed, character(path, i))
		}
		step, size = path[i+1:i+end], end+1
		if strings.HasPrefix(step, `"`) || strings.HasPrefix(step, `'`) {
			return "", 0, wrong(lang.PathQuoted, character(path, i+1))
		}
	case path[i] == '.' || i == 0:
		begin := i
		if path[i] == '.' {
			begin++
		}
		step = path[begin:]
		if end := strings.IndexAny(step, ".["); end >= 0 {
			step = step[:end]
		}
		size = begin - i + len(step)
	default:
		r, _ := utf8.DecodeRuneInString(path[i:])
		return "", 0, wrong(lang.PathStray, string(r), character(path, i))
	}
	if step == "" {
		return "", 0, wrong(lang.PathEmptyStep, character(path, i))
	}
	return step, size, nil
}

// character turns a byte offset into the position a reader would count.
func character(path string, offset int) int { return utf8.RuneCountInString(path[:offset]) + 1 }
