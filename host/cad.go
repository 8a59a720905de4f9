package host

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/cad"
)

// cadExtension returns the extension builtin:cad, which adds the drawing tools
// under their plain names. Each instance has its own scenes.
func (h *Host) cadExtension() agent.Extension {
	return agent.ExtensionFunc(func(_ context.Context, api *agent.API, _ json.RawMessage) error {
		opts := &cad.Options{Lang: h.opts.Lang}
		for _, tool := range cad.Tools(cad.NewFolder(filepath.Join(h.state, "instances")), opts) {
			tool.Source.Type = "go"
			if err := api.RegisterTool(tool); err != nil {
				return err
			}
		}
		described := gongu.NewRegistry(nil)
		cad.Domains(described, opts)
		for _, domain := range described.Domains() {
			api.Domain(domain.Name, domain.Description)
		}
		return nil
	})
}
