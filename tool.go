package gongu

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"
)

// Tool is something an agent can do: a definition the model reads and a
// handler the executor runs. Fill in what you know; only Name and Invoke are
// required. [Func] makes one from a Go function.
type Tool struct {
	// Name is what the model calls: {resource}__{export}, or a plain name
	// for a tool added in code.
	Name        string
	Title       string
	Description string
	// Domain groups tools for exploring. Empty means the source's name.
	Domain string
	// Parameters is the JSON Schema of the arguments, with root type object.
	// Empty accepts any object.
	Parameters Schema
	// Output is the JSON Schema of the output, when the tool promises one.
	Output      Schema
	Annotations Annotations
	Source      Source
	Limits      Limits
	// Template is the JSON object in which an MCP server defined the tool, with
	// its members in the server's order. Members that other fields hold are
	// null and filled in from them; the rest, such as icons, is passed on
	// unchanged. Empty means the usual members in the usual order.
	Template string
	// Keywords are other words, in any language, to find the tool by.
	Keywords []string
	// Labels are the owner's own marks, for selecting tools.
	Labels map[string]string
	// Examples are argument objects that work, shown with the schema.
	Examples []json.RawMessage
	// Invoke runs the tool.
	Invoke Invoke

	// err is what [Func] could not do. [Registry.Add] reports it, so that a
	// tool can be written as one expression.
	err error
}

// Invoke runs a call. Handlers have this form, and so does the rest of the
// chain that a [Middleware] wraps. A failure is a Result; see [Fail].
type Invoke func(ctx context.Context, call Call) Result

// Annotations are hints about what a tool does, as MCP defines them. A hint
// that is not given counts for the worst: destructive, open to the world.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// IsReadOnly reports whether the tool says that it changes nothing.
func (a Annotations) IsReadOnly() bool { return a.ReadOnly != nil && *a.ReadOnly }

// IsDestructive reports whether the tool may destroy something. A read-only
// tool does not, whatever else it says.
func (a Annotations) IsDestructive() bool {
	return !a.IsReadOnly() && (a.Destructive == nil || *a.Destructive)
}

// IsIdempotent reports whether a second equal call changes nothing more.
func (a Annotations) IsIdempotent() bool { return a.Idempotent != nil && *a.Idempotent }

// IsOpenWorld reports whether the tool may reach beyond this system.
func (a Annotations) IsOpenWorld() bool { return a.OpenWorld == nil || *a.OpenWorld }

// Limits bound one tool. Zero values take the executor's defaults.
type Limits struct {
	// Timeout covers the handler alone, not the waiting before it. Negative
	// means none.
	Timeout time.Duration
	// ErrorMessage is the longest error message, in runes (default 1000).
	ErrorMessage int
	// Output is the largest output, in bytes (default 1 MiB).
	Output int
	// Serial runs calls of this tool one at a time.
	Serial bool
	// Inline runs the handler on the caller's own goroutine, which saves
	// handing it to a worker and costs the promise that every call is
	// answered in time: set it only for a handler that is quick, or that ends
	// when its context does. It must not write into the arguments, which
	// observers see.
	Inline bool
}

// Source says where a tool comes from. Two tools with the same identity have
// the same owner.
type Source struct {
	// Type is go (the default), config, extension, mcp, command or macro.
	Type string     `json:"type"`
	Name string     `json:"name"`
	MCP  *MCPSource `json:"mcp,omitempty"`
	// Original is the tool's own name at an upstream, when ours differs from
	// it or must not be taken apart to find it.
	Original string `json:"original,omitempty"`
}

// MCPSource names the MCP server behind a tool.
type MCPSource struct {
	ExtensionName string `json:"extensionName"`
	ServerName    string `json:"serverName,omitempty"`
}

// sourceKinds maps the types of sources to the kind their identity shows.
var sourceKinds = map[string]string{
	"go":        "Go",
	"config":    "Tool",
	"extension": "Extension",
	"mcp":       "McpServer",
	"command":   "ToolCommand",
	"macro":     "Macro",
}

// Identity prints the owner, such as Tool/bash or McpServer/github.
func (s Source) Identity() string {
	kind, ok := sourceKinds[s.Type]
	if !ok {
		kind = s.Type
	}
	return kind + "/" + s.Name
}

// orGo is the source with its default type.
func (s Source) orGo() Source {
	if s.Type == "" {
		s.Type = "go"
	}
	return s
}

// Digest is a fingerprint of what the model is told about the tool. A catalog
// remembers it, so a definition that changed under a step never runs in it.
func (t Tool) Digest() string {
	sum := t.fingerprint()
	return hex.EncodeToString(sum[:])
}

// fingerprints keeps the buffers: a batch of many tools would leave as much
// garbage as it has schemas.
var fingerprints sync.Pool

func (t *Tool) fingerprint() [sha256.Size]byte {
	owner := t.Source.orGo().Identity()
	fields := [...]string{t.Name, t.Title, t.Description, t.Domain, string(t.Parameters), string(t.Output), owner}
	pooled, ok := fingerprints.Get().(*[]byte)
	if !ok {
		pooled = new([]byte)
	}
	raw := (*pooled)[:0]
	defer func() { *pooled = raw; fingerprints.Put(pooled) }()
	for _, field := range fields {
		// The length first, so that no two lists of fields look alike.
		raw = binary.LittleEndian.AppendUint64(raw, uint64(len(field)))
		raw = append(raw, field...)
	}
	for _, example := range t.Examples {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(len(example)))
		raw = append(raw, example...)
	}
	a := t.Annotations
	for _, hint := range [...]*bool{a.ReadOnly, a.Destructive, a.Idempotent, a.OpenWorld} {
		raw = append(raw, hintByte(hint))
	}
	if t.Template != "" {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(len(t.Template)))
		raw = append(raw, t.Template...)
	}
	return sha256.Sum256(raw)
}

func hintByte(hint *bool) byte {
	switch {
	case hint == nil:
		return 0
	case *hint:
		return 1
	default:
		return 2
	}
}

// clone copies everything a holder could change through.
func (t Tool) clone() Tool {
	a := &t.Annotations
	for _, hint := range []**bool{&a.ReadOnly, &a.Destructive, &a.Idempotent, &a.OpenWorld} {
		if *hint != nil {
			*hint = new(**hint)
		}
	}
	if t.Source.MCP != nil {
		t.Source.MCP = new(*t.Source.MCP)
	}
	t.Keywords = slices.Clone(t.Keywords)
	t.Labels = maps.Clone(t.Labels)
	t.Examples = slices.Clone(t.Examples)
	for i, example := range t.Examples {
		t.Examples[i] = slices.Clone(example)
	}
	return t
}
