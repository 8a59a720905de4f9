//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gongu-ai/gongu"
)

// pipesServer is the resource of an upstream on pipes.
func pipesServer(name, journal, more string) string {
	return fmt.Sprintf("---\napiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: %s}\nspec:\n  command: %q\n  args: [pipes, %q]\n  trust: true\n%s", name, programPath(), journal, more)
}

// httpServer is the resource of an upstream at an address.
func httpServer(name, url, more string) string {
	return fmt.Sprintf("---\napiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: %s}\nspec:\n  url: %q\n  type: http\n  trust: true\n%s", name, url, more)
}

// programPath is where the upstream's program lies: the server's PATH is its
// own.
func programPath() string {
	path, err := exec.LookPath(upstreamProgram)
	if err != nil {
		panic(err)
	}
	return path
}

// remote is an upstream at an address, in a process of its own.
type remote struct {
	t             testing.TB
	address, file string
	era           string
	cmd           *exec.Cmd
}

func startRemote(t testing.TB, era string) *remote {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{t: t, address: listener.Addr().String(), file: filepath.Join(t.TempDir(), "journal"), era: era}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	r.start()
	t.Cleanup(r.kill)
	return r
}

// start returns when the program listens.
func (r *remote) start() {
	r.t.Helper()
	r.cmd = exec.Command(upstreamProgram, r.address, r.file, r.era)
	r.cmd.Stderr = os.Stderr
	out, err := r.cmd.StdoutPipe()
	if err == nil {
		_, err = r.cmd.StdinPipe() // it ends with this program
	}
	if err == nil {
		err = r.cmd.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 1))
	}
	if err != nil {
		r.t.Fatalf("the upstream does not start: %v", err)
	}
}

func (r *remote) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait() // it was killed
}

// forgotten waits until nobody has a connection to the killed server any more,
// so that a call comes after its death for gongu, too.
func (r *remote) forgotten() {
	r.t.Helper()
	_, port, err := net.SplitHostPort(r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		r.t.Fatal(err)
	}
	// local, remote, state: 8 is a connection that the other end has closed.
	open := regexp.MustCompile(fmt.Sprintf(`(?m)^ *\d+: [0-9A-F:]+ 0100007F:%04X 08 `, number))
	waitFor(r.t, "for the dead connections to be closed", func() bool {
		raw, err := os.ReadFile("/proc/net/tcp")
		return err != nil || !open.Match(raw)
	})
}

