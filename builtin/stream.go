package builtin

import (
	"context"
	"os"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/stream"
)

// streams returns the outputs of one program. They pass on to the caller what the
// program writes, while it runs.
func (s *system) streams(ctx context.Context) (stdout, stderr *stream.Stream) {
	about := gongu.ContextOf(ctx)
	var one sync.Mutex // the two streams come from two goroutines
	begin := func(name string) *stream.Stream {
		out := &stream.Stream{Keep: s.opts.MaxOutput}
		if s.opts.Spill != nil {
			out.Spill = func() (*os.File, error) { return s.opts.Spill(ctx, "bash-*-"+name+".txt") }
		}
		if about.Caller.Partial != nil {
			out.Tell = func(text string) {
				one.Lock()
				defer one.Unlock()
				about.Partial(ctx, gongu.Content{Type: "text", Name: name, Text: text})
			}
		}
		return out
	}
	return begin("stdout"), begin("stderr")
}
