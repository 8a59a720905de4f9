package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
)

// TestMaliciousCalls: whatever a tool of a server does, its caller gets the
// documented error within its limit, and the server's other tools, or its next
// process, work.
func TestMaliciousCalls(t *testing.T) {
	for _, tc := range []struct {
		tool, args, code string
		// stays says that the process survives.
		stays bool
	}{
		{"big", `{"size":67108864}`, gongu.CodeOutputTooLarge, true},
		{"endless", `{}`, gongu.CodeOutcomeUnknown, false},
		{"crash", `{}`, gongu.CodeOutcomeUnknown, false},
		{"garbage", `{}`, gongu.CodeTimeout, true},
		{"wrongId", `{}`, gongu.CodeTimeout, true},
		{"nothing", `{}`, gongu.CodeTimeout, true},
		{"noResult", `{}`, gongu.CodeTimeout, true},
		{"refuse", `{}`, gongu.CodeTool, true},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, "srv", fixture{})
			cfg.Timeouts.Call = time.Second
			if tc.tool == "big" || tc.tool == "endless" {
				cfg.Timeouts.Call = testTimeout
			}
			c := client(t, cfg, nil)
			before := invoke(t, t.Context(), c, "pid", `{}`)
			r := invoke(t, t.Context(), c, tc.tool, tc.args)
			wantCode(t, r, tc.code)
			if tc.tool == "crash" && !strings.Contains(r.Error.Message, "segmentation fault, kind of") {
				t.Errorf("the last words are missing: %s", r.Error.Message)
			}
			after := invoke(t, t.Context(), c, "pid", `{}`)
			if after.Failed() || (string(before.Output) == string(after.Output)) != tc.stays {
				t.Errorf("process %s before, %s %+v after", before.Output, after.Output, after.Error)
			}
		})
	}
}

// TestAnswersTwice: the second answer to a request goes to nobody.
func TestAnswersTwice(t *testing.T) {
	c := start(t, fixture{})
	for range 20 {
		wantOutput(t, invoke(t, t.Context(), c, "twice", `{}`), `"first"`)
		wantOutput(t, invoke(t, t.Context(), c, "text", `{}`), `"hello"`)
	}
}

// TestDeafServer: a server that reads no more holds a caller with a large
// message no longer than the limit, and the next one gets another process.
func TestDeafServer(t *testing.T) {
	cfg := config(t, "srv", fixture{})
	cfg.Timeouts.Call = time.Second
	c := client(t, cfg, nil)
	wantOutput(t, invoke(t, t.Context(), c, "deaf", `{}`), `"hello"`)
	args := `{"x":"` + strings.Repeat("x", 1<<20) + `"}`
	if r := invoke(t, t.Context(), c, "echo", args); r.Failed() {
		wantCode(t, r, gongu.CodeUnavailable)
	} else if n := c.Status().Connections; n != 2 {
		t.Errorf("it was answered by connection %d", n)
	}
	wantOutput(t, invoke(t, t.Context(), c, "text", `{}`), `"hello"`)
}

// TestProgressHasAnEnd: progress keeps a call alive, and not for ever.
func TestProgressHasAnEnd(t *testing.T) {
	cfg := config(t, "srv", fixture{})
	cfg.Timeouts.Call = 200 * time.Millisecond
	c := client(t, cfg, nil)
	able := caller(t, gongu.Caller{Progress: func(context.Context, float64, float64, string) {}})
	began := time.Now()
	wantCode(t, invoke(t, able, c, "forever", `{}`), gongu.CodeTimeout)
	if took := time.Since(began); took < time.Second {
		t.Errorf("a call with progress ended after %s", took)
	}
}

