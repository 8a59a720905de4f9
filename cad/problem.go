package cad

import "github.com/gongu-ai/gongu/internal/lang"

// The codes of what a scene or a store refuses.
const (
	CodeNotFound      = "E_CAD_NOT_FOUND"
	CodeDuplicateName = "E_CAD_DUPLICATE_NAME"
	CodeInvalid       = "E_CAD_INVALID"
	CodeLimit         = "E_CAD_LIMIT"
	CodeNoHistory     = "E_CAD_NO_HISTORY"
	CodeSceneFile     = "E_CAD_SCENE_FILE"
)

// Problem is why an operation was refused. The scene is then as it was before.
type Problem struct {
	// Code is one of the codes of this package.
	Code string
	// Entity is the name that the problem is about, if it is about one.
	Entity string

	message, hint lang.Message
	cause         error
}

// Error is the message in English.
func (p *Problem) Error() string { return p.In("en") }

// In is the message in a language, en or ko.
func (p *Problem) In(language string) string { return p.message.In(lang.Of(language)) }

// Unwrap is the Go error behind it, if there was one.
func (p *Problem) Unwrap() error { return p.cause }

func invalid(text lang.Text, args ...any) *Problem {
	return &Problem{Code: CodeInvalid, message: text.With(args...), hint: lang.CADHintInvalid.With()}
}

func limit(text lang.Text, args ...any) *Problem {
	return &Problem{Code: CodeLimit, message: text.With(args...), hint: lang.CADHintLimit.With()}
}

func notFound(name string) *Problem {
	return &Problem{Code: CodeNotFound, Entity: name, message: lang.CADNotFound.With(name), hint: lang.CADHintList.With()}
}
