package audit

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// ExportOptions say which rows [Export] writes, and how.
type ExportOptions struct {
	// CSV writes columns with their names in the first line; otherwise each row
	// is a line of JSON.
	CSV bool
	// Payloads adds the arguments and results.
	Payloads bool
	Filter   state.AuditFilter
	// Limit is the most rows; 0 is all.
	Limit int
}

// Export writes the rows that a filter selects, the oldest first.
func Export(ctx context.Context, store *state.Store, w io.Writer, o ExportOptions) error {
	if !o.CSV {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return o.each(ctx, store, func(v View) error { return encoder.Encode(v) })
	}
	table := csv.NewWriter(w)
	if err := table.Write(columns(View{}, o.Payloads, true)); err != nil {
		return err
	}
	if err := o.each(ctx, store, func(v View) error { return table.Write(columns(v, o.Payloads, false)) }); err != nil {
		return err
	}
	table.Flush()
	return table.Error()
}

// exportedAtOnce is how many rows are in memory.
const exportedAtOnce = 500

func (o *ExportOptions) each(ctx context.Context, store *state.Store, write func(View) error) error {
	for after, n := int64(0), 0; ; {
		rows, err := store.AuditAfter(ctx, after, exportedAtOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			after = r.Seq
			if !o.Filter.Matches(r) {
				continue
			}
			if err := write(ViewOf(r, o.Payloads)); err != nil {
				return err
			}
			if n++; n == o.Limit {
				return nil
			}
		}
	}
}

// columns returns the columns of a row in CSV, or their names.
func columns(v View, payloads, names bool) []string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	started := ""
	if !v.Started.IsZero() {
		started = v.Started.Format(time.RFC3339Nano)
	}
	columns := [][2]string{
		{"seq", number(v.Seq)}, {"time", v.Time.Format(time.RFC3339Nano)}, {"kind", v.Kind}, {"phase", v.Phase}, {"begins", number(v.Begins)},
		{"callId", v.CallID}, {"parentId", v.ParentID}, {"traceId", v.Trace}, {"principal", v.Principal}, {"principalKind", v.PrincipalKind},
		{"agent", v.Agent}, {"instance", v.Instance}, {"tool", v.Tool}, {"source", v.Source}, {"action", v.Action}, {"subject", v.Subject},
		{"status", v.Status}, {"code", v.Code}, {"rule", v.Rule}, {"approval", v.Approval}, {"started", started}, {"microseconds", number(v.Microseconds)},
		{"argsSize", number(v.ArgsSize)}, {"resultSize", number(v.ResultSize)}, {"argsDigest", v.ArgsDigest}, {"resultDigest", v.ResultDigest}, {"payloadDigest", v.PayloadDigest},
	}
	if payloads {
		columns = append(columns, [][2]string{{"salt", v.Salt}, {"args", v.Args}, {"result", v.Result}}...)
	}
	out := make([]string, len(columns))
	for i, c := range columns {
		if out[i] = plainCell(c[1]); names {
			out[i] = c[0]
		}
	}
	return out
}

// plainCell keeps a spreadsheet from running a text as a formula: names of tools
// and ids come from models.
func plainCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
