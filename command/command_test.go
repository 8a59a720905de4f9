package command_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/command"
	"go.uber.org/goleak"
)

// The test binary is also the program that has tools.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FIXTURE"); mode != "" {
		os.Exit(fixture(mode, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// fixture is a program with tools of all sorts of manners.
func fixture(mode string, args []string) int {
	switch mode {
	case "echo": // args and input, as they came
		input, _ := io.ReadAll(os.Stdin)
		fmt.Print(strings.Join(args, " "), "|", string(input))
	case "fail":
		fmt.Print("half")
		fmt.Fprint(os.Stderr, "no such city\n")
		return 3
	case "chatty":
		fmt.Fprintln(os.Stderr, "working")
		fmt.Fprint(os.Stderr, "done")
		fmt.Print("fine")
	case "json":
		fmt.Println(`{"temperature": 21, "html": "<b>"}`)
	case "deaf": // closes its input unread
		_ = os.Stdin.Close()
		fmt.Print("did not listen")
	case "split": // a character of three bytes in two writes
		for _, b := range []byte("가나") {
			_, _ = os.Stdout.Write([]byte{b})
			time.Sleep(5 * time.Millisecond)
		}
	case "large":
		out := bufio.NewWriter(os.Stdout)
		for range 100 << 10 {
			fmt.Fprint(out, strings.Repeat("x", 1023), "\n")
		}
		_ = out.Flush()
	case "kill":
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		time.Sleep(time.Minute)
	case "hang":
		time.Sleep(time.Minute)
	case "worker":
		return workerFixture()
	}
	return 0
}

func workerFixture() int {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		var request struct {
			ID, Name, Cancel string
			Args             json.RawMessage
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil {
			return 1
		}
		switch request.Name {
		case "pid":
			fmt.Printf("{\"id\":%q,\"output\":%d}\n", request.ID, os.Getpid())
		case "echo":
			fmt.Printf("{\"id\":%q,\"log\":\"a word\"}\n{\"id\":%q,\"output\":%s}\n", request.ID, request.ID, request.Args)
		case "fail":
			fmt.Printf("{\"id\":%q,\"error\":{\"message\":\"bad\",\"suggestion\":\"better\"}}\n", request.ID)
		case "die":
			return 7
		case "garbage":
			fmt.Println("Segmentation fault, or so")
		}
	}
	return 0
}

// list makes a source whose list is this text.
func list(t *testing.T, text string) (*command.Listing, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "list.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := command.New(command.Config{Name: "prog", Discover: []string{"cat", file}, Call: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	return source.Discover(t.Context())
}

// names are the tools of a listing, as full name and own name.
func toolNames(l *command.Listing) string {
	var out []string
	for _, tool := range l.Tools {
		out = append(out, tool.Name+"<"+tool.Source.Original)
	}
	return strings.Join(out, " ")
}

// runner is an executor over one tool, x, that a fixture runs.
func runner(t *testing.T, mode string, change func(*command.Config)) *gongu.Executor {
	t.Helper()
	file := filepath.Join(t.TempDir(), "list.json")
	var entries []string
	for _, name := range []string{"x", "pid", "echo", "fail", "die", "garbage", "silent"} {
		entries = append(entries, fmt.Sprintf(`{"name":%q,"description":"d","parametersJsonSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":[],"additionalProperties":false}}`, name))
	}
	if err := os.WriteFile(file, []byte("["+strings.Join(entries, ",")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := command.Config{
		Name: "prog", Discover: []string{"cat", file}, Call: []string{self, "--flag"},
		Env: map[string]string{"FIXTURE": mode}, Worker: mode == "worker",
		Spill: func(_ context.Context, pattern string) (*os.File, error) { return os.CreateTemp(dir, pattern) },
	}
	if change != nil {
		change(&config)
	}
	source, err := command.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = source.Close() })
	listing, err := source.Discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(listing.Tools...); err != nil {
		t.Fatal(err)
	}
	return gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
}

func call(t *testing.T, e *gongu.Executor, tool, args string) gongu.Result {
	t.Helper()
	return e.Call(t.Context(), gongu.Call{Name: "prog__" + tool, Args: json.RawMessage(args)})
}
