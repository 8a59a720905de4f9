package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// floodProgram is the name under which the test binary is an MCP server that
// sends more than anyone wants.
const floodProgram = "gongu-test-flood"

// The ways to flood. Each sends without an end, or as much as the protocol
// allows.
const (
	floodLists         = "lists"         // pages of 8 MiB, always another cursor
	floodLarge         = "large"         // as many and as large tools as are taken
	floodTiny          = "tiny"          // pages of millions of empty entries
	floodNotifications = "notifications" // giant and tiny ones, list_changed among them
	floodPings         = "pings"         // requests, without reading the answers
	floodProgress      = "progress"      // of each call, giant and tiny
	floodStderr        = "stderr"        // lines, and a line without an end
	floodLine          = "line"          // a message, or an event, without an end
	floodBatch         = "batch"         // batches of hundreds of thousands of messages
	floodHeaders       = "headers"       // of an answer, over HTTP
)

// floodMain floods over pipes (KIND), or at an address that it prints (KIND http).
func floodMain() {
	f := &flood{kind: os.Args[1]}
	if len(os.Args) == 2 {
		f.pipes(os.Stdin, os.Stdout)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0) // the test is gone
	}()
	fmt.Println(listener.Addr())
	fmt.Fprintln(os.Stderr, http.Serve(listener, f))
	os.Exit(1)
}

type flood struct {
	kind   string
	posted sync.Map // channels of answers for the streams of HTTP+SSE, by number
	pages  atomic.Int64
}

// floodOut carries messages. Both functions return false when nobody reads.
type floodOut struct {
	message func(raw []byte) bool
	raw     func(raw []byte) bool // bytes inside of a message
}

func floodText(size int) string { return strings.Repeat("x", size) }

// floodJunk is a message with a part that is used and a giant one that is not.
func floodJunk(message string) []byte {
	return []byte(strings.TrimSuffix(message, "}") + `,"junk":"` + floodText(8<<20) + `"}`)
}

func (f *flood) pipes(in io.Reader, out io.Writer) {
	var mu sync.Mutex
	write := func(end string) func([]byte) bool {
		return func(raw []byte) bool {
			mu.Lock()
			defer mu.Unlock()
			_, err := out.Write(append(bytes.Clone(raw), end...))
			return err == nil
		}
	}
	to := floodOut{message: write("\n"), raw: write("")}
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m upstreamMessage
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		go f.handle(m, line, to)
		if m.Method == "notifications/initialized" {
			go f.pour(to)
			if f.kind == floodPings {
				select {} // it reads no more
			}
		}
	}
}

// ServeHTTP serves streamable HTTP at /mcp and HTTP+SSE at /sse.
func (f *flood) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stream := func() floodOut {
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(before, after string) func([]byte) bool {
			return func(raw []byte) bool {
				_, err := io.WriteString(w, before+string(raw)+after)
				return err == nil && http.NewResponseController(w).Flush() == nil
			}
		}
		return floodOut{message: send("data: ", "\n\n"), raw: send("data: ", "\n")}
	}
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/sse":
		to := stream()
		number, posted := strconv.FormatInt(f.pages.Add(1), 10), make(chan []byte)
		f.posted.Store(number, posted)
		_, _ = io.WriteString(w, "event: endpoint\ndata: /messages?n="+number+"\n\n")
		_ = http.NewResponseController(w).Flush()
		f.relay(r, posted, to)
		return
	case r.Method == http.MethodGet:
		f.pour(stream())
		return
	}
	raw, _ := io.ReadAll(r.Body)
	var m upstreamMessage
	if json.Unmarshal(raw, &m) != nil || r.Method != http.MethodPost {
		return
	}
	if f.kind == floodHeaders && m.Method == "tools/call" {
		for i := range 4096 {
			w.Header().Set(fmt.Sprintf("X-Flood-%d", i), floodText(16<<10))
		}
	}
	switch {
	case r.URL.Path == "/messages":
		w.WriteHeader(http.StatusAccepted)
		found, _ := f.posted.Load(r.URL.Query().Get("n"))
		posted, ok := found.(chan []byte)
		if !ok {
			return
		}
		send := func(raw []byte) bool { posted <- bytes.Clone(raw); return true }
		go f.handle(m, raw, floodOut{message: send, raw: func([]byte) bool { return false }})
	case len(m.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Mcp-Session-Id", "flood")
		f.handle(m, raw, stream())
	}
}

