package builtin

import (
	"context"
	"math"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxWait is the longest wait, in seconds.
const maxWait = 300

type waitArgs struct {
	Seconds float64 `json:"seconds"`
}

type waitOutput struct {
	WaitedSeconds float64 `json:"waitedSeconds"`
	WaitedMs      int64   `json:"waitedMs"`
}

func waitTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: wait, export: "seconds",
		text: lang.WaitSeconds,
		params: []param{
			{Name: "seconds", Rule: rule{Type: "number", Minimum: new(0.0), Maximum: new(float64(maxWait))}},
		},
		keywords: []string{"sleep", "delay", "pause", "대기", "지연"},
		example:  `{"seconds":1.5}`,
		// The longest wait must end before the deadline does.
		limits: gongu.Limits{Timeout: (maxWait + 30) * time.Second, ErrorMessage: 600},
	}, waitSeconds)
}

// waitSeconds checks the bounds again, because a caller without an executor does
// not validate the schema.
func waitSeconds(ctx context.Context, in waitArgs) (waitOutput, error) {
	switch {
	case in.Seconds < 0:
		return waitOutput{}, wrong(lang.MustBeAtLeast, "seconds", 0)
	case in.Seconds > maxWait:
		return waitOutput{}, wrong(lang.MustBeAtMost, "seconds", maxWait)
	}
	ms := int64(math.Round(in.Seconds * 1000))
	timer := time.NewTimer(time.Duration(in.Seconds * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return waitOutput{WaitedSeconds: in.Seconds, WaitedMs: ms}, nil
	case <-ctx.Done():
		return waitOutput{}, ctx.Err()
	}
}
