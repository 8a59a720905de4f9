package bundle

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

// sandboxOff is the setting that starts programs without a sandbox.
const sandboxOff = "off"

// Sandbox is what the programs of a resource may reach. A text is a preset, or
// off for no sandbox.
type Sandbox struct {
	// Off starts the programs without a sandbox.
	Off       bool     `json:"-"`
	Preset    string   `json:"preset" rule:"enum=npm|python|git|browser" doc:"What programs of this kind need of the home folder, caches included."`
	Read      []string `json:"read" rule:"nonempty" doc:"The only folders and files to read, beside those of the system and the bundle (default: all). Relative to the bundle; ~/ is the home folder."`
	Write     []string `json:"write" rule:"nonempty" doc:"Folders and files to write, beside the working directory and the temporary folder."`
	Network   string   `json:"network" rule:"enum=none|loopback|all" doc:"What to reach of the network (default: all). Loopback is one that only the program sees."`
	Memory    Bytes    `json:"memory" doc:"Most memory, such as 512MiB."`
	CPU       Duration `json:"cpu" doc:"Most processor time of a process, such as 30s."`
	Processes int      `json:"processes" rule:"min=1" doc:"Most processes at a time."`
	Required  bool     `json:"required" doc:"Refuse to start where the system cannot keep all of it."`
}

func (s *Sandbox) fromNode(d *decoder, a at, _ rules) {
	if kindOf(a.node) != kindString {
		d.structure(a, reflect.ValueOf(s).Elem())
		return
	}
	word := a.value().Value
	known := append([]string{sandboxOff}, sandbox.PresetNames()...)
	switch {
	case word == sandboxOff:
		s.Off = true
	case slices.Contains(known, word):
		s.Preset = word
	default:
		d.error(a, CodeSchemaInvalid, lang.BundleEnum.With(short(word)), choose(word, known))
	}
}

// Bytes is an amount of memory such as 512MiB, or a number of bytes.
type Bytes int64

func (b *Bytes) fromNode(d *decoder, a at, _ rules) {
	text := a.value().Value
	number, factor := text, int64(1)
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if n, ok := strings.CutSuffix(text, unit); ok {
			number, factor = strings.TrimSpace(n), 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/factor {
		d.error(a, CodeSchemaInvalid, lang.BundleBytes.With(short(text)), lang.BundleHintBytes.With())
		return
	}
	*b = Bytes(n * factor)
}

// checkSandbox refuses a sandbox where nothing is started.
func (t *Tool) checkSandbox(l *loader) {
	if t.Spec.Sandbox != nil && t.Module.Builtin != "" && t.Module.Builtin != "bash" {
		l.error(t.spec.find("sandbox"), CodeSchemaInvalid, lang.BundleSandboxNone.With("builtin:"+t.Module.Builtin), lang.BundleHintSandboxNone.With())
	}
}

// Confinement is how the programs of one resource are confined, for the question
// whether to trust a bundle.
type Confinement struct {
	// Identity is the resource's, such as McpServer/files.
	Identity string
	// Off reports that its programs run without a sandbox.
	Off bool
	// Sandbox is what the bundle says, nil for the default.
	Sandbox *Sandbox
}

// Confinements returns the confinement of each resource that starts programs.
func (b *Bundle) Confinements() []Confinement {
	var list []Confinement
	add := func(m *Meta, s *Sandbox, byDefault bool) {
		list = append(list, Confinement{Identity: m.Identity(), Off: s == nil && !byDefault || s != nil && s.Off, Sandbox: s})
	}
	for _, t := range b.Tools() {
		if t.Module.Builtin == "" || t.Module.Builtin == "bash" {
			add(&t.Meta, t.Spec.Sandbox, true)
		}
	}
	for _, c := range b.ToolCommands() {
		add(&c.Meta, c.Spec.Sandbox, true)
	}
	for _, s := range b.McpServers() {
		if s.Spec.Type == "stdio" {
			add(&s.Meta, s.Spec.Sandbox, false)
		}
	}
	return list
}