// relay sends what was posted for, and the flood between.
func (f *flood) relay(r *http.Request, posted <-chan []byte, to floodOut) {
	var mu sync.Mutex
	locked := floodOut{
		message: func(raw []byte) bool { mu.Lock(); defer mu.Unlock(); return to.message(raw) },
		raw:     func(raw []byte) bool { mu.Lock(); defer mu.Unlock(); return to.raw(raw) },
	}
	for pouring := false; ; {
		select {
		case raw := <-posted:
			if !locked.message(raw) {
				return
			}
			if !pouring && bytes.Contains(raw, []byte("protocolVersion")) {
				pouring = true
				go f.pour(locked)
			}
		case <-r.Context().Done():
			return
		}
	}
}

func (f *flood) handle(m upstreamMessage, raw []byte, to floodOut) {
	answer := func(result string) {
		to.message(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
	}
	switch {
	case len(m.ID) == 0:
	case m.Method == "initialize":
		answer(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{}},"serverInfo":{"name":"flood","version":"1"}}`)
	case strings.HasSuffix(m.Method, "/list"):
		answer(f.list(m.Method))
	case m.Method == "tools/call":
		f.call(raw, to)
		answer(`{"content":[{"type":"text","text":"done"}]}`)
	default:
		to.message(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID))
	}
}

// list is one page.
func (f *flood) list(method string) string {
	field := map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}[method]
	one := `{"name":"t","uri":"a:b","uriTemplate":"a:{b}","inputSchema":{"type":"object"}}`
	cursor := fmt.Sprintf(`"nextCursor":"%d"`, f.pages.Add(1))
	switch f.kind {
	case floodLists:
		return fmt.Sprintf(`{%q:[%s],%s}`, field, strings.Replace(one, "{", `{"description":"`+floodText(8<<20)+`",`, 1), cursor)
	case floodTiny:
		return fmt.Sprintf(`{%q:[%s{}],%s}`, field, strings.Repeat("{},", 5<<20), cursor)
	case floodLarge:
		var all []string
		for i := range 5000 {
			all = append(all, fmt.Sprintf(`{"name":"t%d","uri":"a:%d","uriTemplate":"a:{b}","description":"%s","inputSchema":{"type":"object","properties":{"p":{"type":"string"}}}}`, i, i, floodText(2900)))
		}
		return fmt.Sprintf(`{%q:[%s]}`, field, strings.Join(all, ","))
	}
	return fmt.Sprintf(`{%q:[%s]}`, field, one)
}

// call is what happens while a tool runs.
func (f *flood) call(raw []byte, to floodOut) {
	switch f.kind {
	case floodProgress:
		var read struct {
			Params struct {
				Meta struct {
					Token json.RawMessage `json:"progressToken"`
				} `json:"_meta"`
			}
		}
		_ = json.Unmarshal(raw, &read)
		for i := 0; ; i++ {
			message := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, read.Params.Meta.Token, i)
			if i%100 == 0 {
				message = floodJunk(strings.Replace(string(message), `"progress":`, `"message":"`+floodText(4<<20)+`","progress":`, 1))
			}
			if !to.message(message) {
				return
			}
		}
	case floodLine:
		for to.raw([]byte(floodText(1 << 20))) {
		}
	}
}

// pour sends what belongs to no call.
func (f *flood) pour(to floodOut) {
	notice := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s","params":%s}`, method, params)
	}
	for i := 0; ; i++ {
		var sent bool
		switch f.kind {
		case floodNotifications:
			switch i % 4 {
			case 0:
				sent = to.message(floodJunk(notice("message", `{"level":"info","data":"`+floodText(4<<20)+`"}`)))
			case 1:
				sent = to.message(floodJunk(notice("resources/updated", `{"uri":"a:b"}`)))
			case 2:
				sent = to.message([]byte(notice("tools/list_changed", `{}`)))
			default:
				sent = to.message(floodJunk(notice("x/unknown", `{"y":"`+floodText(1<<20)+`"}`)))
			}
		case floodPings:
			sent = to.message(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, i))
		case floodBatch:
			one := notice("x/unknown", `{}`)
			sent = to.message([]byte("[" + strings.Repeat(one+",", 200_000) + one + "]"))
		case floodStderr:
			end := "\n"
			if i > 10_000 {
				end = ""
			}
			_, err := io.WriteString(os.Stderr, floodText(4<<10)+end)
			sent = err == nil
		}
		if !sent {
			return
		}
	}
}
