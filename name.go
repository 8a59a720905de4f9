package gongu

import (
	"errors"
	"fmt"

	"github.com/gongu-ai/gongu/internal/toolname"
)

// BuildName joins a resource and an export to a tool's name, such as bash__exec.
func BuildName(resource, export string) (string, error) { return toolname.Build(resource, export) }

// ParseName splits a name into resource and export. It is for names that people
// typed; the owner of a tool is its [Source], which is not derived from a name.
func ParseName(name string) (resource, export string, ok bool) { return toolname.Parse(name) }

// checkToolName refuses a name that some provider refuses, or that lacks the
// resource although the source needs one.
func checkToolName(name string, source Source) error {
	err := toolname.Check(name)
	if !errors.Is(err, toolname.ErrPlain) {
		return err
	}
	if mayBePlain(name, source) {
		return nil
	}
	return fmt.Errorf("a tool of %s needs the form resource__export", source.Identity())
}

// mayBePlain reports whether a name needs no resource: tools of the program
// itself, macros, and tools that keep their upstream's names, legal or mapped.
func mayBePlain(name string, source Source) bool {
	switch source.Type {
	case "go", "macro":
		return true
	case "mcp", "command":
		return source.Original == name || toolname.IsMapped(name, source.Original)
	}
	return false
}
