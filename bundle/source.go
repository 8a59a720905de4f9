package bundle

import (
	"cmp"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// McpServer is a resource: an MCP server whose tools are imported.
type McpServer struct {
	Meta
	Spec McpServerSpec
}

// McpServerSpec is the spec of an McpServer. Texts may hold ${env:NAME},
// ${file:PATH} and ${keyring:NAME}, which are filled in when the server starts.
type McpServerSpec struct {
	Type          string            `json:"type" rule:"enum=stdio|http|sse" doc:"How to talk to the server (default: stdio with command, http with url)."`
	Command       string            `json:"command" rule:"nonempty" doc:"Program to start."`
	Args          []string          `json:"args" doc:"Arguments of the program."`
	Env           map[string]string `json:"env" doc:"Environment of the program."`
	Cwd           string            `json:"cwd" rule:"nonempty" doc:"Folder that the program starts in: project is the bundle's (default: an empty folder). Consent does not cover the files there."`
	Audit         string            `json:"audit" rule:"enum=required" doc:"Whether calls must be on record before they run: required refuses a call that cannot be recorded (default: calls are recorded when they end)."`
	Sandbox       *Sandbox          `json:"sandbox" doc:"What the program may reach: a preset (npm, python, git, browser), off (the default) or settings."`
	Files         []string          `json:"files" rule:"nonempty" doc:"Files of a program that lies in the bundle, relative to the bundle; *, ? and ** work (default: the folder of the program). Consent covers them, and the program runs from a copy of them."`
	URL           string            `json:"url" rule:"url" doc:"Address of the server."`
	Headers       map[string]string `json:"headers" doc:"Headers of each request."`
	Prefix        *string           `json:"prefix" doc:"Put before each tool's name with two underscores (default: the name of the resource; empty keeps the server's names)."`
	Include       []string          `json:"include" rule:"nonempty,glob" doc:"Tools to import, by the server's names; * and ? work."`
	Exclude       []string          `json:"exclude" rule:"nonempty,glob" doc:"Tools to leave out."`
	Rename        map[string]string `json:"rename" rule:"nonempty" doc:"Other names for tools."`
	Describe      map[string]string `json:"describe" rule:"nonempty" doc:"Other descriptions for tools."`
	Trust         bool              `json:"trust" doc:"Believe the server's annotations."`
	Shared        bool              `json:"shared" doc:"One process for everybody, not one for each user."`
	MaxConcurrent int               `json:"maxConcurrent" rule:"min=1" doc:"Most calls at a time."`
	Timeouts      McpTimeouts       `json:"timeouts" doc:"How long to wait."`
	OAuth         McpOAuth          `json:"oauth" doc:"Who we are to the server's authorization server, where the defaults do not do."`
	Warm          bool              `json:"warm" doc:"Connect at once, not at the first use."`
	Pin           Pin               `json:"pin" doc:"How strictly the definitions of the tools are pinned."`
	Offer         Offer             `json:"offer" doc:"Tools that clients of gongu serve are offered: all (default), read-only, none, or globs of their names in gongu."`
}

// McpTimeouts are how long to wait for an MCP server.
type McpTimeouts struct {
	Connect Duration `json:"connect" doc:"For the connection, such as 10s."`
	List    Duration `json:"list" doc:"For the list of tools."`
	Call    Duration `json:"call" doc:"For a call."`
}

// Pin says how strictly the definitions of a source are pinned. What is empty
// is as everywhere else.
type Pin struct {
	MaxAge   *Age   `json:"maxAge" doc:"How old the list may be when a tool is called, such as 60s (the default); 0 lists again before every call."`
	New      string `json:"new" rule:"enum=admit|quarantine" doc:"What happens to a new tool of a known source: it is admitted, unless something is found in it (default), or held back."`
	FirstUse string `json:"firstUse" rule:"enum=trust-on-first-use|ask|locked" doc:"What happens to a source that gongu.lock does not know: pin it as it is (default), hold it back, or never add to the file."`
}

// Age is a time such as 60s, or 0.
type Age time.Duration

func (t *Age) fromNode(d *decoder, a at, r rules) {
	text := a.value().Value
	if zero, err := time.ParseDuration(text); err == nil && zero == 0 && !strings.HasPrefix(text, "-") {
		*t = 0
		return
	}
	(*Duration)(t).fromNode(d, a, r)
}

// McpOAuth is a client registration. What is left out is found out or made up.
type McpOAuth struct {
	ClientID     string   `json:"clientId" rule:"nonempty" doc:"Id of a client that was registered before."`
	ClientSecret string   `json:"clientSecret" rule:"nonempty" doc:"Its secret, as ${env:NAME}, ${file:PATH} or ${keyring:NAME}."`
	Issuer       string   `json:"issuer" rule:"url" doc:"The only authorization server that gets the secret."`
	MetadataURL  string   `json:"metadataUrl" rule:"url" doc:"Where our client metadata document is, which then is the client id."`
	Scopes       []string `json:"scopes" rule:"nonempty" doc:"Scopes to ask for, in place of those that the server names."`
	RedirectPort int      `json:"redirectPort" rule:"min=1" doc:"Loopback port for the answer of the browser (default: any free one)."`
}

func (s *McpServerSpec) check(d *decoder, a at) {
	if !d.exactlyOne(a, "command", "url", lang.BundleHintServer) {
		return
	}
	command := field(a.node, "command") != nil
	switch s.Type {
	case "":
		s.Type = "http"
		if command {
			s.Type = "stdio"
		}
	case "stdio":
		if !command {
			d.error(a.find("type"), CodeSchemaInvalid, lang.BundleNeeds.With("type: stdio", "command"), lang.BundleHintServer.With())
		}
	case "http", "sse":
		if command {
			d.error(a.find("type"), CodeSchemaInvalid, lang.BundleNeeds.With("type: "+s.Type, "url"), lang.BundleHintServer.With())
		}
	}
	s.checkBelongs(d, a, command)
	checkFiles(d, a, s.Files)
	checkPrefix(d, a, s.Prefix)
}

// checkBelongs finds fields of the other kind of server.
func (s *McpServerSpec) checkBelongs(d *decoder, a at, command bool) {
	owner, others := "url", []string{"headers", "oauth"}
	if !command {
		owner, others = "command", []string{"args", "env", "cwd", "sandbox", "files"}
	}
	for _, name := range others {
		if field(a.node, name) != nil {
			d.error(a.find(name), CodeSchemaInvalid, lang.BundleNeeds.With(name, owner), lang.BundleHintServer.With())
		}
	}
}

// checkPrefix: with a prefix the names of tools must still be legal.
func checkPrefix(d *decoder, a at, prefix *string) {
	if prefix == nil || *prefix == "" {
		return
	}
	if _, err := gongu.BuildName(*prefix, "x"); err != nil {
		d.error(a.find("prefix"), CodeInvalidName, lang.BundleToolName.With(err), lang.BundleHintToolName.With())
	}
}

// ToolCommand is a resource: a program that lists tools and runs them.
type ToolCommand struct {
	Meta
	Spec ToolCommandSpec
}

// ToolCommandSpec is the spec of a ToolCommand.
type ToolCommandSpec struct {
	Discover Command           `json:"discover" rule:"required" doc:"Program that prints the declarations of the tools as JSON."`
	Call     Command           `json:"call" rule:"required" doc:"Program that runs a tool; it gets the tool's name and, on standard input, its arguments."`
	Env      map[string]string `json:"env" doc:"Environment of the programs."`
	Cwd      string            `json:"cwd" rule:"nonempty" doc:"Folder that the programs start in: project is the bundle's (default: an empty folder for the list, the caller's workdir for a call). Consent does not cover the files there."`
	Audit    string            `json:"audit" rule:"enum=required" doc:"Whether calls must be on record before they run: required refuses a call that cannot be recorded (default: calls are recorded when they end)."`
	Sandbox  *Sandbox          `json:"sandbox" doc:"What the programs may reach: a preset (npm, python, git, browser), off, or settings (default: all files but gongu's own to read, the working directory to write)."`
	Files    []string          `json:"files" rule:"nonempty" doc:"Files of a program that lies in the bundle, relative to the bundle; *, ? and ** work (default: the folder of the program). Consent covers them, and the program runs from a copy of them."`
	Timeout  Duration          `json:"timeout" doc:"How long a call may take, such as 30s."`
	Mode     string            `json:"mode" rule:"enum=spawn|worker" doc:"Start the program for each call (default) or keep it running."`
	Prefix   *string           `json:"prefix" doc:"Put before each tool's name with two underscores (default: the name of the resource; empty keeps the command's names)."`
	Trust    bool              `json:"trust" doc:"Believe the program's hints, such as readOnlyHint."`
	Pin      Pin               `json:"pin" doc:"How strictly the definitions of the tools are pinned."`
	Offer    Offer             `json:"offer" doc:"Tools that clients of gongu serve are offered: all (default), read-only, none, or globs of their names in gongu."`
}

func (s *ToolCommandSpec) check(d *decoder, a at) {
	s.Mode = cmp.Or(s.Mode, "spawn")
	checkFiles(d, a, s.Files)
	checkPrefix(d, a, s.Prefix)
}
