package bundle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The codes of errors. They are goondan's, so that scripts around goondan
// bundles keep working.
const (
	CodeUnsupportedAPIVersion  = "E_CONFIG_UNSUPPORTED_API_VERSION"
	CodeUnknownKind            = "E_CONFIG_UNKNOWN_KIND"
	CodeInvalidName            = "E_CONFIG_INVALID_NAME"
	CodeDuplicateName          = "E_CONFIG_DUPLICATE_NAME"
	CodeInvalidRef             = "E_CONFIG_INVALID_REF"
	CodeRefNotFound            = "E_CONFIG_REF_NOT_FOUND"
	CodeSchemaInvalid          = "E_CONFIG_SCHEMA_INVALID"
	CodeEntryNotFound          = "E_CONFIG_ENTRY_NOT_FOUND"
	CodeParseError             = "E_CONFIG_PARSE_ERROR"
	CodeFileTooLarge           = "E_CONFIG_FILE_TOO_LARGE"
	CodeTooManyDocuments       = "E_CONFIG_TOO_MANY_DOCUMENTS"
	CodePackageDocPosition     = "E_CONFIG_PACKAGE_DOC_POSITION"
	CodePackageDocDuplicated   = "E_CONFIG_PACKAGE_DOC_DUPLICATED"
	CodePackageLockMissing     = "E_CONFIG_PACKAGE_LOCK_MISSING"
	CodePackageNotInstalled    = "E_CONFIG_PACKAGE_NOT_INSTALLED"
	CodeMilderHint             = "E_CONFIG_MILDER_HINT"
	CodePackageManifestMissing = "E_CONFIG_PACKAGE_MANIFEST_MISSING"
)

// The codes of warnings and notes. A warning that [Options.Strict] turns into
// an error gets the code of an error.
const (
	CodeNoKind        = "W_CONFIG_NO_KIND"
	CodeNoSwarm       = "W_CONFIG_NO_SWARM"
	CodeUppercase     = "W_CONFIG_UPPERCASE_NAME"
	CodeUndocumented  = "W_CONFIG_UNDOCUMENTED"
	CodeUnchecked     = "W_CONFIG_UNCHECKED"
	CodeEnvMissing    = "W_CONFIG_ENV_MISSING"
	CodeShellSyntax   = "W_CONFIG_SHELL_SYNTAX"
	CodeUnknownEvent  = "W_CONFIG_UNKNOWN_EVENT"
	CodeSkippedFile   = "W_CONFIG_SKIPPED_FILE"
	CodeNoEffect      = "W_CONFIG_NO_EFFECT"
	CodeNoMatch       = "W_CONFIG_NO_MATCH"
	CodeNotRun        = "I_CONFIG_NOT_RUN"
	CodeTooManyErrors = "I_CONFIG_MORE_PROBLEMS"
)

// Severity says how much a diagnostic weighs.
type Severity string

// A bundle with a SeverityError is refused.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Diagnostic is one thing to know about a bundle, written for its author.
type Diagnostic struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Path is the place in the resources, such as
	// goondan.yaml#2.spec.tools[0]; documents count from 0.
	Path string `json:"path"`
	// File is relative to the bundle, with slashes. Line and Column count
	// from 1.
	File       string `json:"file"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Suggestion string `json:"suggestion,omitempty"`
	HelpURL    string `json:"helpUrl,omitempty"`
}

// Error writes the diagnostic as compilers do, so that editors can jump to it.
func (d Diagnostic) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s (%s)", d.File, d.Line, d.Column, d.Message, d.Code)
}

// Diagnostics are ordered by file, line and column.
type Diagnostics []Diagnostic

// HasErrors reports whether the bundle is refused.
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == SeverityError })
}

// Only returns the diagnostics of one severity.
func (ds Diagnostics) Only(s Severity) Diagnostics {
	return slices.DeleteFunc(slices.Clone(ds), func(d Diagnostic) bool { return d.Severity != s })
}

// Err returns the errors alone, as one Go error, or nil when there is none.
func (ds Diagnostics) Err() error {
	if failures := ds.Only(SeverityError); len(failures) > 0 {
		return failures
	}
	return nil
}

// Error writes one diagnostic on each line.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single Diagnostic.
func (ds Diagnostics) Unwrap() []error {
	all := make([]error, len(ds))
	for i, d := range ds {
		all[i] = d
	}
	return all
}

// Position is a place in a bundle.
type Position struct {
	File         string
	Line, Column int
	Path         string
}

// maxDiagnostics is more than anyone reads; a hostile file could cause as many
// as it has bytes.
const maxDiagnostics = 500

// reporter collects diagnostics in the reader's language.
type reporter struct {
	lang   lang.Lang
	strict bool
	env    func(string) (string, bool)
	list   Diagnostics
	more   int
}

// error refuses the bundle.
func (r *reporter) error(a at, code string, message, suggestion lang.Message) {
	r.add(a, SeverityError, code, message, suggestion)
}

// warn reports a warning. Under strict it is an error if it has an error code.
func (r *reporter) warn(a at, code, strictCode string, message, suggestion lang.Message) {
	if r.strict && strictCode != "" {
		r.add(a, SeverityError, strictCode, message, suggestion)
		return
	}
	r.add(a, SeverityWarning, code, message, suggestion)
}

// full holds once nothing more will be listed and the bundle is refused anyway.
func (r *reporter) full() bool { return len(r.list) >= maxDiagnostics && r.list.HasErrors() }

func (r *reporter) add(a at, severity Severity, code string, message, suggestion lang.Message) {
	if len(r.list) >= maxDiagnostics {
		r.more++
		if severity != SeverityError || r.list.HasErrors() {
			return
		}
		// An error must refuse the bundle even when the list is full.
		r.list = r.list[:len(r.list)-1]
	}
	p := a.position()
	d := Diagnostic{
		Code: code, Severity: severity, Message: message.In(r.lang), HelpURL: helpURL(code),
		Path: p.Path, File: p.File, Line: p.Line, Column: p.Column,
	}
	if !suggestion.IsZero() {
		d.Suggestion = suggestion.In(r.lang)
	}
	r.list = append(r.list, d)
}

// finish sorts the list for the reader.
func (r *reporter) finish() Diagnostics {
	slices.SortStableFunc(r.list, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.more > 0 {
		last := r.list[len(r.list)-1]
		r.list = append(r.list, Diagnostic{
			Code: CodeTooManyErrors, Severity: SeverityInfo, Message: lang.BundleMore.In(r.lang, r.more),
			Path: last.Path, File: last.File, Line: last.Line, Column: last.Column,
			Suggestion: lang.BundleMoreHint.In(r.lang), HelpURL: helpURL(CodeTooManyErrors),
		})
	}
	return r.list
}

// helpURL points into the page about bundles, which has a heading for each code.
func helpURL(code string) string {
	return strings.TrimSuffix(lang.HelpBase, "/errors") + "/bundles#" + strings.ToLower(code)
}
