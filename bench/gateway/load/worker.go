package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bench/gateway/job"
	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

// client is one client of one target, with its session if it has one. It is
// used by one goroutine at a time.
type client interface {
	// send posts a request and returns the response, which is good until the
	// next one, and when its first byte came.
	send(ctx context.Context, m message) ([]byte, time.Time, error)
}

// message is a request that is ready to go out.
type message struct {
	id           int64
	method, name string
	body         []byte
}

// worker repeats the operation of a job.
type worker struct {
	client client
	job    job.Job
	id     int64
	body   []byte
	text   []byte
	// checked is set when a list was looked at in full.
	checked bool
}

// outcome is what one operation was.
type outcome struct {
	first       time.Duration
	pages, size int
}

func (w *worker) once(ctx context.Context, start time.Time) (outcome, error) {
	if w.job.Kind == job.Lists {
		return w.list(ctx, start)
	}
	return outcome{}, w.call(ctx)
}

// request begins a message, up to its params.
func (w *worker) request(method string) []byte {
	if w.id == 0 {
		w.id = rand.Int64N(1 << 40) // no two clients ask for the same
	}
	w.id++
	body := append(w.body[:0], `{"jsonrpc":"2.0","id":`...)
	body = strconv.AppendInt(body, w.id, 10)
	body = append(append(body, `,"method":"`...), method...)
	body = append(body, `","params":{`...)
	if w.job.Era == wire.Modern {
		body = append(body, modernMeta...)
	}
	return body
}

const (
	clientInfo = `{"name":"load","version":"1.0.0"}`
	modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + wire.Modern + `","io.modelcontextprotocol/clientInfo":` + clientInfo + `,"io.modelcontextprotocol/clientCapabilities":{}},`
)

// call echoes a text that no other call has, and compares.
func (w *worker) call(ctx context.Context) error {
	body := append(append(w.request("tools/call"), `"name":"`...), w.job.Tool...)
	body = append(body, `","arguments":{"text":`...)
	at := len(body)
	body = w.appendText(body)
	w.text = append(w.text[:0], body[at:]...)
	w.body = append(body, `}}}`...)
	raw, _, err := w.client.send(ctx, message{w.id, "tools/call", w.job.Tool, w.body})
	if err != nil {
		return err
	}
	content := wire.Get(raw, "result", "content")
	if got := wire.Get(wire.First(content), "text"); !bytes.Equal(got, w.text) {
		return fmt.Errorf("the echo is wrong: sent %.80s, got %.300s", w.text, raw)
	}
	return nil
}

// filler is a text with lines, as long texts have them, in JSON.
var filler = strings.Repeat(`the quick brown fox jumps over the lazy dog, and 0123456789 others look at it.\n`, 1<<11)

// appendText writes a JSON string whose value has the size of the job and
// begins with the id of the call.
func (w *worker) appendText(out []byte) []byte {
	begin := len(out)
	out = append(strconv.AppendInt(append(out, '"'), w.id, 36), ' ')
	rest := w.job.Size - (len(out) - begin - 1)
	const line, encoded = 79, 80 // a line is one byte longer in JSON
	for rest >= line {
		n := min(rest/line, len(filler)/encoded)
		out = append(out, filler[:n*encoded]...)
		rest -= n * line
	}
	return append(append(out, filler[:max(rest, 0)]...), '"')
}

// list reads all pages. The first list is looked at in full; of the others the
// tools are counted.
func (w *worker) list(ctx context.Context, start time.Time) (outcome, error) {
	var out outcome
	var cursor []byte
	names := map[string]bool{}
	tools := 0
	for out.pages < 1000 {
		body := w.request("tools/list")
		if cursor != nil {
			body = append(append(body, `"cursor":`...), cursor...)
		} else {
			body = bytes.TrimSuffix(body, []byte{','})
		}
		w.body = append(body, `}}`...)
		raw, first, err := w.client.send(ctx, message{w.id, "tools/list", "", w.body})
		if err != nil {
			return out, err
		}
		if out.pages++; out.pages == 1 {
			out.first = first.Sub(start)
		}
		out.size += len(raw)
		tools += bytes.Count(raw, []byte(`"name":"tool_`))
		if !w.checked {
			wire.Elements(wire.Get(raw, "result", "tools"), func(tool []byte) bool {
				names[string(wire.Get(tool, "name"))] = true
				return true
			})
		}
		if cursor = bytes.Clone(cursorOf(raw)); cursor == nil {
			break
		}
	}
	if tools != w.job.Tools-1 {
		return out, fmt.Errorf("the list has %d of our tools, want %d", tools, w.job.Tools-1)
	}
	return out, w.check(names)
}

func (w *worker) check(names map[string]bool) error {
	if w.checked {
		return nil
	}
	var missing []error
	for i := 1; i < w.job.Tools && len(missing) < 3; i++ {
		if name := fmt.Sprintf(`"tool_%05d"`, i); !names[name] {
			missing = append(missing, fmt.Errorf("the list lacks %s", name))
		}
	}
	if !names[`"echo"`] {
		missing = append(missing, errors.New("the list lacks echo"))
	}
	w.checked = len(missing) == 0
	return errors.Join(missing...)
}

// cursorOf looks before and after the tools, not into them.
func cursorOf(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`"nextCursor"`)) {
		return nil
	}
	cursor := wire.Get(raw, "result", "nextCursor")
	if string(cursor) == "null" || string(cursor) == `""` {
		return nil
	}
	return cursor
}
