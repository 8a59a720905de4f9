package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/schema"
)

// count is a whole number of a configuration, in any of the ways JSON writes
// one. The schemas bound it, so that it fits.
type count int

// UnmarshalJSON accepts 10.0 and 1e1 for 10, as the schema does.
func (c *count) UnmarshalJSON(raw []byte) error {
	var number float64
	if err := json.Unmarshal(raw, &number); err != nil {
		return err
	}
	*c = count(number)
	return nil
}

// readConfig puts a configuration over the defaults in config. Settings the
// schema does not know, and values it does not allow, are an error.
func readConfig[C any](api *API, raw json.RawMessage, properties string, config *C) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	checker, err := schema.Lazy([]byte(`{"type":"object","additionalProperties":false,"properties":{`+properties+`}}`), nil)
	if err != nil {
		return fmt.Errorf("the schema of the configuration: %w", err)
	}
	if problem := jsonx.Strict(raw); problem != nil {
		return configError(api, nil, schema.Issue{Path: problem.Path, Message: problem.Message})
	}
	if failure := checker.Check(raw); failure != nil {
		if failure.Broken != nil {
			return fmt.Errorf("the schema of the configuration: %w", failure.Broken)
		}
		return configError(api, failure.Allowed, failure.Issues...)
	}
	return json.Unmarshal(raw, config)
}

// configError says what is wrong with a configuration, and which settings
// there are.
func configError(api *API, settings []string, issues ...schema.Issue) error {
	language := languageOf(api)
	var text []string
	for _, issue := range issues {
		text = append(text, "config"+strings.TrimPrefix(issue.Path, "args")+": "+issue.Message.In(language))
	}
	hint := lang.ExtensionConfigHint.In(language)
	if len(settings) > 0 {
		hint = lang.BaseConfigHint.In(language, strings.Join(settings, ", "))
	}
	return &ExtensionError{Code: CodeExtensionConfig, Extension: api.Name, Suggestion: hint, Cause: errors.New(strings.Join(text, "; "))}
}
