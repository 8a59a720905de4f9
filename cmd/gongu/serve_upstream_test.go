package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// upstreamProgram is the name under which the test binary is an MCP server
// that tests kill.
const upstreamProgram = "gongu-test-upstream"

// upstreamMain is that program: on pipes with a journal, or at an address with
// a journal and an era.
func upstreamMain() {
	if len(os.Args) == 3 && os.Args[1] == "pipes" {
		(&testUpstream{journal: os.Args[2]}).pipes(os.Stdin, os.Stdout)
		return
	}
	if len(os.Args) == 4 && os.Args[1] == "attach" {
		attachSilently(os.Args[2], os.Args[3])
		return
	}
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: pipes JOURNAL | attach STATE-ROOT CLIENT | ADDRESS JOURNAL legacy|modern")
		os.Exit(2)
	}
	// The address is that of a server which was killed a moment ago.
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0) // the test is gone
	}()
	fmt.Println("ready")
	u := &testUpstream{journal: os.Args[2], modern: os.Args[3] == "modern", session: fmt.Sprint("of-", os.Getpid())}
	fmt.Fprintln(os.Stderr, http.Serve(listener, u))
	os.Exit(1)
}

// testUpstream is an MCP server that does what its callers say.
type testUpstream struct {
	modern  bool
	journal string // gets a line for each call, before it is worked on
	// described is the description of echo; nil is the honest one.
	described atomic.Pointer[string]

	over atomic.Bool // nobody waits for anything any more

	mu      sync.Mutex
	session string         // the one that is known, of the legacy era over HTTP
	ran     map[string]int // calls of each tool
	headers []http.Header
	asked   int
	answers map[string]chan json.RawMessage
	out     *bufio.Writer // of pipes
}

type upstreamMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Params struct {
		Name      string          `json:"name"`
		Version   string          `json:"protocolVersion"`
		State     string          `json:"requestState"`
		Responses json.RawMessage `json:"inputResponses"`
		Arguments struct {
			Text string `json:"text"`
			Size int    `json:"size"`
			File string `json:"file"`
			MS   int    `json:"ms"`
		} `json:"arguments"`
	} `json:"params"`
}

// pipes serves until its input ends.
func (u *testUpstream) pipes(in io.Reader, out io.Writer) {
	u.out = bufio.NewWriter(out)
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m upstreamMessage
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		if m.Method == "" {
			u.mu.Lock()
			waiting := u.answers[string(m.ID)]
			u.mu.Unlock()
			if waiting != nil {
				waiting <- m.Result
			}
			continue
		}
		go func() { u.write(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, u.answer(&m)) }()
	}
}

func (u *testUpstream) write(format string, args ...any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	fmt.Fprintf(u.out, format+"\n", args...)
	_ = u.out.Flush() // the client may be gone
}

// ask puts a question to the client on the other end of the pipes.
func (u *testUpstream) ask(method, params string) json.RawMessage {
	u.mu.Lock()
	u.asked++
	id, answer := fmt.Sprintf(`"q%d"`, u.asked), make(chan json.RawMessage, 1)
	if u.answers == nil {
		u.answers = map[string]chan json.RawMessage{}
	}
	u.answers[id] = answer
	u.mu.Unlock()
	u.write(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
	return <-answer
}

// listen serves in this process and returns the address.
func (u *testUpstream) listen(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(u)
	t.Cleanup(func() {
		u.over.Store(true)
		server.Close()
	})
	return server.URL
}

// ServeHTTP answers each request with one JSON document.
func (u *testUpstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	u.headers = append(u.headers, r.Header.Clone())
	u.mu.Unlock()
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var m upstreamMessage
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	u.mu.Lock()
	session := u.session
	u.mu.Unlock()
	if !u.modern && m.Method != "initialize" && m.Method != "server/discover" && r.Header.Get("Mcp-Session-Id") != session {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if m.Method == "initialize" {
		w.Header().Set("Mcp-Session-Id", session)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, u.answer(&m))
}

// answer is the result or error member of the answer.
func (u *testUpstream) answer(m *upstreamMessage) string {
	switch {
	case m.Method == "server/discover" && u.modern:
		return `"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}`
	case m.Method == "initialize" && !u.modern:
		return `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"upstream","version":"1"}}`
	case m.Method == "tools/list":
		return `"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[` + strings.Join(u.tools(), ",") + `]}`
	case m.Method == "tools/call":
		u.note(m.Params.Name, m.Params.Arguments.Text)
		return `"result":` + u.call(m)
	}
	return `"error":{"code":-32601,"message":"method not found"}`
}

func (u *testUpstream) tools() []string {
	description := "Says it again."
	if other := u.described.Load(); other != nil {
		description = *other
	}
	quoted, err := json.Marshal(description)
	if err != nil {
		panic(err)
	}
	define := func(name, description, more string) string {
		return fmt.Sprintf(`{"name":%q,"description":%s,"inputSchema":{"type":"object","properties":{"text":{"type":"string"},"size":{"type":"integer"},"ms":{"type":"integer"},"file":{"type":"string"}}}%s}`, name, description, more)
	}
	return []string{
		define("echo", string(quoted), ""),
		define("look", `"Says it again and changes nothing."`, `,"annotations":{"readOnlyHint":true}`),
		define("big", `"A text of so many bytes."`, ""),
		define("hold", `"Says it again once the file is there."`, ""),
		define("ask", `"Asks who is there."`, ""),
	}
}

// note keeps the books of what was begun.
func (u *testUpstream) note(tool, text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ran == nil {
		u.ran = map[string]int{}
	}
	u.ran[tool]++
	if u.journal == "" {
		return
	}
	file, err := os.OpenFile(u.journal, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(file, "%d %s %s\n", os.Getpid(), tool, text)
		_ = file.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (u *testUpstream) count(tool string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.ran[tool]
}

func (u *testUpstream) call(m *upstreamMessage) string {
	args := &m.Params.Arguments
	text := func(s string) string {
		raw, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":%s}]}`, raw)
	}
	time.Sleep(time.Duration(args.MS) * time.Millisecond)
	switch m.Params.Name {
	case "big":
		return text(strings.Repeat("x", args.Size))
	case "hold":
		for !exists(args.File) && !u.over.Load() {
			time.Sleep(5 * time.Millisecond)
		}
	case "ask":
		const question = `{"message":"who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`
		switch {
		case u.out != nil:
			return text(string(u.ask("elicitation/create", question)))
		case m.Params.State == "":
			return `{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":` + question + `}},"requestState":"s-1"}`
		}
		return text(m.Params.State + " " + string(m.Params.Responses))
	}
	return text(args.Text)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
