package mcpclient

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/oauth"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

// Transport is a way to reach a server.
type Transport string

// The transports. Auto is stdio with a command; with an address it is
// streamable HTTP and, where the server does not know that, the old HTTP+SSE.
const (
	Auto  Transport = "auto"
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Timeouts are how long to wait for a server. Zero takes the default, a
// negative value waits without a limit.
type Timeouts struct {
	// Connect covers starting the program and the handshake (default 20 s).
	Connect time.Duration
	// List covers all pages of the tools (default 15 s).
	List time.Duration
	// Call is how long a call may be silent (default 60 s). Progress and a
	// person who is being asked start it anew, up to ten times as long in all.
	Call time.Duration
}

const (
	defaultConnect = 20 * time.Second
	defaultList    = 15 * time.Second
	defaultCall    = 60 * time.Second
	// totalCalls bounds what progress can add to a call.
	totalCalls = 10

	defaultConcurrent = 32
	defaultQueue      = 256
)

// Config says how to reach a server and which of its tools to take. Texts of
// Command, Args, Env, Cwd, URL and Headers may hold ${env:NAME}, ${file:PATH}
// and ${keyring:NAME}, filled in when the server is started.
type Config struct {
	// Name is the server's name here, the prefix of its tools and their domain.
	Name      string
	Transport Transport

	Command string
	Args    []string
	// Env is added to the few variables that every program gets; nothing else
	// of our environment reaches the program.
	Env map[string]string
	Cwd string
	// Sandbox confines the program, with its folder; nil does not.
	Sandbox *sandbox.Policy

	URL     string
	Headers map[string]string
	// OAuth is the client registration at the server's authorization server,
	// where the defaults are not enough.
	OAuth *OAuth

	// Prefix comes before each tool's name with two underscores; nil means
	// Name, and an empty one keeps the server's own names.
	Prefix *string
	// Include and Exclude select tools by the server's names, with * and ? as
	// wildcards. A tool that both match is left out.
	Include, Exclude []string
	// Rename and Describe give tools, by the server's names, other names and
	// descriptions.
	Rename, Describe map[string]string
	// Trust accepts the server's annotations. Without it only those count that
	// make a tool look more dangerous.
	Trust bool
	// Shared lets all principals use one connection.
	Shared bool
	// Warm connects at once and again after a failure, without waiting for a
	// use.
	Warm bool

	// MaxConcurrent is the most requests at a time (default 32), Queue how many
	// more may wait for their turn (default 256; negative: none).
	MaxConcurrent, Queue int
	Timeouts             Timeouts
	// ProtocolVersion is the only revision to use; empty negotiates it.
	ProtocolVersion string
}

// OAuth is a client registration.
type OAuth = oauth.Registration

// check fills in the defaults of a configuration, or returns what is wrong.
func (c Config) check() (Config, error) {
	if err := c.checkTarget(); err != nil {
		return c, fmt.Errorf("mcp server %q: %w", c.Name, err)
	}
	if c.ProtocolVersion != "" && !slices.Contains(knownVersions, c.ProtocolVersion) {
		return c, fmt.Errorf("mcp server %q: protocol version %q is not known; use one of %s", c.Name, c.ProtocolVersion, strings.Join(knownVersions, ", "))
	}
	for _, pattern := range slices.Concat(c.Include, c.Exclude) {
		if _, err := path.Match(pattern, ""); err != nil {
			return c, fmt.Errorf("mcp server %q: %q is no pattern of names: %w", c.Name, pattern, err)
		}
	}
	c.Timeouts.Connect = cmp.Or(c.Timeouts.Connect, defaultConnect)
	c.Timeouts.List = cmp.Or(c.Timeouts.List, defaultList)
	c.Timeouts.Call = cmp.Or(c.Timeouts.Call, defaultCall)
	if c.MaxConcurrent <= 0 {
		c.MaxConcurrent = defaultConcurrent
	}
	c.Queue = max(0, cmp.Or(c.Queue, defaultQueue))
	return c, nil
}

func (c *Config) checkTarget() error {
	if _, err := gongu.BuildName(c.Name, "x"); err != nil {
		return fmt.Errorf("the name cannot be the prefix of tools: %w", err)
	}
	if c.Prefix != nil && *c.Prefix != "" {
		if _, err := gongu.BuildName(*c.Prefix, "x"); err != nil {
			return fmt.Errorf("prefix: %w", err)
		}
	}
	switch {
	case c.Command != "" && c.URL != "":
		return errors.New("has both command and url; keep the one that is meant")
	case c.Command == "" && c.URL == "":
		return errors.New("has neither command nor url")
	}
	c.Transport = cmp.Or(c.Transport, Auto)
	switch {
	case !slices.Contains([]Transport{Auto, Stdio, HTTP, SSE}, c.Transport):
		return fmt.Errorf("transport %q is not known; use stdio, http, sse or auto", c.Transport)
	case c.Command != "" && (c.Transport == HTTP || c.Transport == SSE):
		return fmt.Errorf("transport %s needs url, not command", c.Transport)
	case c.URL != "" && c.Transport == Stdio:
		return errors.New("transport stdio needs command, not url")
	case c.Command != "":
		c.Transport = Stdio
	}
	if c.URL != "" && !strings.Contains(c.URL, "${") {
		if err := checkURL(c.URL); err != nil {
			return err
		}
	}
	return c.checkHeaders()
}

// checkHeaders rejects the headers that make net/http send a request again when
// its connection breaks: a call could be executed twice.
func (c *Config) checkHeaders() error {
	for name := range c.Headers {
		switch http.CanonicalHeaderKey(name) {
		case "Idempotency-Key", "X-Idempotency-Key":
			return fmt.Errorf("the header %s would let a call be sent twice; remove it from headers", name)
		}
	}
	return nil
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("url must begin with http:// or https://")
	}
	return nil
}

// launchKey names the process or session that a configuration leads to: two
// configurations with equal keys may share one. Secrets are in it as references.
func (c Config) launchKey(principal string, capabilities json.RawMessage) string {
	if c.Shared {
		principal = ""
	}
	// These concern the tools, not the process or session.
	c.Name, c.Prefix, c.Trust, c.Shared, c.Warm = "", nil, false, false, false
	c.Include, c.Exclude, c.Rename, c.Describe = nil, nil, nil, nil
	return strconv.Quote(principal) + string(capabilities) + string(jsonx.Text(c))
}

// prefix returns the prefix of the tools' names.
func (c *Config) prefix() string {
	if c.Prefix != nil {
		return *c.Prefix
	}
	return c.Name
}

// selects reports whether a tool of the server is wanted.
func (c *Config) selects(name string) bool {
	if matchesAny(c.Exclude, name) {
		return false
	}
	return len(c.Include) == 0 || matchesAny(c.Include, name)
}

// matchesAny compares with patterns, in which * matches slashes too.
func matchesAny(patterns []string, name string) bool {
	flat := strings.ReplaceAll(name, "/", "\x00")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), flat)
		return err == nil && ok
	})
}
