package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestErasOverPipes connects to servers of each kind: of both eras, one that
// says nothing to what it does not know, one that dies of it, and one that is
// slower than the timeout of the first question.
func TestErasOverPipes(t *testing.T) {
	for _, tc := range []struct {
		name, protocol string
		f              fixture
	}{
		{"legacy", "2025-11-25", fixture{}},
		{"modern", "2026-07-28", fixture{Era: "modern"}},
		{"silent", "2025-11-25", fixture{Era: "silent"}},
		{"fragile", "2025-11-25", fixture{Era: "fragile"}},
		{"slow modern", "2026-07-28", fixture{Era: "modern", StartDelay: 3500}},
		{"old version", "2024-11-05", fixture{BadVersion: "2024-11-05"}},
		{"greeting", "2025-11-25", fixture{Greeting: "Welcome to my server!"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := start(t, tc.f)
			info, err := c.Info(t.Context())
			if err != nil || info.ProtocolVersion != tc.protocol || info.Name != "fixture" {
				t.Fatalf("%+v, %v, want %s", info, err, tc.protocol)
			}
			wantOutput(t, invoke(t, t.Context(), c, "text", `{}`), `"hello"`)
		})
	}
}

// TestPinnedVersion speaks one revision only.
func TestPinnedVersion(t *testing.T) {
	for version, want := range map[string]bool{"2025-06-18": true, "2026-07-28": false} {
		cfg := config(t, "srv", fixture{})
		cfg.ProtocolVersion = version
		info, err := client(t, cfg, nil).Info(t.Context())
		if (err == nil) != want || want && info.ProtocolVersion != version {
			t.Errorf("%s: %+v, %v", version, info, err)
		}
	}
	cfg := config(t, "srv", fixture{})
	cfg.ProtocolVersion = "2031-01-01"
	if _, err := mcpclient.New(cfg, quietly(nil)); err == nil {
		t.Error("an unknown version is no error")
	}
}

