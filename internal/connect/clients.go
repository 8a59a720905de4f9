package connect

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// The scopes of a client's settings: of the user, of the project, and, for
// Claude Code, of the user in the project.
const (
	ScopeUser    = "user"
	ScopeProject = "project"
	ScopeLocal   = "local"
)

// place is where servers are listed: a file, and the path to them in it.
type place struct {
	file string
	path []string
}

// client is a program that uses MCP servers.
type client struct {
	name string
	// places are the files of each scope.
	places func(getenv func(string) string, home, project string) map[string]place
	// variable is how a file of it refers to the environment.
	variable func(name string) string
	// entry is a server in the form of its JSON file; nil for TOML.
	entry func(e *entry, c *client) any
	// project is how a file of it names the folder of the project.
	project string
}

// entry is how a client reaches gongu.
type entry struct {
	command string
	args    []string
	// env are values, variables only names that the client's own environment
	// has.
	env       map[string]string
	variables []string
	// url is for HTTP, with a token from the environment.
	url string
}

// tokenVariable holds the token of a client of gongu serve.
const tokenVariable = "GONGU_TOKEN"

func knownClients() []*client {
	braces := func(name string) string { return "${" + name + "}" }
	return []*client{
		{name: "claude", places: claudePlaces, variable: braces, entry: typedEntry, project: "."},
		{name: "gemini", places: geminiPlaces, variable: func(name string) string { return "$" + name }, entry: geminiEntry, project: "."},
		{name: "codex", places: codexPlaces, entry: nil, project: "."},
		{name: "opencode", places: opencodePlaces, variable: func(name string) string { return "{env:" + name + "}" }, entry: opencodeEntry, project: "."},
		{name: "cursor", places: dotPlaces(".cursor", "mcp.json", "mcpServers"), variable: editorVariable, entry: plainEntry, project: "${workspaceFolder}"},
		{name: "vscode", places: vscodePlaces, variable: editorVariable, entry: typedEntry, project: "${workspaceFolder}"},
	}
}

// ClientNames returns the names of the clients that Connect knows.
func ClientNames() []string {
	var names []string
	for _, c := range knownClients() {
		names = append(names, c.name)
	}
	return names
}

func clientNamed(name string) (*client, bool) {
	all := knownClients()
	i := slices.IndexFunc(all, func(c *client) bool { return c.name == name })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// Scopes returns the scopes that a client has settings for.
func Scopes(name string) []string {
	c, ok := clientNamed(name)
	if !ok {
		return nil
	}
	places := c.places(func(string) string { return "" }, "", "")
	return slices.DeleteFunc([]string{ScopeUser, ScopeProject, ScopeLocal}, func(scope string) bool {
		_, ok := places[scope]
		return !ok
	})
}

// UserFiles returns the settings files of all clients in the home folder.
func UserFiles(getenv func(string) string, home string) []string {
	var files []string
	for _, c := range knownClients() {
		if place, ok := c.places(getenv, home, home)[ScopeUser]; ok {
			files = append(files, place.file)
		}
	}
	return files
}

func editorVariable(name string) string { return "${env:" + name + "}" }

// dotPlaces are the same file below the user's and the project's folder.
func dotPlaces(dir, name string, path ...string) func(func(string) string, string, string) map[string]place {
	return func(_ func(string) string, home, project string) map[string]place {
		return map[string]place{
			ScopeUser:    {filepath.Join(home, dir, name), path},
			ScopeProject: {filepath.Join(project, dir, name), path},
		}
	}
}

func claudePlaces(getenv func(string) string, home, project string) map[string]place {
	if dir := getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		home = dir
	}
	file := filepath.Join(home, ".claude.json")
	return map[string]place{
		ScopeUser:    {file, []string{"mcpServers"}},
		ScopeLocal:   {file, []string{"projects", project, "mcpServers"}},
		ScopeProject: {filepath.Join(project, ".mcp.json"), []string{"mcpServers"}},
	}
}

func geminiPlaces(getenv func(string) string, home, project string) map[string]place {
	if dir := getenv("GEMINI_CLI_HOME"); dir != "" {
		home = dir
	}
	return dotPlaces(".gemini", "settings.json", "mcpServers")(getenv, home, project)
}

func codexPlaces(getenv func(string) string, home, project string) map[string]place {
	places := dotPlaces(".codex", "config.toml", codexTable)(getenv, home, project)
	if dir := getenv("CODEX_HOME"); dir != "" {
		places[ScopeUser] = place{filepath.Join(dir, "config.toml"), []string{codexTable}}
	}
	return places
}

