package terminal

import (
	"fmt"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Age is how long ago something was, in one unit.
func Age(l lang.Lang, at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	since := max(time.Since(at), 0)
	text := fmt.Sprintf("%dd", int(since.Hours())/24)
	switch {
	case since < time.Minute:
		text = fmt.Sprintf("%ds", int(since.Seconds()))
	case since < time.Hour:
		text = fmt.Sprintf("%dm", int(since.Minutes()))
	case since < 48*time.Hour:
		text = fmt.Sprintf("%dh", int(since.Hours()))
	}
	return lang.CLISourcesAgo.In(l, text)
}
