package mcpclient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/toolname"
	"github.com/tailscale/hujson"
)

// ParseConfigFile reads the servers of a file that another program uses: the
// mcpServers of Claude, Cursor and Gemini, or the servers of VS Code. Comments
// and trailing commas are accepted. The report says, in a language, what was
// left out, renamed or not understood; an error means that the file cannot be
// read at all.
func ParseConfigFile(raw []byte, language string) (configs []Config, report []string, err error) {
	l, _ := lang.Parse(language)
	p := &parser{lang: l, names: map[string]bool{}}
	plain, err := standardize(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("the file is not JSON: %w", err)
	}
	members, err := membersOf(plain)
	if err != nil {
		return nil, nil, fmt.Errorf("the file %w", err)
	}
	servers, found := get(members, "mcpServers")
	if !found {
		servers, found = get(members, "servers")
	}
	if !found {
		if inner, ok := get(members, "mcp"); ok { // VS Code's settings.json
			if members, err := membersOf(inner); err == nil {
				servers, found = get(members, "servers")
			}
		}
	}
	if !found {
		return nil, nil, errors.New("the file has neither mcpServers nor servers")
	}
	entries, err := membersOf(servers)
	if err != nil {
		return nil, nil, fmt.Errorf("the servers of the file: each has a name and a value: it %w", err)
	}
	for _, e := range entries {
		p.server(e.name, e.value)
	}
	return p.configs, p.report, nil
}

// standardize removes what editors of settings allow and JSON does not: a byte
// order mark, comments and trailing commas.
func standardize(raw []byte) ([]byte, error) {
	raw = bytes.TrimPrefix(bytes.Clone(raw), []byte("\xef\xbb\xbf"))
	// The parser recurses, so the depth must have a bound before it starts.
	if bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) > maxBrackets {
		return nil, errors.New("it has too many objects and arrays")
	}
	return hujson.Standardize(raw)
}

// maxBrackets bounds the objects and arrays of a settings file.
const maxBrackets = 100_000

type parser struct {
	lang    lang.Lang
	configs []Config
	report  []string
	names   map[string]bool
}

func (p *parser) say(t lang.Text, args ...any) { p.report = append(p.report, t.In(p.lang, args...)) }

// fileServer has the fields of all programs that are supported.
type fileServer struct {
	Type         string            `json:"type"`
	Transport    string            `json:"transport"`
	Command      string            `json:"command"`
	Args         []string          `json:"args"`
	Env          map[string]any    `json:"env"`
	Cwd          string            `json:"cwd"`
	URL          string            `json:"url"`
	HTTPURL      string            `json:"httpUrl"`
	ServerURL    string            `json:"serverUrl"`
	Headers      map[string]string `json:"headers"`
	Timeout      float64           `json:"timeout"`
	Trust        bool              `json:"trust"`
	Disabled     bool              `json:"disabled"`
	IncludeTools []string          `json:"includeTools"`
	ExcludeTools []string          `json:"excludeTools"`
	OAuth        *struct {
		ClientID     string   `json:"clientId"`
		ClientSecret string   `json:"clientSecret"`
		Scopes       []string `json:"scopes"`
	} `json:"oauth"`
}

// understood are the fields above and those that do not matter here.
var understood = []string{
	"type", "transport", "command", "args", "env", "cwd", "url", "httpUrl", "serverUrl", "headers", "timeout",
	"trust", "disabled", "includeTools", "excludeTools", "oauth", "description", "autoApprove", "alwaysAllow", "name",
}

func (p *parser) server(name string, raw json.RawMessage) {
	var in fileServer
	if err := json.Unmarshal(raw, &in); err != nil {
		p.say(lang.McpFileSkipped, name, err)
		return
	}
	if in.Disabled {
		p.say(lang.McpFileDisabled, name)
		return
	}
	members, err := membersOf(raw)
	if err != nil {
		p.say(lang.McpFileSkipped, name, err)
		return
	}
	for _, m := range members {
		if !slices.Contains(understood, m.name) {
			p.say(lang.McpFileUnknown, name, m.name)
		}
	}
	config, err := p.config(name, &in)
	if err == nil {
		_, err = config.check()
	}
	if err != nil {
		p.say(lang.McpFileSkipped, name, err)
		return
	}
	if p.names[config.Name] {
		p.say(lang.McpFileSecondOfTwo, config.Name)
		return
	}
	p.names[config.Name] = true
	p.configs = append(p.configs, config)
}

