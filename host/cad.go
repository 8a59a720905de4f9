package host

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/cad"
)

// cadExtension gives an agent the drawing tools, under their plain names: an
// Extension with entry builtin:cad. Scenes are kept by instance.
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