// begun are the calls that an upstream has begun: pid, tool and text.
func begun(t testing.TB, journal, tool, text string) (pids []int) {
	t.Helper()
	raw, err := os.ReadFile(journal)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		words := strings.Fields(line)
		if len(words) == 3 && words[1] == tool && words[2] == text {
			pid, err := strconv.Atoi(words[0])
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// worker is the process that began a call.
func worker(t testing.TB, journal, tool, text string) int {
	t.Helper()
	pids := begun(t, journal, tool, text)
	if len(pids) == 0 {
		t.Fatalf("%s of %s did not reach the upstream", tool, text)
	}
	return pids[0]
}

// TestServeBigResult: 12 MiB from an upstream are cut as H12 says, whatever
// they came over and whoever asked, and the server keeps none of them.
func TestServeBigResult(t *testing.T) {
	t.Parallel()
	const size = 12 << 20
	rounds := 2
	if raceDetector {
		rounds = 1
	}
	s := serveBundle(t, httpServer("far", (&testUpstream{modern: true}).listen(t), "")+pipesServer("near", filepath.Join(t.TempDir(), "journal"), ""))
	client := s.user(true)
	for _, server := range []string{"far", "near"} {
		if r := client.call(t.Context(), "1", server+"__echo", `{"text":"first"}`); !r.ok("first") {
			t.Fatal(r)
		}
	}
	before := s.metric("process_resident_memory_bytes")
	eras(t, func(t *testing.T, modern bool) {
		for _, server := range []string{"far", "near"} {
			client := s.user(modern)
			for range rounds {
				r := client.call(t.Context(), "7", server+"__big", fmt.Sprintf(`{"size":%d}`, size))
				var cut struct {
					Truncated bool
					Bytes     int
					Preview   string
					Path      string
				}
				if err := json.Unmarshal([]byte(r.text), &cut); err != nil || r.err != nil || r.id != "7" || r.isError || len(r.body) > 64<<10 {
					t.Fatalf("%s: %v: %d bytes: %v", server, err, len(r.body), r)
				}
				if !cut.Truncated || cut.Bytes < size || !strings.Contains(cut.Preview, "xxx") {
					t.Errorf("%s: %.300s", server, r.text)
				}
				if whole, err := os.Stat(cut.Path); err != nil || whole.Size() < size {
					t.Errorf("%s: the whole text is not at %q: %v", server, cut.Path, err)
				}
			}
			if r := client.call(t.Context(), `"after"`, server+"__echo", `{"text":"small"}`); !r.ok("small") || r.id != `"after"` {
				t.Errorf("%s: the next call: %v", server, r)
			}
		}
	})
	if strings.Contains(s.stderr.String(), "bundle reloaded") {
		t.Error("what gongu keeps for the model counts as a change of the bundle")
	}
	// One result, read into a buffer that grows, and the collector's slack.
	const most = 12 * size
	grown := s.metric("process_resident_memory_bytes") - before
	t.Logf("%d results of %d MiB: the resident memory grew by %.0f MiB", 4*rounds, size>>20, grown/(1<<20))
	if !raceDetector && grown > most {
		t.Errorf("the resident memory grew by %.0f MiB", grown/(1<<20))
	}
}

// TestServeKilledUpstream: a call whose upstream is killed under it is told
// what is known; the next call works, as soon as the upstream can.
func TestServeKilledUpstream(t *testing.T) {
	for _, kind := range []string{"pipes", "legacy", "modern"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			journal := filepath.Join(t.TempDir(), "journal")
			yaml := pipesServer("up", journal, "")
			// A call comes after the death once gongu has buried the program:
			// one that was written before may have been read.
			restart := func(killed int) {
				waitFor(t, "for the upstream to die", func() bool { return !exists(fmt.Sprint("/proc/", killed)) })
			}
			if kind != "pipes" {
				r := startRemote(t, kind)
				journal, restart = r.file, func(int) { r.kill(); r.forgotten(); r.start() }
				yaml = httpServer("up", "http://"+r.address, "")
			}
			s := serveBundle(t, yaml)
			eras(t, func(t *testing.T, modern bool) { killTest(t, s, s.user(modern), journal, restart) })
		})
	}
}

func killTest(t *testing.T, s *served, client *mcpUser, journal string, restart func(killed int)) {
	name := strings.ReplaceAll(t.Name(), "/", "-")
	call := func(tool, text string) *reply {
		return client.call(t.Context(), fmt.Sprintf("%q", text), "up__"+tool, fmt.Sprintf(`{"text":%q,"file":%q}`, text, filepath.Join(s.dir, "never-"+name)))
	}
	kill := func(pid int) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		restart(pid)
	}
	if r := call("echo", "before-"+name); !r.ok("before-" + name) {
		t.Fatal(r)
	}
	// In the middle of a call. The upstream was told and may have done it.
	text := "during-" + name
	const flying = 8 // one death is one failure, however many saw it
	ended := make(chan *reply, flying)
	for range flying {
		go func() { ended <- call("hold", text) }()
	}
	waitFor(t, "for the calls to reach the upstream", func() bool { return len(begun(t, journal, "hold", text)) == flying })
	kill(worker(t, journal, "hold", text))
	for range flying {
		if r := <-ended; r.err != nil || r.id != fmt.Sprintf("%q", text) || !r.isError || r.code != gongu.CodeOutcomeUnknown {
			t.Errorf("a call in flight: %v", r)
		}
	}
	if n := len(begun(t, journal, "hold", text)); n != flying {
		t.Errorf("%d calls that may change something were sent %d times", flying, n)
	}
	if r := call("echo", "next-"+name); !r.ok("next-" + name) {
		t.Errorf("the next call: %v", r)
	}
	// Between two calls.
	kill(worker(t, journal, "echo", "next-"+name))
	if r := call("echo", "between-"+name); !r.ok("between-"+name) || len(begun(t, journal, "echo", "between-"+name)) != 1 {
		t.Errorf("the call after a silent death: %v", r)
	}
	// A call that changes nothing is simply made again.
	kill(worker(t, journal, "echo", "between-"+name))
	if r := call("look", "again-"+name); !r.ok("again-" + name) {
		t.Errorf("a call that can be repeated: %v", r)
	}
}