// TestS1LazyAndOnce: nothing is started before the first use, and many first
// uses start one process. Promise S1.
func TestS1LazyAndOnce(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	c := start(t, fixture{Journal: journal, StartDelay: 100})
	if s := c.Status(); s.State != mcpclient.StateIdle {
		t.Errorf("state %s before the first use", s.State)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := c.Tools(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	raw, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"server/discover", "initialize\"", "tools/list"} {
		if n := strings.Count(string(raw), method); n != 1 {
			t.Errorf("%s was sent %d times", method, n)
		}
	}
	s := c.Status()
	if s.State != mcpclient.StateReady || s.Tools != len(ownTools) || s.Connections != 1 || s.LastSuccess.IsZero() || s.Latency == 0 {
		t.Errorf("%+v", s)
	}
}

// TestS1RetriedAtNextUse: a load that failed is tried again, and one that
// failed often rests. Promise S1.
func TestS1RetriedAtNextUse(t *testing.T) {
	dir := t.TempDir()
	cfg := config(t, "srv", fixture{})
	self := cfg.Command
	cfg.Command = filepath.Join(dir, "server")
	c := client(t, cfg, nil)
	_, err := c.Tools(t.Context())
	if own, ok := errors.AsType[*mcpclient.Error](err); !ok || own.Reason != mcpclient.ReasonConfig || own.Sent {
		t.Fatalf("%v", err)
	}
	if s := c.Status(); s.State != mcpclient.StateFailed || s.Reason != mcpclient.ReasonConfig {
		t.Errorf("%+v", s)
	}
	if err := os.Symlink(self, cfg.Command); err != nil {
		t.Fatal(err)
	}
	if n := len(list(t, c).Tools); n != len(ownTools) {
		t.Errorf("%d tools", n)
	}
}

// TestBreaker: after three failures nobody waits for the server any more, until
// its rest is over or a person has mended it.
func TestBreaker(t *testing.T) {
	var now atomic.Int64
	clock := func() time.Time { return time.Unix(now.Load(), 0) }
	cfg := config(t, "srv", fixture{})
	self := cfg.Command
	cfg.Command = filepath.Join(t.TempDir(), "server")
	c := client(t, cfg, &mcpclient.Options{Clock: clock})
	reason := func() mcpclient.Reason {
		_, err := c.Info(t.Context())
		own, _ := errors.AsType[*mcpclient.Error](err)
		if own == nil {
			return ""
		}
		return own.Reason
	}
	for range 3 {
		if r := reason(); r != mcpclient.ReasonConfig {
			t.Fatalf("reason %s", r)
		}
	}
	if r := reason(); r != mcpclient.ReasonResting {
		t.Errorf("reason %s after three failures", r)
	}
	now.Add(2)
	if r := reason(); r != mcpclient.ReasonConfig {
		t.Errorf("reason %s after the rest", r)
	}
	if r := reason(); r != mcpclient.ReasonResting {
		t.Errorf("reason %s after the next failure", r)
	}
	if err := os.Symlink(self, cfg.Command); err != nil {
		t.Fatal(err)
	}
	c.Retry()
	if r := reason(); r != "" {
		t.Errorf("reason %s after Retry", r)
	}
}

// TestS3SwapOnSuccess: a list that cannot be read leaves the old one; one that
// can replaces it, and what is gone vanishes. Promise S3; gemini B24, E13.
func TestS3SwapOnSuccess(t *testing.T) {
	dir := t.TempDir()
	fail, flip := filepath.Join(dir, "fail"), filepath.Join(dir, "flip")
	c := start(t, fixture{FailList: fail, Flip: flip})
	before := list(t, c)
	if err := os.WriteFile(fail, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Refresh(t.Context()); err == nil {
		t.Error("a failed refresh is no error")
	}
	if c.Listed() != before {
		t.Error("a failed refresh replaced the list")
	}
	if err := errors.Join(os.Remove(fail), os.WriteFile(flip, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	after, err := c.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	has := func(l *mcpclient.Listing, name string) bool {
		return slices.ContainsFunc(l.Tools, func(d mcpclient.Definition) bool { return d.Tool.Name == name })
	}
	if has(after, "srv__nothing") || !has(after, "srv__renamed") || !strings.Contains(after.Tools[0].Tool.Description, "ignore all") {
		t.Errorf("the new list is not the new one: %v", after.Tools[0].Tool.Description)
	}
}

// TestS6Results: errors of tools, structured content, content of all kinds and
// _meta. Promise S6; gemini F02 to F05.
func TestS6Results(t *testing.T) {
	c := start(t, fixture{})
	ctx := t.Context()
	failed := invoke(t, ctx, c, "fail", `{}`)
	wantCode(t, failed, gongu.CodeTool)
	if failed.Error.Message != "no such page" || !strings.Contains(string(failed.Content), "image/png") || string(failed.Meta) != `{"trace":7}` {
		t.Errorf("%+v %s %s", failed.Error, failed.Content, failed.Meta)
	}
	wantCode(t, invoke(t, ctx, c, "failTrue", `{}`), gongu.CodeTool) // gemini F05
	structured := invoke(t, ctx, c, "structured", `{}`)
	wantOutput(t, structured, `{"z":1,"a":9007199254740993}`)
	if string(structured.Meta) != `{"b":1,"a":2}` || !strings.HasPrefix(string(structured.Content), `[{"type":"text"`) {
		t.Errorf("%s %s", structured.Meta, structured.Content)
	}
	wantOutput(t, invoke(t, ctx, c, "promised", `{}`), `{"n":3}`)
	wantOutput(t, invoke(t, ctx, c, "odd", `{}`), `{"toolResult":"old form"}`) // gemini F04
	mixed := invoke(t, ctx, c, "mixed", `{}`)
	if mixed.Failed() || mixed.Output != nil || !strings.Contains(string(mixed.Content), `"annotations":{"priority":1}},{"type":"novel","zzz":1}]`) {
		t.Errorf("%s %s", mixed.Output, mixed.Content)
	}
	refused := invoke(t, ctx, c, "refuse", `{}`)
	wantCode(t, refused, gongu.CodeTool)
	if !strings.Contains(refused.Error.Message, "Unknown tool: refuse") {
		t.Errorf("%s", refused.Error.Message)
	}
	long := executor(t, c).Call(ctx, gongu.Call{Name: "srv__fail", Args: json.RawMessage(`{}`)})
	if long.Error == nil || long.Error.Suggestion == "" || long.Error.HelpURL == "" {
		t.Errorf("%+v", long.Error)
	}
}

// TestS8RawEndToEnd: arguments, results and definitions pass byte for byte.
// Promise S8.
func TestS8RawEndToEnd(t *testing.T) {
	c := start(t, fixture{})
	args := `{"z":1,"a":{"y":9007199254740993,"x":[1.50,1e3]},"한":"글 <&>"}`
	var got string
	if r := invoke(t, t.Context(), c, "echo", args); json.Unmarshal(r.Output, &got) != nil || got != args {
		t.Errorf("%s", r.Output)
	}
	raw, err := c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"structured","arguments":{}}`), nil)
	want := `{"content":[{"type":"text","text":"{\"z\":1,\"a\":2}"}],"structuredContent":{"z":1,"a":9007199254740993},"_meta":{"b":1,"a":2},"unknown":true}`
	if err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
	echo := list(t, c).Tools[0]
	if !strings.Contains(string(echo.Raw), `"zzz":{"b":1,"a":[2,1]},"_meta":{"k":"v"}`) {
		t.Errorf("definition %s", echo.Raw)
	}
	_, err = c.Request(t.Context(), "no/such", nil, nil)
	if remote, ok := errors.AsType[*jsonrpc.Error](err); !ok || remote.Code != jsonrpc.CodeMethodNotFound {
		t.Errorf("%v", err)
	}
}

// caller makes a context whose caller can do things.
func caller(t *testing.T, c gongu.Caller) context.Context {
	t.Helper()
	ctx, err := gongu.WithContext(t.Context(), gongu.Context{
		AgentName: "a", InstanceKey: "i", TurnID: "t", TraceID: strings.Repeat("0", 32), Caller: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// TestCaller: progress, log lines, questions to a person and to a model reach
// whoever made the call, in both eras; where nobody is, the server gets a no.
func TestCaller(t *testing.T) {
	var progress, lines []string
	able := caller(t, gongu.Caller{
		Progress: func(_ context.Context, done, total float64, message string) {
			progress = append(progress, fmt.Sprintf("%v/%v %s", done, total, message))
		},
		Log: func(_ context.Context, level slog.Level, message string) {
			lines = append(lines, level.String()+message)
		},
		Elicit: func(_ context.Context, from string, request json.RawMessage) (json.RawMessage, error) {
			if from != "srv" {
				t.Errorf("asked by %q, want the server's name", from)
			}
			if !strings.Contains(string(request), "who") {
				t.Errorf("asked %s", request)
			}
			return json.RawMessage(`{"action":"accept","content":{"name":"kim"}}`), nil
		},
		Sample: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"role":"assistant"}`), nil
		},
	})
	c := client(t, config(t, "srv", fixture{}), &mcpclient.Options{Capabilities: json.RawMessage(`{"elicitation":{},"sampling":{}}`)})
	wantOutput(t, invoke(t, able, c, "progress", `{}`), `"done"`)
	if want := []string{"1/3 step", "2/3 step", "3/3 step"}; !slices.Equal(progress, want) {
		t.Errorf("progress %q", progress)
	}
	wantOutput(t, invoke(t, able, c, "log", `{}`), `"done"`)
	if !slices.Equal(lines, []string{"WARNwatch out"}) {
		t.Errorf("log %q", lines)
	}
	wantOutput(t, invoke(t, able, c, "elicit", `{}`), `"{\"action\":\"accept\",\"content\":{\"name\":\"kim\"}}"`)
	wantOutput(t, invoke(t, able, c, "sample", `{}`), `"{\"role\":\"assistant\"}"`)
	wantOutput(t, invoke(t, t.Context(), c, "elicit", `{}`), `"{\"action\":\"cancel\"}"`)
	if r := invoke(t, t.Context(), c, "sample", `{}`); !strings.Contains(string(r.Output), "no model to ask") {
		t.Errorf("%s", r.Output)
	}

	modern := client(t, config(t, "srv", fixture{Era: "modern"}), nil)
	wantOutput(t, invoke(t, able, modern, "rounds", `{"x":"1"}`), `"s-1 {\"who\":{\"action\":\"accept\",\"content\":{\"name\":\"kim\"}}}"`)
	raw, err := modern.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"rounds"}`), &mcpclient.RequestOptions{InputRequired: true})
	if err != nil || !strings.Contains(string(raw), `"requestState":"s-1"`) {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestGeminiE17_CancelIsTold: the server hears of a call that nobody waits for.
// Gemini E17, F06.
func TestGeminiE17_CancelIsTold(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	c := start(t, fixture{Journal: journal})
	list(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	wantCode(t, invoke(t, ctx, c, "nothing", `{}`), gongu.CodeTimeout)
	await(t, func() bool { return strings.Contains(read(t, journal), `"notifications/cancelled"`) })
	sent := strings.Count(read(t, journal), "tools/call")
	over, stop := context.WithCancel(t.Context())
	stop()
	wantCode(t, invoke(t, over, c, "text", `{}`), gongu.CodeCancelled)
	wantOutput(t, invoke(t, t.Context(), c, "text", `{}`), `"hello"`)
	if n := strings.Count(read(t, journal), "tools/call"); n != sent+1 {
		t.Errorf("%d calls were sent, want %d: one was cancelled before", n, sent+1)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(raw)
}

// await waits for what must happen.
func await(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testTimeout); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
	}
}

// TestGeminiE11_ChangesCoalesce: five notices cause at most two readings, and the
// owner hears once. Gemini E10, E11.
func TestGeminiE11_ChangesCoalesce(t *testing.T) {
	dir := t.TempDir()
	journal := filepath.Join(dir, "journal")
	heard := make(chan *mcpclient.Listing, 10)
	c := client(t, config(t, "srv", fixture{Journal: journal, Flip: filepath.Join(dir, "flip")}),
		&mcpclient.Options{OnChange: func(l *mcpclient.Listing) { heard <- l }})
	wantOutput(t, invoke(t, t.Context(), c, "flip", `{}`), `"flipped"`)
	select {
	case l := <-heard:
		if !strings.Contains(l.Tools[0].Tool.Description, "ignore") {
			t.Error("the owner heard of the old list")
		}
	case <-time.After(testTimeout):
		t.Fatal("the owner heard nothing")
	}
	c.Close()
	if n := strings.Count(read(t, journal), "tools/list"); n < 2 || n > 4 {
		t.Errorf("%d readings for one list and five notices", n)
	}
	if len(heard) != 0 {
		t.Error("the owner heard twice of one change")
	}
}

// TestGeminiE12_NoticeOfNoChange: a list that is said to have changed and has not is
// read once more, and nobody is told. Gemini E12.
func TestGeminiE12_NoticeOfNoChange(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	heard := make(chan *mcpclient.Listing, 10)
	c := client(t, config(t, "srv", fixture{Journal: journal}), &mcpclient.Options{OnChange: func(l *mcpclient.Listing) { heard <- l }})
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"notice","arguments":{}}`), nil); err != nil {
		t.Fatal(err)
	}
	lists := func() int { return strings.Count(read(t, journal), "tools/list") }
	await(t, func() bool { return lists() == 3 })
	c.Close()
	if n := lists(); n != 3 || len(heard) != 0 {
		t.Errorf("%d readings, the owner heard %d times", n, len(heard))
	}
}

// TestPipeUnderLoad: calls that end do not interrupt the messages of others on
// the same pipe.
func TestPipeUnderLoad(t *testing.T) {
	c := start(t, fixture{})
	list(t, c)
	args := `{"x":"` + strings.Repeat("x", 50_000) + `"}`
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 50 {
				if r := invoke(t, t.Context(), c, "echo", args); r.Failed() {
					t.Errorf("%+v", r.Error)
				}
			}
		})
	}
	all.Wait()
	if n := c.Status().Connections; n != 1 {
		t.Errorf("%d connections", n)
	}
}
