package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
)

// conform is the client that the conformance suite looks at: it uses the server
// as an agent would, through the tools of a Client.
func conform(scenario, url string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := conformTo(ctx, scenario, url); err != nil {
		fmt.Fprintln(os.Stderr, "conformance client:", err)
		return 1
	}
	return 0
}

// suiteContext is what the suite tells a client about a scenario.
type suiteContext struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

func conformTo(ctx context.Context, scenario, url string) error {
	var suite suiteContext
	if raw := os.Getenv("MCP_CONFORMANCE_CONTEXT"); raw != "" {
		if err := json.Unmarshal([]byte(raw), &suite); err != nil {
			return err
		}
	}
	prefix := ""
	config := mcpclient.Config{Name: "suite", URL: url, Transport: mcpclient.HTTP, Prefix: &prefix}
	if strings.HasPrefix(scenario, "auth/") {
		config.OAuth = &mcpclient.OAuth{
			MetadataURL: "https://conformance-test.local/client-metadata.json",
			ClientID:    suite.ClientID, ClientSecret: suite.ClientSecret,
		}
	}
	c, err := mcpclient.New(config, &mcpclient.Options{Logger: quiet, Authorize: visit})
	if err != nil {
		return err
	}
	defer c.Close()
	listing, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	ctx, err = gongu.WithContext(ctx, gongu.Context{
		AgentName: "suite", InstanceKey: "i", TurnID: "t", TraceID: strings.Repeat("0", 32),
		Caller: gongu.Caller{Elicit: func(_ context.Context, _ string, request json.RawMessage) (json.RawMessage, error) {
			return accept(request), nil
		}},
	})
	if err != nil {
		return err
	}
	switch scenario {
	case "http-custom-headers":
		for _, call := range suite.ToolCalls {
			use(ctx, listing, call.Name, call.Arguments)
		}
		return nil
	case "http-standard-headers":
		if err := useOthers(ctx, c); err != nil {
			return err
		}
	case "json-schema-2020-12-preservation":
		for _, d := range listing.Tools {
			if d.Tool.Name == "json_schema_2020_12_tool" {
				use(ctx, listing, "json_schema_echo", json.RawMessage(`{"schema":`+string(d.Tool.Parameters)+`}`))
			}
		}
		return nil
	}
	return useAll(ctx, listing, strings.HasPrefix(scenario, "auth/"))
}

// visit goes where a person would, and follows the redirect to our receiver.
func visit(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// accept fills a form with its defaults, or says yes.
func accept(request json.RawMessage) json.RawMessage {
	var form struct {
		RequestedSchema struct {
			Properties map[string]struct {
				Default json.RawMessage `json:"default"`
				Type    string          `json:"type"`
			} `json:"properties"`
		} `json:"requestedSchema"`
	}
	content := map[string]json.RawMessage{}
	if json.Unmarshal(request, &form) == nil {
		for name, p := range form.RequestedSchema.Properties {
			switch {
			case p.Default != nil:
				content[name] = p.Default
			case p.Type == "boolean":
				content[name] = json.RawMessage("true")
			}
		}
	}
	raw, err := json.Marshal(map[string]any{"action": "accept", "content": content})
	if err != nil {
		return nil
	}
	return raw
}

// use calls a tool; what it answers is the suite's business.
func use(ctx context.Context, listing *mcpclient.Listing, name string, args json.RawMessage) gongu.Result {
	for _, d := range listing.Tools {
		if d.Tool.Source.Original == name {
			return d.Tool.Invoke(ctx, gongu.Call{ID: "1", Name: d.Tool.Name, Args: args})
		}
	}
	return gongu.Fail(fmt.Errorf("no tool %s", name))
}

// useAll calls every tool with arguments that fit its schema.
func useAll(ctx context.Context, listing *mcpclient.Listing, strict bool) error {
	for _, d := range listing.Tools {
		var schema struct {
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
		}
		if d.Tool.Parameters != "" {
			if err := json.Unmarshal([]byte(d.Tool.Parameters), &schema); err != nil {
				return err
			}
		}
		args := map[string]any{}
		for name, p := range schema.Properties {
			switch p.Type {
			case "number", "integer":
				args[name] = 5
			case "string":
				args[name] = "us-west1"
			case "boolean":
				args[name] = true
			}
		}
		raw, err := json.Marshal(args)
		if err != nil {
			return err
		}
		if r := use(ctx, listing, d.Tool.Source.Original, raw); r.Failed() && strict {
			return r.Error
		}
	}
	return nil
}

// useOthers reads a resource and a prompt through the raw door.
func useOthers(ctx context.Context, c *mcpclient.Client) error {
	for _, kind := range []struct{ list, items, key, read string }{
		{"resources/list", "resources", "uri", "resources/read"}, {"prompts/list", "prompts", "name", "prompts/get"},
	} {
		raw, err := c.Request(ctx, kind.list, json.RawMessage(`{}`), nil)
		if err != nil {
			return err
		}
		var result map[string]json.RawMessage
		var items []map[string]any
		if err := json.Unmarshal(raw, &result); err != nil {
			return err
		}
		if err := json.Unmarshal(result[kind.items], &items); err != nil || len(items) == 0 {
			return fmt.Errorf("%s: %s", kind.list, raw)
		}
		params, err := json.Marshal(map[string]any{kind.key: items[0][kind.key]})
		if err != nil {
			return err
		}
		if _, err := c.Request(ctx, kind.read, params, nil); err != nil {
			return err
		}
	}
	return nil
}
