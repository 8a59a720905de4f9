package toolrequest

import "github.com/gongu-ai/gongu/internal/fsx"

// Watch lets a test see and fail the steps of the writes of a queue.
func Watch(f *File, watch func(fsx.Step) error) { f.watch = watch }

// Parse is the reader of the file, for fuzzing.
func Parse(text []byte) ([]Request, error) {
	entries, err := parse(text, FileName)
	var list []Request
	for _, e := range entries {
		list = append(list, e.copy())
	}
	return list, err
}

// Rewrite reads a text and writes it again.
func Rewrite(text []byte) ([]byte, error) {
	entries, err := parse(text, FileName)
	if err != nil {
		return nil, err
	}
	return render(entries)
}

// Salvage is the highest id that a broken text still shows.
func Salvage(text []byte) int64 { return salvage(text) }
