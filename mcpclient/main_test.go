package mcpclient_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
	"go.uber.org/goleak"
)

// The test binary starts itself again: as a server that does what it should
// not, and as the client that the conformance suite looks at.
const (
	fixtureEnv     = "GONGU_MCP_FIXTURE"
	conformanceEnv = "MCP_CONFORMANCE_SCENARIO"
)

func TestMain(m *testing.M) {
	if raw := os.Getenv(fixtureEnv); raw != "" {
		var f fixture
		if err := json.Unmarshal([]byte(raw), &f); err != nil {
			panic(err)
		}
		f.serve(os.Stdin, os.Stdout)
		return
	}
	if scenario := os.Getenv(conformanceEnv); scenario != "" && len(os.Args) > 1 {
		os.Exit(conform(scenario, os.Args[len(os.Args)-1]))
	}
	goleak.VerifyTestMain(m)
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// testTimeout is how long a test waits for what must happen. It only says "does
// not hang".
const testTimeout = 30 * time.Second

// config is the configuration of a fixture.
func config(t testing.TB, name string, f fixture) mcpclient.Config {
	t.Helper()
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcpclient.Config{
		Name: name, Command: self, Env: map[string]string{fixtureEnv: string(raw)},
		Timeouts: mcpclient.Timeouts{Connect: testTimeout, List: testTimeout, Call: testTimeout},
	}
}

func quietly(opts *mcpclient.Options) *mcpclient.Options {
	if opts == nil {
		opts = &mcpclient.Options{}
	}
	if opts.Logger == nil {
		opts.Logger = quiet
	}
	return opts
}

func client(t testing.TB, c mcpclient.Config, opts *mcpclient.Options) *mcpclient.Client {
	t.Helper()
	made, err := mcpclient.New(c, quietly(opts))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return made
}

// start is a client of a fixture.
func start(t testing.TB, f fixture) *mcpclient.Client {
	t.Helper()
	return client(t, config(t, "srv", f), nil)
}

func list(t testing.TB, c *mcpclient.Client) *mcpclient.Listing {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	listing, err := c.Tools(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return listing
}

// executor has the tools of a client.
func executor(t testing.TB, c *mcpclient.Client) *gongu.Executor {
	t.Helper()
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: quiet})
	for _, d := range list(t, c).Tools {
		if err := registry.Add(d.Tool); err != nil {
			t.Fatal(err)
		}
	}
	return gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry), Logger: quiet})
}

// invoke calls a tool by the server's name, through its definition.
func invoke(t testing.TB, ctx context.Context, c *mcpclient.Client, tool, args string) gongu.Result {
	t.Helper()
	for _, d := range list(t, c).Tools {
		if d.Tool.Source.Original == tool {
			return d.Tool.Invoke(ctx, gongu.Call{ID: "1", Name: d.Tool.Name, Args: json.RawMessage(args)})
		}
	}
	t.Fatalf("no tool %s", tool)
	return gongu.Result{}
}

func wantCode(t testing.TB, r gongu.Result, code string) {
	t.Helper()
	if r.Error == nil || r.Error.Code != code {
		t.Errorf("error %+v, want %s", r.Error, code)
	}
}

func wantOutput(t testing.TB, r gongu.Result, output string) {
	t.Helper()
	if r.Failed() || string(r.Output) != output {
		t.Errorf("%s %s %+v, want %s", r.Status, r.Output, r.Error, output)
	}
}
