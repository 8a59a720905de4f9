package gongu

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The codes of errors that an executor and its guards return. A tool may return
// other codes.
const (
	CodeTool           = "E_TOOL"
	CodeNotFound       = "E_TOOL_NOT_FOUND"
	CodeNotInCatalog   = "E_TOOL_NOT_IN_CATALOG"
	CodeInvalidArgs    = "E_TOOL_INVALID_ARGS"
	CodeTimeout        = "E_TOOL_TIMEOUT"
	CodeCancelled      = "E_TOOL_CANCELLED"
	CodePanic          = "E_TOOL_PANIC"
	CodeOutputTooLarge = "E_TOOL_OUTPUT_TOO_LARGE"
	CodeDenied         = "E_TOOL_DENIED"
	CodeRejected       = "E_TOOL_REJECTED"
	CodeQuarantined    = "E_TOOL_QUARANTINED"
	CodeChanged        = "E_TOOL_CHANGED"
	CodeUnavailable    = "E_TOOL_UNAVAILABLE"
	CodeOutcomeUnknown = "E_TOOL_OUTCOME_UNKNOWN"
	// CodeAudit means that the call could not be recorded, so it did not run.
	CodeAudit = "E_AUDIT_UNAVAILABLE"
)

type codeText struct {
	name                string
	message, suggestion lang.Text
}

// codeTexts has the texts of each code; docs/errors has a page for each.
var codeTexts = map[string]codeText{
	CodeTool:           {"Error", lang.MessageTool, lang.SuggestTool},
	CodeNotFound:       {"ToolNotFoundError", lang.MessageNotFound, lang.SuggestNotFound},
	CodeNotInCatalog:   {"ToolNotInCatalogError", lang.MessageNotInCatalog, lang.SuggestNotInCatalog},
	CodeInvalidArgs:    {"ToolInputValidationError", lang.MessageInvalidArgs, lang.SuggestInvalidArgs},
	CodeTimeout:        {"ToolTimeoutError", lang.MessageTimeout, lang.SuggestTimeout},
	CodeCancelled:      {"ToolCancelledError", lang.MessageCancelled, lang.SuggestCancelled},
	CodePanic:          {"ToolPanicError", lang.MessagePanic, lang.SuggestPanic},
	CodeOutputTooLarge: {"ToolOutputTooLargeError", lang.MessageOutputTooLarge, lang.SuggestOutputTooLarge},
	CodeDenied:         {"ToolDeniedError", lang.MessageDenied, lang.SuggestDenied},
	CodeRejected:       {"ToolRejectedError", lang.MessageRejected, lang.SuggestRejected},
	CodeQuarantined:    {"ToolQuarantinedError", lang.MessageQuarantined, lang.SuggestQuarantined},
	CodeChanged:        {"ToolChangedError", lang.MessageChanged, lang.SuggestChanged},
	CodeUnavailable:    {"ToolUnavailableError", lang.MessageUnavailable, lang.SuggestUnavailable},
	CodeOutcomeUnknown: {"ToolOutcomeUnknownError", lang.MessageOutcomeUnknown, lang.SuggestOutcomeUnknown},
	CodeAudit:          {"AuditUnavailableError", lang.MessageAudit, lang.SuggestAudit},
}

// Error says why a call failed, for the model that made it. A handler may
// return one, or wrap one with %w; the executor fills in empty fields by the
// code.
type Error struct {
	Message    string `json:"message"`
	Name       string `json:"name,omitempty"`
	Code       string `json:"code,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
	HelpURL    string `json:"helpUrl,omitempty"`

	cause error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the Go error that the Error was made from, or nil.
func (e *Error) Unwrap() error { return e.cause }

// UnmarshalJSON reads an error of another program. It drops fields that are not
// strings, such as a numeric code.
func (e *Error) UnmarshalJSON(raw []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("an error must be a JSON object: %w", err)
	}
	*e = Error{
		Message:    stringField(fields, "message"),
		Name:       stringField(fields, "name"),
		Code:       stringField(fields, "code"),
		Suggestion: stringField(fields, "suggestion"),
		HelpURL:    stringField(fields, "helpUrl"),
	}
	return nil
}

func stringField(fields map[string]json.RawMessage, key string) string {
	var text string
	if json.Unmarshal(fields[key], &text) != nil {
		return ""
	}
	return text
}

// errorOf returns an Error for any Go error, with the whole message and the
// other fields of an Error that it wraps.
func errorOf(err error) *Error {
	if err == nil {
		return &Error{}
	}
	out := &Error{Message: err.Error(), cause: err}
	if inner, ok := errors.AsType[*Error](err); ok {
		out.Name, out.Code, out.Suggestion, out.HelpURL = inner.Name, inner.Code, inner.Suggestion, inner.HelpURL
	}
	return out
}

// errorOfPanic returns an Error for the value of a panic: an error, a string, or
// a value with message and code fields. Methods of the value may panic, too.
func errorOfPanic(thrown any) (out *Error) {
	defer func() {
		if recover() != nil {
			out = &Error{Message: fmt.Sprintf("%T", thrown), Name: "UnknownError"}
		}
	}()
	switch v := thrown.(type) {
	case error:
		return errorOf(v)
	case string:
		return &Error{Message: v, Name: "UnknownError"}
	}
	if raw, err := json.Marshal(thrown); err == nil {
		var e Error
		if json.Unmarshal(raw, &e) == nil && e.Message != "" {
			return &e
		}
	}
	return &Error{Message: fmt.Sprintf("%+v", thrown), Name: "UnknownError"}
}

// truncationMark is appended to a message that was cut.
const truncationMark = "... (truncated)"

// truncate cuts a message to a number of runes.
func truncate(message string, limit int) string {
	if len(message) <= limit || utf8.RuneCountInString(message) <= limit {
		return message
	}
	keep, mark := limit-len(truncationMark), truncationMark
	if keep <= 0 {
		keep, mark = limit, ""
	}
	for i := range message {
		if keep == 0 {
			return message[:i] + mark
		}
		keep--
	}
	return message
}
