package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for what must come. It means "does not
// hang" and nothing else.
const patience = 60 * time.Second

// servers are the background programs of one script.
type servers struct {
	names []string // of the environment
	mu    sync.Mutex
	all   map[string]*background
}

type serversKey struct{}

// withServers lets a script start servers, with its own environment.
func withServers(env *testscript.Env) {
	s := &servers{all: map[string]*background{}}
	for _, pair := range env.Vars {
		name, _, _ := strings.Cut(pair, "=")
		s.names = append(s.names, name)
	}
	env.Values[serversKey{}] = s
}

// background is a program that runs beside its script.
type background struct {
	cmd   *exec.Cmd
	ready chan string // the address that it serves at
	ended chan struct{}
}

var servingAt = regexp.MustCompile(`(?m)^(?:Serving MCP at|MCP 제공 주소:) (http://\S+)/mcp$`)

// startServer starts a server and waits until it says where it is:
//
//	server NAME [VARIABLE=VALUE]... gongu serve [FLAG...]
//
// $NAME is its address then, $NAME_PID its process, and the files NAME.out and
// NAME.err have what it says.
func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: server NAME [VARIABLE=VALUE]... COMMAND...")
	}
	s := ts.Value(serversKey{}).(*servers)
	name, words := args[0], args[1:]
	var environment []string
	for _, variable := range s.names {
		environment = append(environment, variable+"="+ts.Getenv(variable))
	}
	for strings.Contains(words[0], "=") {
		environment, words = append(environment, words[0]), words[1:]
	}
	out, err := os.Create(ts.MkAbs(name + ".out"))
	ts.Check(err)
	stderr, err := os.Create(ts.MkAbs(name + ".err"))
	ts.Check(err)
	b := &background{cmd: exec.Command(words[0], words[1:]...), ready: make(chan string, 1), ended: make(chan struct{})}
	b.cmd.Dir, b.cmd.Env, b.cmd.Stderr = ts.MkAbs("."), environment, stderr
	b.cmd.Stdout = &announcement{file: out, ready: b.ready}
	ts.Check(b.cmd.Start())
	go func() {
		_ = b.cmd.Wait() // how it ended is looked at when it is stopped
		_ = errors.Join(out.Close(), stderr.Close())
		close(b.ended)
	}()
	ts.Defer(func() {
		_ = b.cmd.Process.Kill() // it may have ended
		<-b.ended
	})
	s.mu.Lock()
	s.all[name] = b
	s.mu.Unlock()
	select {
	case url := <-b.ready:
		ts.Setenv(name, url)
		ts.Setenv(name+"_PID", strconv.Itoa(b.cmd.Process.Pid))
	case <-b.ended:
		ts.Fatalf("%s ended: %v\n%s%s", name, b.cmd.ProcessState, ts.ReadFile(name+".out"), ts.ReadFile(name+".err"))
	case <-time.After(patience):
		ts.Fatalf("%s did not get ready\n%s", name, ts.ReadFile(name+".err"))
	}
}

// announcement is the output of a server, which says where it is.
type announcement struct {
	file  io.Writer
	seen  bytes.Buffer
	ready chan string
}

func (a *announcement) Write(p []byte) (int, error) {
	if _, err := a.file.Write(p); err != nil {
		return 0, err
	}
	a.seen.Write(p)
	if found := servingAt.FindSubmatch(a.seen.Bytes()); found != nil && a.ready != nil {
		a.ready <- string(found[1])
		a.ready = nil
	}
	return len(p), nil
}

// sendSignal sends a signal to a server: tell NAME HUP.
func sendSignal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tell NAME HUP|TERM|INT|KILL")
	}
	signals := map[string]os.Signal{"HUP": syscall.SIGHUP, "TERM": syscall.SIGTERM, "INT": os.Interrupt, "KILL": os.Kill}
	ts.Check(find(ts, args[0]).cmd.Process.Signal(signals[args[1]]))
}

func find(ts *testscript.TestScript, name string) *background {
	s := ts.Value(serversKey{}).(*servers)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.all[name]
	if b == nil {
		ts.Fatalf("there is no server %s", name)
	}
	return b
}

// endServer ends a server and waits: end NAME [SIGNAL]. It must end well;
// "! end" wants it to end badly.
func endServer(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 1 {
		args = append(args, "TERM")
	}
	sendSignal(ts, false, args)
	b := find(ts, args[0])
	select {
	case <-b.ended:
	case <-time.After(patience):
		ts.Fatalf("%s did not end", args[0])
	}
	if b.cmd.ProcessState.Success() == neg {
		ts.Fatalf("%s ended with %v\n%s", args[0], b.cmd.ProcessState, ts.ReadFile(args[0]+".err"))
	}
}

// httpFlags are what a request of a script can have.
type httpFlags struct {
	header  http.Header
	headers bool           // show those of the answer
	until   *regexp.Regexp // ask again until the answer is like this
}

// httpRequest makes a request: the body of the answer is stdout, its status
// stderr. "! http" wants a status of 400 or more.
//
//	http [-h 'NAME: VALUE']... [-i] [-until REGEXP] METHOD URL [BODY]
func httpRequest(ts *testscript.TestScript, neg bool, args []string) {
	f := httpFlags{header: http.Header{}}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case args[0] == "-i":
			f.headers, args = true, args[1:]
		case args[0] == "-h" && len(args) > 1:
			name, value, _ := strings.Cut(args[1], ":")
			f.header.Add(name, strings.TrimSpace(value))
			args = args[2:]
		case args[0] == "-until" && len(args) > 1:
			f.until, args = regexp.MustCompile("(?m)"+args[1]), args[2:]
		default:
			ts.Fatalf("http: unknown flag %s", args[0])
		}
	}
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: http [-h 'NAME: VALUE']... [-i] [-until REGEXP] METHOD URL [BODY]")
	}
	var body string
	if len(args) == 3 {
		body = args[2]
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		status, text := exchange(ctx, ts, &f, args[0], args[1], body)
		if f.until != nil && !f.until.MatchString(text) {
			select {
			case <-ctx.Done():
				ts.Fatalf("the answer stays another:\n%s", text)
			case <-time.After(20 * time.Millisecond):
			}
			continue
		}
		_, err := io.WriteString(ts.Stdout(), text)
		ts.Check(err)
		_, err = io.WriteString(ts.Stderr(), strconv.Itoa(status)+"\n")
		ts.Check(err)
		if (status >= 400) != neg {
			ts.Fatalf("status %d\n%s", status, text)
		}
		return
	}
}

func exchange(ctx context.Context, ts *testscript.TestScript, f *httpFlags, method, url, body string) (int, string) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	ts.Check(err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
	}
	for name, values := range f.header {
		request.Header[name] = values
	}
	if host := f.header.Get("Host"); host != "" {
		request.Host = host
	}
	// Every request has its own connection: none is left when the script ends.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	ts.Check(err)
	if !f.headers {
		return response.StatusCode, string(answer)
	}
	var head []string
	for name, values := range response.Header {
		for _, value := range values {
			head = append(head, name+": "+value)
		}
	}
	slices.Sort(head)
	return response.StatusCode, strings.Join(head, "\n") + "\n\n" + string(answer)
}

// capture puts what a part of a file is into a variable: capture NAME FILE
// REGEXP, with one group.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: capture NAME FILE REGEXP")
	}
	found := regexp.MustCompile("(?m)" + args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if len(found) != 2 {
		ts.Fatalf("no %s in:\n%s", args[2], ts.ReadFile(args[1]))
	}
	ts.Setenv(args[0], found[1])
}
