package api_test

import (
	"os"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/api"
	"github.com/gongu-ai/gongu/source"
)

func TestZZShot(t *testing.T) {
	yes := true
	a := gongu.Annotations{ReadOnly: &yes}
	b := newBackend(t, nil, gongu.Tool{Name: "file-system__read", Domain: "file-system", Annotations: a, Invoke: echo}, gongu.Tool{Name: "file-system__list", Domain: "file-system", Annotations: a, Invoke: echo}, gongu.Tool{Name: "json-query__count", Domain: "json-query", Annotations: a, Invoke: echo})
	b.registry.Domain("file-system", "Read, write and edit files below the working directory.")
	b.sources = append(b.sources, source.Status{Name: "linear", Identity: "McpServer/linear", State: source.Quarantined, Tools: 12, Held: 3, Reason: "3 of its tools are held back; see gongu pins list"}, source.Status{Name: "build", Identity: "ToolCommand/build", State: source.Idle})
	ask(t, b.store, 3)
	s := start(t, b, func(o *api.Options) { o.URL = "http://127.0.0.1:7410"; o.Version = "v0.7.0" })
	for _, l := range []string{"en", "ko"} {
		page, _ := s.page("?lang="+l, nil)
		os.WriteFile("/tmp/shot-"+l+".html", []byte(page), 0o644)
	}
}
