package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"
)

// maxToolFile is far above what a macro or a script that a person reads can be.
const maxToolFile = 1 << 20

// ReadTool reads the file of a tool that a person gives to a request.
func ReadTool(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxToolFile {
		return nil, fmt.Errorf("it has %d bytes, at most %d are allowed", info.Size(), maxToolFile)
	}
	return os.ReadFile(file)
}

// ReadMacro reads a macro from JSON or YAML: its definition, or a resource of
// kind Macro.
func ReadMacro(file string) (json.RawMessage, error) {
	raw, err := ReadTool(file)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := yaml.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	if fields["kind"] == "Macro" {
		spec, ok := fields["spec"].(map[string]any)
		if !ok {
			return nil, errors.New("the resource has no spec")
		}
		fields = spec
	}
	return json.Marshal(fields)
}
