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

// Tool is a definition that the model reads and a handler that the executor
// runs. Only Name and Invoke are required. [Func] makes a Tool from a Go
// function.
type Tool struct {
	// Name is the name that the model calls: {resource}__{export}. For a tool
	// added in code a plain name will do.
	Name        string
	Title       string
	Description string
	// Domain is the group that discovery tools list the tool under. Empty
	// means the source's name.
	Domain string
	// Parameters is the JSON Schema of the arguments, with root type object.
	// Empty accepts any object.
	Parameters Schema
	// Output is the JSON Schema of the output; empty when the tool does not
	// describe it.
	Output      Schema
	Annotations Annotations
	Source      Source
	Limits      Limits
	// Template is the JSON object in which an MCP server defined the tool, with
	// its members in the server's order. Members that other fields hold are
	// null and filled in from them; the rest, such as icons, is passed on
	// unchanged. Empty means the usual members in the usual order.
	Template string
	// Keywords are further search terms for the tool, in any language.
	Keywords []string
	// Labels are key-value pairs that a [Rule] can select tools by.
	Labels map[string]string
	// Examples are valid argument objects, shown with the schema.
	Examples []json.RawMessage
	// Invoke runs the tool.
	Invoke Invoke
	// Shell returns the text that a call runs with a shell, including what its
	// other arguments do to that text, so that rules can judge the commands. Nil
	// means that the tool runs no such text.
	Shell func(args json.RawMessage) (text string, ok bool)
	// Preview says what a call will do. It must be quick and must not change
	// anything; its ctx is that of a guard. Nil means that only the arguments
	// are known.
	Preview func(ctx context.Context, call Call) Preview

	// err is the error of [Func]. [Registry.Add] returns it, so that a tool
	// can be written as one expression.
	err error
}

// Invoke runs a call. It is the type of handlers and of the rest of the chain
// that a [Middleware] wraps. A failure is a Result; see [Fail].
type Invoke func(ctx context.Context, call Call) Result

// Annotations are hints about what a tool does, as MCP defines them. A nil
// hint has MCP's default: the tool may write, be destructive, not be idempotent
// and reach an open world.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// IsReadOnly reports whether the tool declares that it changes nothing.
func (a Annotations) IsReadOnly() bool { return a.ReadOnly != nil && *a.ReadOnly }

// IsDestructive reports whether the tool may destroy something. A read-only
// tool is never destructive.
func (a Annotations) IsDestructive() bool {
	return !a.IsReadOnly() && (a.Destructive == nil || *a.Destructive)
}

// IsIdempotent reports whether repeating a call has no further effect.
func (a Annotations) IsIdempotent() bool { return a.Idempotent != nil && *a.Idempotent }

// IsOpenWorld reports whether the tool may reach beyond this system.
func (a Annotations) IsOpenWorld() bool { return a.OpenWorld == nil || *a.OpenWorld }

// Cautious returns the hints without those that make a tool look safer. It is
// for tools of a program or server whose hints are not believed.
func (a Annotations) Cautious() Annotations {
	keep := func(hint *bool, cautious bool) *bool {
		if hint == nil || *hint != cautious {
			return nil
		}
		return hint
	}
	return Annotations{
		ReadOnly: keep(a.ReadOnly, false), Destructive: keep(a.Destructive, true),
		Idempotent: keep(a.Idempotent, false), OpenWorld: keep(a.OpenWorld, true),
	}
}

// Milder returns the JSON name of the first hint in a by which the tool looks
// safer than in b, or "". A hint that a does not have is not compared.
func (a Annotations) Milder(b Annotations) string {
	switch {
	case a.ReadOnly != nil && *a.ReadOnly && !b.IsReadOnly():
		return "readOnlyHint"
	case a.Destructive != nil && !*a.Destructive && b.IsDestructive():
		return "destructiveHint"
	case a.Idempotent != nil && *a.Idempotent && !b.IsIdempotent():
		return "idempotentHint"
	case a.OpenWorld != nil && !*a.OpenWorld && b.IsOpenWorld():
		return "openWorldHint"
	}
	return ""
}

// Limits bound one tool. Zero values take the executor's defaults.
type Limits struct {
	// Timeout bounds the handler, not the wait before it starts. Negative
	// means no timeout.
	Timeout time.Duration
	// ErrorMessage is the maximum length of an error message, in runes
	// (default 1000).
	ErrorMessage int
	// Output is the maximum size of the output, in bytes (default 1 MiB).
	Output int
	// Serial runs calls of this tool one at a time.
	Serial bool
	// Inline runs the handler on the caller's goroutine. That is faster, but
	// the executor can then not enforce the deadline: set it only for a
	// handler that is quick or returns when its context ends. The handler must
	// not write to the arguments, which observers read.
	Inline bool
}

// Source is the owner of a tool. Tools whose sources have the same identity
// have the same owner.
type Source struct {
	// Type is go (the default), config, extension, mcp, command or macro.
	Type string     `json:"type"`
	Name string     `json:"name"`
	MCP  *MCPSource `json:"mcp,omitempty"`
	// Original is the tool's name at the upstream server or command, if it
	// differs from Name or cannot be derived from it.
	Original string `json:"original,omitempty"`
}

// MCPSource names the MCP server behind a tool.
type MCPSource struct {
	ExtensionName string `json:"extensionName"`
	ServerName    string `json:"serverName,omitempty"`
}

// sourceKinds maps the type of a source to the kind in its identity.
var sourceKinds = map[string]string{
	"go":        "Go",
	"config":    "Tool",
	"extension": "Extension",
	"mcp":       "McpServer",
	"command":   "ToolCommand",
	"macro":     "Macro",
}

// Identity returns the owner as text, such as Tool/bash or McpServer/github.
func (s Source) Identity() string {
	kind, ok := sourceKinds[s.Type]
	if !ok {
		kind = s.Type
	}
	return kind + "/" + s.Name
}

// orGo returns the source with its default type.
func (s Source) orGo() Source {
	if s.Type == "" {
		s.Type = "go"
	}
	return s
}

// Digest returns a hash of the definition that the model reads. A catalog
// keeps it, so that a tool whose definition has changed since does not run.
func (t Tool) Digest() string {
	sum := t.fingerprint()
	return hex.EncodeToString(sum[:])
}

// fingerprints pools the buffers: a large batch would otherwise allocate as
// much as its schemas take.
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

// clone returns a deep copy.
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
