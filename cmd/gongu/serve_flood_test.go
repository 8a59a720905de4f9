//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// floodMemory is the resident memory that no upstream can make gongu exceed. The
// race detector multiplies what a program needs.
func floodMemory() int {
	if raceDetector {
		return 8 * 300_000_000
	}
	return 300_000_000
}

// floodTime is how long gongu is used while its upstream floods.
const floodTime = 2 * time.Second

// floodSpec starts a flooding upstream and returns how a bundle reaches it.
func floodSpec(t *testing.T, transport, kind string) string {
	t.Helper()
	program, err := exec.LookPath(floodProgram)
	if err != nil {
		t.Fatal(err)
	}
	if transport == "stdio" {
		return fmt.Sprintf("command: %q\n  args: [%s]", program, kind)
	}
	cmd := exec.Command(program, kind, "http")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	path := map[string]string{"http": "/mcp", "sse": "/sse"}[transport]
	return fmt.Sprintf("url: %q\n  type: %s", "http://"+strings.TrimSpace(address)+path, transport)
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// highest is the most memory that the program had so far, in bytes.
func (s *served) highest() int {
	s.t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	found := highWater.FindSubmatch(raw)
	if found == nil {
		s.t.Fatalf("no VmHWM in %s", raw)
	}
	kb, err := strconv.Atoi(string(found[1]))
	if err != nil {
		s.t.Fatal(err)
	}
	return kb << 10
}

// K12, attack 9: an upstream that floods, in whatever way and over whatever
// transport, keeps gongu's resident memory under 300 MB, and gongu answers.
func TestK12FloodingUpstream(t *testing.T) {
	if raceDetector {
		t.Skip("make heavy runs it") //rules:skip the figure is the memory of the program without the race detector
	}
	kinds := []string{floodLists, floodLarge, floodTiny, floodNotifications, floodPings, floodProgress, floodLine, floodBatch}
	if testing.Short() {
		kinds = []string{floodLists, floodNotifications}
	}
	for transport, more := range map[string]string{"stdio": floodStderr, "http": floodHeaders, "sse": ""} {
		for _, kind := range append(kinds, more) {
			if kind != "" {
				t.Run(transport+" "+kind, func(t *testing.T) {
					t.Parallel()
					floodOnce(t, transport, kind)
				})
			}
		}
	}
}

func floodOnce(t *testing.T, transport, kind string) {
	s := serveBundle(t, "apiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: f}\nspec:\n  "+floodSpec(t, transport, kind)+"\n  trust: true\n  timeouts: {connect: 1s, list: 60s, call: 300ms}\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var users sync.WaitGroup
	for i := range 4 {
		users.Go(func() {
			u := s.user(i%2 == 0)
			for n := 1; ctx.Err() == nil; n++ {
				u.begin(ctx)
				u.request(ctx, strconv.Itoa(n), "tools/list", "")
				u.call(ctx, strconv.Itoa(n), "f__t", "{}", fmt.Sprintf(`"_meta":{"progressToken":%d}`, n))
				for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list"} {
					u.request(ctx, strconv.Itoa(n), method, "")
				}
			}
		})
	}
	time.Sleep(floodTime)
	if kind == floodLists { // every list ends at its budget, however long reading it takes
		for _, field := range []string{"tools"} {
			waitFor(t, "for the end of a list", func() bool {
				return strings.Contains(s.stderr.String(), "the list of "+field+" has more than 33554432 bytes")
			})
		}
	}
	cancel()
	users.Wait()
	response, err := http.Get(s.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("not ready after the flood: %d", response.StatusCode)
	}
	most := s.highest()
	t.Logf("%d MB", most/1_000_000)
	if most > floodMemory() {
		t.Errorf("%d MB were resident, want at most %d", most/1_000_000, floodMemory()/1_000_000)
	}
}
