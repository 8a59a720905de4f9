package host_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
)

// upstreamWord makes this program an MCP server that can misbehave.
const upstreamWord = "gongu-mcp-upstream"

// upstream is how the server behaves. It is a file that is read at every
// request, so that a test can change it without a word to the client.
type upstream struct {
	Tools    []json.RawMessage `json:"tools,omitempty"`
	Many     int               `json:"many,omitempty"`     // more of them
	Start    int               `json:"start,omitempty"`    // milliseconds before it reads
	HangInit bool              `json:"hangInit,omitempty"` // no answer to initialize
	HangList bool              `json:"hangList,omitempty"`
	Garbage  bool              `json:"garbage,omitempty"` // a list that is no JSON
	FailList bool              `json:"failList,omitempty"`
	Journal  string            `json:"journal,omitempty"` // gets a line for each method
}

func readUpstream(path string) upstream {
	var u upstream
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &u)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(7)
	}
	return u
}

// serveUpstream speaks just enough of the protocol, by hand.
func serveUpstream(path string) {
	time.Sleep(time.Duration(readUpstream(path).Start) * time.Millisecond)
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name            string          `json:"name"`
				Arguments       json.RawMessage `json:"arguments"`
				ProtocolVersion string          `json:"protocolVersion"`
			} `json:"params"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		u := readUpstream(path)
		u.note(m.Method + " " + m.Params.Name)
		answer := ""
		switch m.Method {
		case "initialize":
			if u.HangInit {
				continue
			}
			answer = fmt.Sprintf(`"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"upstream","version":"1"}}`, m.Params.ProtocolVersion)
		case "tools/list":
			if answer = u.list(); answer == "" {
				continue
			}
		case "tools/call":
			if answer = answerCall(m.Params.Name, m.Params.Arguments); answer == "" {
				continue
			}
		default:
			answer = `"error":{"code":-32601,"message":"method not found"}`
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
		if out.Flush() != nil {
			return
		}
	}
}

func (u *upstream) note(line string) {
	if u.Journal == "" {
		return
	}
	if file, err := os.OpenFile(u.Journal, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(file, line)
		_ = file.Close()
	}
}

func (u *upstream) list() string {
	switch {
	case u.HangList:
		return ""
	case u.Garbage:
		return `"result":{"tools":[{"name":`
	case u.FailList:
		return `"error":{"code":-32603,"message":"the list is broken"}`
	}
	var list bytes.Buffer
	for i, tool := range u.Tools {
		if i > 0 {
			list.WriteByte(',')
		}
		list.Write(tool)
	}
	for i := range u.Many {
		if list.Len() > 0 {
			list.WriteByte(',')
		}
		fmt.Fprintf(&list, `{"name":"t%d","description":"Number %d.","inputSchema":{"type":"object"}}`, i, i)
	}
	return `"result":{"tools":[` + list.String() + `]}`
}

// answerCall is the end of a call; none means silence.
func answerCall(name string, args json.RawMessage) string {
	say := func(text string) string {
		raw, _ := json.Marshal(text)
		return fmt.Sprintf(`"result":{"content":[{"type":"text","text":%s}]}`, raw)
	}
	switch name {
	case "echo":
		return say(string(args))
	case "pid":
		return say(fmt.Sprint(os.Getpid()))
	case "fail":
		return `"result":{"content":[{"type":"text","text":"no such page"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":true}`
	case "big":
		return say(strings.Repeat("x", 64<<20))
	case "crash":
		os.Exit(9)
	case "hang":
		return ""
	case "garbage":
		return `"result":{"content":[}`
	}
	return say("did " + name)
}

// tool is a definition with a description.
func tool(name, description string) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"name": name, "description": description, "inputSchema": map[string]any{"type": "object"}})
	return raw
}

// plant is a bundle over upstreams whose behaviour a test decides.
type plant struct {
	t   *testing.T
	dir string
	// pin goes into each server's spec.
	pin string
	now time.Time
}

func newPlant(t *testing.T) *plant {
	return &plant{t: t, dir: folder(t, ""), now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
}

func (p *plant) behave(name string, u upstream) {
	p.t.Helper()
	raw, err := json.Marshal(u)
	if err != nil {
		p.t.Fatal(err)
	}
	// In one step: the server may read it at any time.
	next := filepath.Join(p.dir, "upstreams", name+".next")
	write(p.t, p.dir, filepath.Join("upstreams", name+".next"), string(raw))
	if err := os.Rename(next, p.file(name)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *plant) file(name string) string { return filepath.Join(p.dir, "upstreams", name+".json") }

// server is the resource of an upstream.
func (p *plant) server(name, more string) string {
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	return fmt.Sprintf("---\napiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: %s}\nspec:\n  command: %q\n  args: [%s, %q]\n  timeouts: {connect: 20s, list: 20s, call: 20s}\n%s%s",
		name, self, upstreamWord, p.file(name), p.pin, more)
}

// write makes the bundle of these servers, with what comes before.
func (p *plant) write(before string, servers ...string) {
	text := before
	for _, name := range servers {
		text += p.server(name, "")
	}
	write(p.t, p.dir, "gongu.yaml", text)
}

// open opens the bundle as a new process would. The clock stands still unless
// the test moves it.
func (p *plant) open(opts *host.Options) *host.Host {
	p.t.Helper()
	if opts == nil {
		opts = &host.Options{}
	}
	if opts.Sources.Now == nil {
		opts.Sources.Now = func() time.Time { return p.now }
	}
	return open(p.t, p.dir, opts)
}

// stands is how the sources are: name=state/tools/held.
func stands(h *host.Host) string {
	var out []string
	for _, s := range h.Sources().Status() {
		out = append(out, fmt.Sprintf("%s=%s/%d/%d", s.Name, s.State, s.Tools, s.Held))
	}
	return strings.Join(out, " ")
}

// code is the code of a failed result, or ok.
func code(r gongu.Result) string {
	if !r.Failed() {
		return "ok"
	}
	return string(r.Error.Code)
}

// journal counts the lines of an upstream's journal.
func journal(t *testing.T, path, prefix string) int {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}
