package builtin

import (
	"cmp"
	"context"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

const defaultReason = "tool:self-restart"

type restartArgs struct {
	Reason string `json:"reason,omitempty"`
}

type restartOutput struct {
	OK               bool   `json:"ok"`
	RestartRequested bool   `json:"restartRequested"`
	RestartReason    string `json:"restartReason"`
}

// restartTool calls [Options.Restart]. An output with restartRequested, of this
// tool or another, restarts nothing by itself.
func (s *system) restartTool() gongu.Tool {
	return define(s.lang, definition{
		resource: selfRestart, export: "request",
		text:        lang.SelfRestart,
		params:      []param{{Name: "reason", Optional: true, Rule: rule{Type: "string", Default: defaultReason}}},
		keywords:    []string{"reload", "reboot", "재시작", "다시 시작"},
		example:     `{"reason":"the configuration has changed"}`,
		annotations: destructive(),
	}, func(ctx context.Context, in restartArgs) (restartOutput, error) {
		reason := cmp.Or(strings.TrimSpace(in.Reason), defaultReason)
		if s.opts.Restart != nil {
			s.opts.Restart(ctx, reason)
		}
		return restartOutput{OK: true, RestartRequested: true, RestartReason: reason}, nil
	})
}
