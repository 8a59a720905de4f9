package agent

import (
	"context"
	"encoding/json"
)

const messageWindowSettings = `"maxMessages": {"type": "integer", "minimum": 1, "maximum": 1000000}`

type messageWindowConfig struct {
	MaxMessages count `json:"maxMessages"`
}

// registerMessageWindow drops the oldest messages before each turn.
func registerMessageWindow(_ context.Context, api *API, raw json.RawMessage) error {
	config := messageWindowConfig{MaxMessages: 40}
	if err := readConfig(api, raw, messageWindowSettings, &config); err != nil {
		return err
	}
	api.UseTurn(0, func(ctx context.Context, turn *Turn, next Next[TurnResult]) (TurnResult, error) {
		t := newTranscript(turn.Conversation.Next())
		t.trim(func() bool { return t.count > int(config.MaxMessages) }, t.mustStay)
		if err := emitAll(turn.Conversation, t.removals()); err != nil {
			return TurnResult{}, err
		}
		return next(ctx)
	})
	return nil
}
