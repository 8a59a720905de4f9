package gongu

import (
	"errors"
	"fmt"

	"github.com/gongu-ai/gongu/internal/toolname"
)

// BuildName joins a resource and an export to the name a model calls, such as
// bash__exec.
func BuildName(resource, export string) (string, error) { return toolname.Build(resource, export) }

// ParseName takes a name apart again. It is for reading names people typed;
// the owner of a tool is its [Source] and is never parsed from a string.
func ParseName(name string) (resource, export string, ok bool) { return toolname.Parse(name) }

// checkToolName refuses a name that some provider would refuse, or that would
// not say whose tool it is.
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

// mayBePlain holds for tools whose owner is the program itself or a person,
// and for an upstream that is served under its own names, legal or mapped.
func mayBePlain(name string, source Source) bool {
	switch source.Type {
	case "go", "macro":
		return true
	case "mcp", "command":
		return source.Original == name || toolname.IsMapped(name, source.Original)
	}
	return false
}