func (p *parser) config(name string, in *fileServer) (Config, error) {
	c := Config{
		Name: p.name(name), Command: in.Command, Args: in.Args, Cwd: in.Cwd, Headers: in.Headers,
		Include: in.IncludeTools, Exclude: in.ExcludeTools, Trust: in.Trust,
	}
	if in.OAuth != nil {
		c.OAuth = &OAuth{ClientID: in.OAuth.ClientID, ClientSecret: in.OAuth.ClientSecret, Scopes: in.OAuth.Scopes}
	}
	if in.Timeout > 0 {
		c.Timeouts.Call = time.Duration(in.Timeout * float64(time.Millisecond))
	}
	if err := p.target(name, in, &c); err != nil {
		return c, err
	}
	for key, value := range in.Env {
		if value == nil {
			continue // a variable that is not to be set
		}
		if c.Env == nil {
			c.Env = map[string]string{}
		}
		c.Env[key] = fmt.Sprint(value)
	}
	// Include entries of Gemini may be name(arguments…).
	for i, pattern := range c.Include {
		c.Include[i], _, _ = strings.Cut(pattern, "(")
	}
	return p.references(name, c)
}

// target finds the address and the transport.
func (p *parser) target(name string, in *fileServer, c *Config) error {
	kind := cmp.Or(in.Type, in.Transport)
	switch strings.ToLower(kind) {
	case "", "stdio":
	case "sse":
		c.Transport = SSE
	case "http", "streamable-http", "streamablehttp", "streamable_http", "remote":
		c.Transport = HTTP
	default:
		return fmt.Errorf("the type %q is not known", kind)
	}
	c.URL = in.URL
	switch {
	case in.HTTPURL != "":
		p.say(lang.McpFileDeprecated, name, "httpUrl", "url")
		c.URL, c.Transport = in.HTTPURL, HTTP
	case in.URL == "" && in.ServerURL != "":
		c.URL = in.ServerURL
	}
	return nil
}

// name returns a name that can be the prefix of tools.
func (p *parser) name(name string) string {
	if _, err := gongu.BuildName(name, "x"); err == nil {
		return name
	}
	full, err := (&toolname.Map{Max: 32}).Import(name, "x")
	if err != nil {
		return name
	}
	prefix, _, _ := gongu.ParseName(full)
	if prefix == "" {
		prefix, _, _ = strings.Cut(full, "__")
	}
	p.say(lang.McpFileRenamed, name, prefix)
	return prefix
}

var (
	// Other programs write ${NAME} and ${NAME:-default}.
	bareReference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)
	inputs        = regexp.MustCompile(`\$\{(input|workspaceFolder|userHome|command)(:[^}]*)?\}`)
)

// references converts the references to variables of other programs.
func (p *parser) references(name string, c Config) (Config, error) {
	var unknown []string
	turn := func(text string) string {
		if found := inputs.FindString(text); found != "" {
			unknown = append(unknown, found)
		}
		return bareReference.ReplaceAllString(text, "$${env:$1$2}")
	}
	c.Command, c.Cwd, c.URL = turn(c.Command), turn(c.Cwd), turn(c.URL)
	for i, arg := range c.Args {
		c.Args[i] = turn(arg)
	}
	for _, m := range []map[string]string{c.Env, c.Headers} {
		for key, value := range m {
			m[key] = turn(value)
		}
	}
	for _, reference := range unknown {
		p.say(lang.McpFileInput, name, reference)
	}
	if len(unknown) > 0 {
		return c, fmt.Errorf("%s cannot be filled in", unknown[0])
	}
	return c, nil
}
