package rules

import (
	"fmt"
	"strings"
	"testing"
)

// K12: docs/limits.md has the limits of the code. Each row names where a limit
// is set and how the page gives it.
func TestK12LimitsDocument(t *testing.T) {
	page := read(t, "docs/limits.md")
	var problems []string
	for _, limit := range []struct{ file, code, row string }{
		{"mcpclient/options.go", "defaultMessage = 16 << 20", "one message of an MCP server | 16 MiB |"},
		{"mcpclient/pagedlist.go", "MaxList = 32 << 20", "all pages | 32 MiB |"},
		{"mcpclient/pagedlist.go", "MaxItems = 10_000", "entries of one list | 10,000 |"},
		{"serve/limits.go", "{&l.List, mcpclient.MaxList}", "`serve.Limits.List`"},
		{"serve/method_upstream.go", "all > 2*int64(b.server.limits.List)", "at a time | 64 MiB |"},
		{"command/command.go", "maxList = 32 << 20", "a ToolCommand prints | 32 MiB |"},
		{"mcpclient/group_idle.go", "maxOnDemand = 64", "clients of one MCP server | 64 |"},
		{"mcpclient/group_idle.go", "busyWait = 30 * time.Second", "the next waits 30 s"},
		{"mcpclient/group_idle.go", "idleTime = 5 * time.Minute", "unused client of an MCP server | 5 minutes |"},
		{"mcpclient/inbox.go", "eventBuffer = 256", "| 256 and 1 MiB |"},
		{"mcpclient/inbox.go", "eventBytes = 1 << 20", "| 256 and 1 MiB |"},
		{"mcpclient/link.go", "noticeBuffer = 256", "| 256 and 1 MiB |"},
		{"mcpclient/link.go", "noticeBytes = 1 << 20", "| 256 and 1 MiB |"},
		{"mcpclient/handlers.go", "maxAsked = 32", "| 32 and 16 MiB |"},
		{"mcpclient/handlers.go", "maxAskedBytes = 16 << 20", "| 32 and 16 MiB |"},
		{"mcpclient/watch.go", "maxWatched = 1000", "that are followed | 1,000 |"},
		{"cmd/gongu/serve_flood_test.go", "return 300_000_000", "under 300 MB"},
		{"cmd/gongu/serve.go", "memoryGoal = 176 << 20", "from 176 MiB on"},
		{"auth/limits.go", "l.Connections = cmp.Or(max(l.Connections, 0), 4096)", "open connections | 4,096 |"},
		{"auth/limits.go", "max(l.BodyStall, 0), 30*time.Second", "sends nothing | 30 s |"},
		{"auth/limits.go", "max(l.BodyTime, 0), time.Minute", "1 minute and 8 MiB"},
		{"auth/limits.go", "max(l.Body, 0), 8<<20", "1 minute and 8 MiB"},
		{"auth/limits.go", "max(l.Running, 0), 4096", "| 4,096, of one principal 1,024 |"},
		{"auth/limits.go", "max(l.RunningEach, 0), 1024", "| 4,096, of one principal 1,024 |"},
		{"serve/subscribe.go", "maxSubscribed = 1000", "listen stream | 1,000 |"},
		{"httpapi/httpapi.go", "defaultMaxStreams = 256", "| 256, of one principal 16 |"},
		{"httpapi/httpapi.go", "defaultMaxStreamsEach = 16", "| 256, of one principal 16 |"},
		{"script/code.go", "defaultRuns = 8", "| 8, of one principal 2 |"},
		{"script/code.go", "defaultRunsEach = 2", "| 8, of one principal 2 |"},
		{"script/code.go", "defaultRunWait = time.Minute", "wait up to 1 minute"},
		{"script/code.go", "maxRunQueue = 256", "calls that wait | 256 |"},
		{"internal/spill/spill.go", "MaxAge = 24 * time.Hour", "a spilled output | 24 h |"},
		{"internal/spill/spill.go", "MaxTotal = 1 << 30", "all spilled outputs | 1 GiB |"},
		{"state/options.go", "set(&out.Busy, 5*time.Second)", "waits for another process | 5 s |"},
		{"state/sqlite_writer.go", "maxBatch = 64", "units of one commit on SQLite | 64 |"},
		{"state/postgres.go", "maxConns = 16", "of one process | 16 |"},
		{"state/options.go", "set(&out.Lease, 15*time.Second)", "a lease | 15 s, renewed every 5 s; nothing starts 10 s"},
		{"state/options.go", "set(&out.Renew, out.Lease/3)", "renewed every 5 s"},
		{"state/options.go", "set(&out.Stale, out.Lease*2/3)", "nothing starts 10 s after"},
		{"state/retain.go", `"calls": {Age: 7 * day, Bytes: 512 << 20}`, "ended calls (`gongu serve`) | 7 days and 512 MiB |"},
		{"state/retain.go", `"audit": {Age: 90 * day, Bytes: 2 << 30}`, "audit rows (`gongu serve`) | 90 days and 2 GiB |"},
		{"audit/audit.go", "defaultQueue = 4096", "| 4,096 and 16 MiB |"},
		{"audit/audit.go", "defaultQueueBytes = 16 << 20", "| 4,096 and 16 MiB |"},
		{"audit/audit.go", "defaultWait = 2 * time.Second", "calls wait up to 2 s"},
		{"audit/audit.go", "defaultPayload = 64 << 10", "and of a result | 64 KiB |"},
		{"audit/audit.go", "previewBytes = 4 << 10", "the first 4 KiB are kept"},
		{"state/audit.go", "maxAuditText = 256", "in an audit row | 256 bytes |"},
	} {
		code := strings.Join(strings.Fields(read(t, limit.file)), " ") // however it is aligned
		if !strings.Contains(code, limit.code) {
			problems = append(problems, fmt.Sprintf("%s: no %q", limit.file, limit.code))
		}
		if !strings.Contains(page, limit.row) {
			problems = append(problems, fmt.Sprintf("docs/limits.md: no %q", limit.row))
		}
	}
	report(t, problems, "a limit that the documents give wrongly is found out in production", "change docs/limits.md and the row of this test together with the limit")
}
