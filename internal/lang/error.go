package lang

// Error is an error for a person or a model: what went wrong and what to do
// next, in every language. Its kind, a sentinel of the package that made it, is
// for errors.Is.
type Error struct {
	// Near are names like the one that was not found.
	Near []string

	kind       error
	cause      error // of the system, or nil
	text, hint Message
}

// NewError makes an error of a kind.
func NewError(kind error, text, hint Message) *Error {
	return &Error{kind: kind, text: text, hint: hint}
}

// Because adds the cause that the system gave.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error is the message with the hint, in English.
func (e *Error) Error() string { return e.Message("en") + ": " + e.Hint("en") }

// Message says what went wrong, in a language: "en" or "ko".
func (e *Error) Message(language string) string { return e.text.In(Of(language)) }

// Hint says what to do next, in a language: "en" or "ko".
func (e *Error) Hint(language string) string { return e.hint.In(Of(language)) }

// Unwrap gives the kind, and the cause when the system had one.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.kind}
	}
	return []error{e.kind, e.cause}
}