// TestMaliciousStarts: servers that cannot be used say why, within the limit.
func TestMaliciousStarts(t *testing.T) {
	for _, tc := range []struct {
		name   string
		f      fixture
		reason mcpclient.Reason
		text   string
	}{
		{"hangs on initialize", fixture{HangInit: true}, mcpclient.ReasonTimeout, "no connection within 1s"},
		{"dies", fixture{Die: true}, mcpclient.ReasonBroken, "cannot find my configuration"},
		{"unknown version", fixture{BadVersion: "1999-01-01"}, mcpclient.ReasonProtocol, "1999-01-01"},
		{"hangs on list", fixture{HangList: true}, mcpclient.ReasonTimeout, "no list of tools within 1s"},
		{"garbage only", fixture{Garbage: 300}, mcpclient.ReasonProtocol, "something else than MCP"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, "srv", tc.f)
			cfg.Timeouts = mcpclient.Timeouts{Connect: time.Second, List: time.Second}
			if tc.name != "hangs on initialize" {
				cfg.Timeouts.Connect = testTimeout
			}
			c := client(t, cfg, nil)
			_, err := c.Tools(t.Context())
			own, ok := errors.AsType[*mcpclient.Error](err)
			if !ok || own.Reason != tc.reason || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("%v, want %s: %s", err, tc.reason, tc.text)
			}
		})
	}
}

// TestMaliciousLists: lists that never end, are huge or hold nonsense.
func TestMaliciousLists(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 200) + `{}` + strings.Repeat(`}}`, 200)
	many := strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/a"},`, 25), ",")
	bomb := `{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[` + strings.ReplaceAll(many, "defs/a", "defs/b") + `]},"b":{"anyOf":[` + strings.ReplaceAll(many, "defs/a", "defs/c") + `]},"c":{"anyOf":[` + strings.ReplaceAll(many, "defs/a", "defs/d") + `]},"d":{"anyOf":[` + strings.ReplaceAll(many, "defs/a", "defs/e") + `]},"e":{"type":"string"}}}`
	for _, tc := range []struct {
		name    string
		f       fixture
		tools   int
		problem string
	}{
		{"100,000 tools", fixture{Raw: []string{`{"name":"a","inputSchema":{"type":"object"}}`}, Tools: 100_000, PageSize: 5000}, 10_000, "more than 10000 tools"},
		{"cursor that never advances", fixture{PageSize: 5, Stuck: true}, 5, "same page again"},
		{"always another cursor", fixture{PageSize: 10, Growing: true}, 1, "more than 20 pages"},
		{"schema bombs", fixture{Raw: []string{
			`{"name":"good","inputSchema":{"type":"object"}}`,
			`{"name":"deep","inputSchema":` + deep + `}`,
			`{"name":"wide","inputSchema":` + bomb + `}`,
			`{"name":"loop","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/properties/x"}}}}`,
			`{"name":"remote","inputSchema":{"$ref":"http://127.0.0.1:1/x"}}`,
			`{"name":"file","inputSchema":{"$ref":"file:///etc/passwd"}}`,
		}}, 1, `"wide" is left out`},
		{"entries that are none", fixture{Raw: []string{
			`null`, `7`, `{}`, `{"name":""}`, `{"name":7}`, `{"name":"ok","inputSchema":{"type":"object"}}`,
			`{"name":"ok","inputSchema":{"type":"object"},"description":"again"}`, `{"name":"array","inputSchema":{"type":"array"}}`,
		}}, 1, `"ok" is listed again`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := client(t, config(t, "srv", tc.f), &mcpclient.Options{Limits: mcpclient.Limits{Pages: 20 + 80*min(1, tc.f.Tools)}})
			listing := list(t, c)
			if len(listing.Tools) != tc.tools || !strings.Contains(strings.Join(listing.Problems, "\n"), tc.problem) {
				t.Errorf("%d tools, want %d; problems %.600q", len(listing.Tools), tc.tools, listing.Problems)
			}
		})
	}
}

// TestHugeListIsRefused: 100,000 tools in one message are over its limit.
func TestHugeListIsRefused(t *testing.T) {
	c := start(t, fixture{Tools: 200_000})
	_, err := c.Tools(t.Context())
	if own, ok := errors.AsType[*mcpclient.Error](err); !ok || own.Reason != mcpclient.ReasonTooLarge {
		t.Errorf("%v", err)
	}
}