func opencodePlaces(getenv func(string) string, home, project string) map[string]place {
	config := getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	user := jsonOrJSONC(filepath.Join(config, "opencode", "opencode"))
	if file := getenv("OPENCODE_CONFIG"); file != "" {
		user = file
	}
	return map[string]place{
		ScopeUser:    {user, []string{"mcp"}},
		ScopeProject: {jsonOrJSONC(filepath.Join(project, "opencode")), []string{"mcp"}},
	}
}

// jsonOrJSONC is the file that is there, or the one to make.
func jsonOrJSONC(stem string) string {
	if file := stem + ".jsonc"; fsx.IsFile(file) && !fsx.IsFile(stem+".json") {
		return file
	}
	return stem + ".json"
}

func vscodePlaces(_ func(string) string, home, project string) map[string]place {
	config, err := os.UserConfigDir()
	if err != nil {
		config = filepath.Join(home, ".config")
	}
	return map[string]place{
		ScopeUser:    {filepath.Join(config, "Code", "User", "mcp.json"), []string{"servers"}},
		ScopeProject: {filepath.Join(project, ".vscode", "mcp.json"), []string{"servers"}},
	}
}

// commonServer is the form of a server that most clients share.
type commonServer struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// opencodeServer is the form of a server of opencode.
type opencodeServer struct {
	Type        string            `json:"type"`
	Command     []string          `json:"command,omitempty"`
	Environment map[string]string `json:"environment,omitempty"`
	URL         string            `json:"url,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	OAuth       *bool             `json:"oauth,omitempty"`
	Enabled     bool              `json:"enabled"`
}

// environment is what the client gives to gongu: values, and references to its
// own environment.
func (e *entry) environment(c *client) map[string]string {
	env := maps.Clone(e.env)
	if env == nil {
		env = map[string]string{}
	}
	for _, name := range e.variables {
		if _, ok := env[name]; !ok {
			env[name] = c.variable(name)
		}
	}
	return env
}

// login are the headers for HTTP. The token stays in the environment.
func (e *entry) login(c *client) map[string]string {
	if e.url == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + c.variable(tokenVariable)}
}

// plainEntry is the form of Cursor, without a type.
func plainEntry(e *entry, c *client) any {
	return &commonServer{Command: e.command, Args: e.args, Env: e.environment(c), URL: e.url, Headers: e.login(c)}
}

// typedEntry is the form of Claude Code and VS Code.
func typedEntry(e *entry, c *client) any {
	kind := "stdio"
	if e.url != "" {
		kind = "http"
	}
	return &commonServer{Type: kind, Command: e.command, Args: e.args, Env: e.environment(c), URL: e.url, Headers: e.login(c)}
}

// geminiEntry has a type only for HTTP.
func geminiEntry(e *entry, c *client) any {
	if e.url == "" {
		return plainEntry(e, c)
	}
	return typedEntry(e, c)
}

func opencodeEntry(e *entry, c *client) any {
	if e.url != "" {
		return &opencodeServer{Type: "remote", URL: e.url, Headers: e.login(c), OAuth: new(false), Enabled: true}
	}
	return &opencodeServer{Type: "local", Command: append([]string{e.command}, e.args...), Environment: e.environment(c), Enabled: true}
}

// codexServer is the form of a server in a table of codex.
type codexServer struct {
	URL       string            `toml:"url,omitempty"`
	Token     string            `toml:"bearer_token_env_var,omitempty"`
	Command   string            `toml:"command,omitempty"`
	Args      []string          `toml:"args,omitempty"`
	Variables []string          `toml:"env_vars,omitempty"`
	Env       map[string]string `toml:"env,omitempty"`
}

// codexBlock is gongu as tables of codex.
func codexBlock(name string, e *entry) string {
	server := codexServer{Command: e.command, Args: e.args, Variables: e.variables, Env: e.env}
	if e.url != "" {
		server = codexServer{URL: e.url, Token: tokenVariable}
	}
	var b bytes.Buffer
	enc := toml.NewEncoder(&b)
	enc.Indent = ""
	_ = enc.Encode(map[string]map[string]codexServer{codexTable: {name: server}}) // texts always encode
	// The header of the table of all servers is left out: the file may have it.
	return strings.TrimPrefix(b.String(), "["+codexTable+"]\n")
}