// TestServeForgottenSession: an upstream that has forgotten its session gets
// another one. A call that it was carrying out by then is not sent again, and
// is answered when it is done.
func TestServeForgottenSession(t *testing.T) {
	t.Parallel()
	u := &testUpstream{session: "one"}
	s := serveBundle(t, httpServer("up", u.listen(t), ""))
	eras(t, func(t *testing.T, modern bool) {
		client, before := s.user(modern), u.count("hold")
		release := filepath.Join(t.TempDir(), "release")
		ended := make(chan *reply, 1)
		if r := client.call(t.Context(), "0", "up__echo", `{"text":"first"}`); !r.ok("first") {
			t.Fatal(r)
		}
		go func() {
			ended <- client.call(t.Context(), "1", "up__hold", fmt.Sprintf(`{"text":"held","file":%q}`, release))
		}()
		waitFor(t, "for the call to reach the upstream", func() bool { return u.count("hold") == before+1 })
		u.mu.Lock()
		u.session += "-more"
		u.mu.Unlock()
		for i := range 3 {
			if r := client.call(t.Context(), "2", "up__echo", fmt.Sprintf(`{"text":"next %d"}`, i)); !r.ok(fmt.Sprint("next ", i)) {
				t.Errorf("a call with a session that is forgotten: %v", r)
			}
		}
		if err := os.WriteFile(release, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := <-ended; !r.ok("held") {
			t.Errorf("the call of the old session: %v", r)
		}
		if n := u.count("hold") - before; n != 1 {
			t.Errorf("it was carried out %d times", n)
		}
	})
}

// TestServeSlowUpstream: a call of an upstream that says nothing ends at its
// time with an error that the model can read, and holds up nobody.
func TestServeSlowUpstream(t *testing.T) {
	t.Parallel()
	const limit = "  timeouts: {call: 1s}\n"
	s := serveBundle(t, httpServer("far", (&testUpstream{modern: true}).listen(t), limit)+pipesServer("near", filepath.Join(t.TempDir(), "journal"), limit))
	eras(t, func(t *testing.T, modern bool) {
		for _, server := range []string{"far", "near"} {
			client := s.user(modern)
			ended := make(chan *reply, 1)
			if r := client.call(t.Context(), "0", server+"__echo", `{"text":"first"}`); !r.ok("first") {
				t.Fatal(r)
			}
			go func() { ended <- client.call(t.Context(), "5", server+"__hold", `{"file":"/never"}`) }()
			if r := client.call(t.Context(), "6", server+"__echo", `{"text":"meanwhile"}`); !r.ok("meanwhile") {
				t.Errorf("%s: %v", server, r)
			}
			if r := <-ended; r.err != nil || r.id != "5" || !r.isError || r.code != gongu.CodeTimeout || !strings.Contains(r.text, "no answer within 1s") {
				t.Errorf("%s: %v", server, r)
			}
			if r := client.call(t.Context(), "7", server+"__echo", `{"text":"after"}`); !r.ok("after") {
				t.Errorf("%s: %v", server, r)
			}
		}
	})
}