// TestOthersKeepWorking: the worst servers of a group cost the others nothing.
// Gemini E26.
func TestOthersKeepWorking(t *testing.T) {
	g, err := mcpclient.NewGroup(quietly(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	hang := config(t, "hang", fixture{HangInit: true})
	hang.Timeouts.Connect = 2 * time.Second
	if err := g.Add(hang, config(t, "dead", fixture{Die: true}), config(t, "good", fixture{})); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	loads := g.Tools(ctx)
	if len(loads) != 3 || loads[0].Err == nil || loads[1].Err != nil || len(loads[1].Listing.Tools) != len(ownTools) || loads[2].Err == nil {
		t.Errorf("%+v", loads)
	}
	var states []string
	for _, s := range g.Status() {
		states = append(states, fmt.Sprint(s.Name, " ", s.State, " ", s.Reason))
	}
	if got := strings.Join(states, ", "); got != "dead failed broken, good ready , hang failed timeout" {
		t.Errorf("%s", got)
	}
	// While one server hangs, another serves.
	good := g.Client("good")
	var all sync.WaitGroup
	all.Go(func() { _, _ = g.Client("hang").Refresh(ctx) })
	for range 50 {
		wantOutput(t, invoke(t, ctx, good, "text", `{}`), `"hello"`)
	}
	all.Wait()
}

// TestS8QueueIsBounded: more requests than may wait are refused at once, and those that
// wait get their turn. Promise S8.
func TestS8QueueIsBounded(t *testing.T) {
	cfg := config(t, "srv", fixture{})
	cfg.MaxConcurrent, cfg.Queue = 2, 3
	c := client(t, cfg, nil)
	list(t, c)
	var mu sync.Mutex
	codes := map[string]int{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r := invoke(t, t.Context(), c, "sleep", `{"ms":500}`)
			code := ""
			if r.Error != nil {
				code = r.Error.Code
			}
			mu.Lock()
			defer mu.Unlock()
			codes[code]++
		})
	}
	all.Wait()
	if codes[""] != 5 || codes[gongu.CodeUnavailable] != 3 {
		t.Errorf("%v, want 5 served and 3 refused", codes)
	}
}

// TestEnvironment: a child sees what it was given and little else. Gemini E22.
func TestEnvironment(t *testing.T) {
	t.Setenv("GONGU_TEST_SECRET", "do-not-tell")
	t.Setenv("GONGU_TEST_GIVEN", "given")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := config(t, "srv", fixture{})
	cfg.Env["A"], cfg.Env["B"], cfg.Env["C"], cfg.Env["D"] = "${env:GONGU_TEST_GIVEN}", "${file:token}", "${keyring:k}", "${env:GONGU_NONE:-other}"
	c := client(t, cfg, &mcpclient.Options{Dir: dir, Keyring: ring{}})
	r := invoke(t, t.Context(), c, "env", `{}`)
	var env string
	if err := json.Unmarshal(r.Output, &env); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A=given", "B=from-file", "C=secret of k", "D=other", "PATH="} {
		if !strings.Contains("\n"+env+"\n", "\n"+want) {
			t.Errorf("no %s in the environment", want)
		}
	}
	if strings.Contains(env, "do-not-tell") {
		t.Error("a secret of ours reached the server")
	}
	for text, want := range map[string]string{"${env:GONGU_NONE}": "GONGU_NONE is not set", "${keyring:x}": "no keyring is set up", "${file:none}": "no such file"} {
		cfg := config(t, "srv", fixture{})
		cfg.Args = []string{text}
		_, err := client(t, cfg, &mcpclient.Options{Dir: dir}).Info(t.Context())
		if own, ok := errors.AsType[*mcpclient.Error](err); !ok || own.Reason != mcpclient.ReasonConfig || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

type ring struct{}

func (ring) Secret(name string) (string, error) { return "secret of " + name, nil }
