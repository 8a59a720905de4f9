package agent

import (
	"crypto/rand"
	"maps"
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// baseExtensions are the extensions that come with gongu.
var baseExtensions = map[string]ExtensionFunc{
	"context-message":             registerContextMessage,
	"inter-agent-response-format": registerResponseFormat,
	"logging":                     registerLogging,
	"message-compaction":          registerMessageCompaction,
	"message-window":              registerMessageWindow,
	"required-tools-guard":        registerRequiredTools,
	"tool-search":                 registerToolSearch,
}

// BaseExtension returns an extension that comes with gongu.
func BaseExtension(name string) (Extension, bool) {
	extension, ok := baseExtensions[name]
	if !ok {
		return nil, false
	}
	return extension, true
}

// BaseExtensions returns the names that [BaseExtension] knows, sorted.
func BaseExtensions() []string { return slices.Sorted(maps.Keys(baseExtensions)) }

func languageOf(api *API) lang.Lang { return lang.Of(api.wiring.Lang) }

// newMessage is a message of an extension.
func newMessage(api *API, role, text string) Message {
	return Text("msg_"+rand.Text(), role, text, MessageSource{Type: "extension", ExtensionName: api.Name})
}

// metadataPinned marks a message that no extension may drop.
const metadataPinned = "pinned"

func isPinned(m Message) bool {
	pinned, ok := m.Metadata[metadataPinned].(bool)
	return ok && pinned
}

func emitAll(c *Conversation, events []MessageEvent) error {
	for _, event := range events {
		if err := c.Emit(event); err != nil {
			return err
		}
	}
	return nil
}
