package connect

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/mcpclient"
)

// candidate is a server, or a program with tools, in a file of another program.
type candidate struct {
	// from is its name in that file, kind and name those of the new resource.
	from, kind, name string
	// live is how the other program reaches it, secrets included; spec is what
	// a bundle may hold.
	live mcpclient.Config
	spec serverSpec
	// discover and call are the commands of a ToolCommand.
	discover, call string
	// problem is why it is left out; notes are for the user.
	problem string
	notes   []string
	secrets []FoundSecret
	// accepted means that the bundle has the references as text, and a person
	// has accepted them now.
	accepted bool
}

// The kinds of resources that servers and programs become.
const (
	kindServer  = "McpServer"
	kindCommand = "ToolCommand"
)

// settingsFile is what a file of another program holds.
type settingsFile struct {
	candidates []*candidate
	// path is where the servers are in the file; tools are the paths of the
	// commands of Gemini.
	path  []string
	tools [][]string
}

// rawServer is a server in the form that most programs share.
type rawServer struct {
	name  string
	value json.RawMessage
	err   error
}

// readServers reads the servers of a file. The path within the file may be
// given; otherwise it is found. The dialect is the program's name, or empty.
func readServers(file string, text []byte, client string, path []string, l lang.Lang) (*settingsFile, error) {
	f := &settingsFile{path: path}
	var servers []rawServer
	var err error
	if strings.EqualFold(filepath.Ext(file), ".toml") || client == "codex" {
		f.path = []string{codexTable}
		servers, err = codexServers(text)
	} else {
		servers, err = f.jsonServers(file, text, client)
	}
	if err != nil {
		return nil, err
	}
	taken := map[string]string{}
	for _, server := range servers {
		c := readServer(server, l)
		if c.problem == "" {
			if other, ok := taken[c.name]; ok {
				c.problem = lang.ConnectSameName.In(l, c.name, other)
			}
			taken[c.name] = c.from
		}
		f.candidates = append(f.candidates, c)
	}
	return f, nil
}

// readServer reads one server alone, so that every reported problem belongs to it.
func readServer(server rawServer, l lang.Lang) *candidate {
	c := &candidate{from: server.name, kind: kindServer, name: server.name}
	if server.err != nil {
		c.problem = server.err.Error()
		return c
	}
	configs, report, err := mcpclient.ParseConfigFile(wrap("mcpServers", wrap(server.name, server.value)), string(l))
	switch {
	case err != nil:
		c.problem = err.Error()
	case len(configs) == 0:
		c.problem = strings.Join(report, "; ")
	default:
		c.live, c.name, c.notes = configs[0], configs[0].Name, report
		if c.live.OAuth != nil {
			c.notes = append(c.notes, lang.ConnectOAuth.In(l, c.from))
		}
	}
	return c
}

// jsonServers finds the servers of the JSON forms.
func (f *settingsFile) jsonServers(file string, text []byte, client string) ([]rawServer, error) {
	root, err := parseJSONC(text)
	switch {
	case err != nil:
		return nil, err
	case root == nil:
		return nil, nil
	case root.kind != '{':
		return nil, errNotObject
	}
	gemini := client == "gemini" || client == "" && filepath.Base(filepath.Dir(file)) == ".gemini"
	f.geminiCommands(root)
	if f.path == nil {
		f.path = serverPath(root)
	}
	var node *jsonNode
	if f.path != nil {
		node = root.at(f.path...)
	}
	switch {
	case node == nil && len(f.candidates) == 0 && client == "":
		return nil, errNoServers
	case node == nil:
		return nil, nil
	case node.kind != '{':
		return nil, fmt.Errorf("%s is not an object of servers", strings.Join(f.path, "."))
	}
	var servers []rawServer
	for _, m := range node.members {
		value := m.value.value()
		server := rawServer{name: m.name}
		switch {
		case slices.Equal(f.path, []string{"mcp"}):
			value = fromOpencode(value)
		case gemini:
			value = mapStrings(value, func(s string) string { return bareVariable.ReplaceAllString(s, "$${env:$1}") })
		}
		server.value, server.err = json.Marshal(value)
		servers = append(servers, server)
	}
	return servers, nil
}

var errNoServers = fmt.Errorf("the file has no mcpServers, servers, mcp or mcp_servers; is it the right one?")

// serverPath finds where the servers are.
func serverPath(root *jsonNode) []string {
	for _, path := range [][]string{{"mcpServers"}, {"servers"}, {"mcp", "servers"}, {"mcp"}} {
		if n := root.at(path...); n != nil && n.kind == '{' {
			return path
		}
	}
	return nil
}

