package edit

import "strings"

// Code says why an edit was refused.
type Code string

// The codes. An edit that succeeded has none.
const (
	NotFound       Code = "not_found"
	Ambiguous      Code = "ambiguous"
	AlreadyApplied Code = "already_applied"
	Stale          Code = "stale"
	Conflict       Code = "conflict"
	NoChange       Code = "no_change"
	Binary         Code = "binary"
)

// The codes as those of a failed call.
const (
	CodeNotFound       = "E_EDIT_NOT_FOUND"
	CodeAmbiguous      = "E_EDIT_AMBIGUOUS"
	CodeAlreadyApplied = "E_EDIT_ALREADY_APPLIED"
	CodeStale          = "E_EDIT_STALE"
	CodeConflict       = "E_EDIT_CONFLICT"
	CodeNoChange       = "E_EDIT_NO_CHANGE"
	CodeBinary         = "E_EDIT_BINARY"
)

// ErrorCode returns the code for the error of a call: [CodeNotFound] and so on.
func (c Code) ErrorCode() string {
	if c == "" {
		return ""
	}
	return "E_EDIT_" + strings.ToUpper(string(c))
}

// ErrorName returns the name for the error of a call: EditNotFoundError and so on.
func (c Code) ErrorName() string {
	if c == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("Edit")
	for word := range strings.SplitSeq(string(c), "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String() + "Error"
}