// bareVariable is Gemini's other way to name a variable.
var bareVariable = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*)`)

// geminiCommands takes the commands that list and run tools (S2), in
// the old and the new place.
func (f *settingsFile) geminiCommands(root *jsonNode) {
	for _, paths := range [][2][]string{
		{{"toolDiscoveryCommand"}, {"toolCallCommand"}},
		{{"tools", "discoveryCommand"}, {"tools", "callCommand"}},
	} {
		discover, call := stringAt(root, paths[0]), stringAt(root, paths[1])
		if discover == "" && call == "" {
			continue
		}
		c := &candidate{from: strings.Join(paths[0], "."), kind: kindCommand, name: "gemini", discover: discover, call: call}
		switch {
		case call == "":
			c.problem = strings.Join(paths[1], ".") + " is missing"
		case discover == "":
			c.problem = strings.Join(paths[0], ".") + " is missing"
		case len(f.candidates) > 0:
			c.problem = "another discovery command comes first"
		}
		f.candidates = append(f.candidates, c)
		f.tools = append(f.tools, paths[0], paths[1])
	}
}

func stringAt(root *jsonNode, path []string) string {
	n := root.at(path...)
	if n == nil {
		return ""
	}
	s, _ := n.value().(string)
	return s
}

// mapStrings changes every text in a value.
func mapStrings(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = mapStrings(v[i], change)
		}
	case map[string]any:
		for key := range v {
			v[key] = mapStrings(v[key], change)
		}
	}
	return value
}

// opencodeReference is how opencode names a variable or a file.
var opencodeReference = regexp.MustCompile(`\{(env|file):([^}]*)\}`)

// fromOpencode turns a server of opencode into the common form.
func fromOpencode(value any) any {
	in, ok := mapStrings(value, func(s string) string { return opencodeReference.ReplaceAllString(s, "$${$1:$2}") }).(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	for key, value := range in {
		switch key {
		case "enabled":
			out["disabled"] = value == false
		case "environment":
			out["env"] = value
		case "timeout": // for the list of tools; ours is longer than its default
		case "type":
			if value == "remote" {
				out["type"] = "http"
			}
		case "command":
			if words, ok := value.([]any); ok && len(words) > 0 {
				out["command"], out["args"] = words[0], words[1:]
			}
		case "oauth":
			if settings, ok := value.(map[string]any); ok {
				out["oauth"] = settings
			}
		default:
			out[key] = value
		}
	}
	return out
}

// codexTable is the table with the servers of codex.
const codexTable = "mcp_servers"

// codexServers reads the servers of a config.toml, in their order.
func codexServers(text []byte) ([]rawServer, error) {
	var in map[string]any
	meta, err := toml.Decode(string(text), &in)
	if err != nil {
		return nil, fmt.Errorf("not TOML: %w", err)
	}
	tables, _ := in[codexTable].(map[string]any)
	var servers []rawServer
	seen := map[string]bool{}
	for _, key := range meta.Keys() {
		if len(key) < 2 || key[0] != codexTable || seen[key[1]] {
			continue
		}
		seen[key[1]] = true
		server := rawServer{name: key[1]}
		table, ok := tables[key[1]].(map[string]any)
		if !ok {
			continue // a setting beside the servers
		}
		server.value, server.err = json.Marshal(fromCodex(table))
		servers = append(servers, server)
	}
	return servers, nil
}

// fromCodex turns a server of codex into the common form.
func fromCodex(in map[string]any) map[string]any {
	out, env, headers := map[string]any{}, map[string]any{}, map[string]any{}
	for key, value := range in {
		switch key {
		case "env":
			copyInto(env, value, "")
		case "env_vars":
			names, _ := value.([]any)
			for _, name := range names {
				if name, ok := name.(string); ok {
					env[name] = "${env:" + name + "}"
				}
			}
		case "http_headers":
			copyInto(headers, value, "")
		case "env_http_headers":
			copyInto(headers, value, "env")
		case "bearer_token_env_var":
			headers["Authorization"] = fmt.Sprintf("Bearer ${env:%v}", value)
		case "enabled":
			out["disabled"] = value == false
		case "enabled_tools":
			out["includeTools"] = value
		case "disabled_tools":
			out["excludeTools"] = value
		case "tool_timeout_sec":
			out["timeout"] = milliseconds(value)
		case "url":
			out["url"], out["type"] = value, "http"
		case "startup_timeout_sec", "startup_timeout_ms", "required", "default_tools_approval_mode", "tools", "supports_parallel_tool_calls":
			// Only for codex itself.
		default:
			out[key] = value
		}
	}
	if len(env) > 0 {
		out["env"] = env
	}
	if len(headers) > 0 {
		out["headers"] = headers
	}
	return out
}

func copyInto(to map[string]any, from any, kind string) {
	values, _ := from.(map[string]any)
	for key, value := range values {
		if kind != "" {
			value = fmt.Sprintf("${%s:%v}", kind, value)
		}
		to[key] = value
	}
}

func milliseconds(seconds any) any {
	switch n := seconds.(type) {
	case int64:
		return n * 1000
	case float64:
		return n * 1000
	}
	return nil
}
