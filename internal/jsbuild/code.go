package jsbuild

import (
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	// MaxCode is the largest source of a model, in bytes. A much larger one can
	// be nested so deeply that esbuild overflows the stack and ends the process.
	MaxCode = 64 << 10
	// CodeName is the file name of code in positions.
	CodeName = "code"
	// The code is the body of an async function and starts on its first line.
	codeHead = scriptPrefix + "globalThis.__gongu_code = async () => {"
	codeFoot = "\n};"
)

// CodeError reports why code cannot be run.
type CodeError struct {
	// Line is the line of the code, from 1, or 0.
	Line   int
	Reason string

	topLevelReturn bool
}

func (e *CodeError) Error() string { return e.Reason }

// Code turns the body of an async function, in TypeScript, into a script that
// sets that function. The function returns what a return statement at the top
// level returns, or else the value of the last statement if that is an
// expression. Code asks parses whether the engine accepts a script. The error is
// a [CodeError].
func Code(l lang.Lang, source string, parses func(script string) bool) (*Script, error) {
	body, m, err := transpile(source)
	if err == nil {
		return &Script{Entry: CodeName, Source: codeHead + withReturn(body, parses) + codeFoot, Map: m}, nil
	}
	// esbuild takes source with an await at the top level for a module, which
	// must not have a return. As the body of a function it may have both.
	body, m, second := transpile("async () => {" + source + "\n}")
	if second == nil {
		return &Script{Entry: CodeName, Source: scriptPrefix + "globalThis.__gongu_code = " + body, Map: m}, nil
	}
	if err.topLevelReturn {
		err = second // the return is allowed; the other attempt has the real problem
	}
	if UsesModules(source) {
		err = &CodeError{Line: second.Line, Reason: lang.CodeNoImport.In(l)}
	}
	return nil, err
}

// WarmUp makes the first call of Code in a process faster.
func WarmUp() { _, _, _ = transpile("void 0") } // it has no error

func transpile(source string) (string, *SourceMap, *CodeError) {
	result := api.Transform(source, api.TransformOptions{
		Loader: api.LoaderTS, Target: api.ES2022, Charset: api.CharsetUTF8, TsconfigRaw: "{}",
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, Sourcefile: CodeName,
		LogLevel: api.LogLevelSilent, LegalComments: api.LegalCommentsNone,
	})
	if len(result.Errors) == 0 {
		return string(result.Code), NewSourceMap(result.Map), nil
	}
	first := result.Errors[0]
	// esbuild gives this message no identifier.
	out := &CodeError{Reason: first.Text, topLevelReturn: strings.HasPrefix(first.Text, "Top-level return")}
	if first.Location != nil {
		out.Line = first.Location.Line
	}
	return "", nil, out
}

// moduleWord matches an import or export statement, which only a module may
// have: at the start of a line of the code or of the script made of it.
var moduleWord = regexp.MustCompile(`(?m)^(?:\S* = async \(\) => \{)?(?:import|export)\b`)

// UsesModules reports whether code, or a script that Code returned, has import
// or export statements.
func UsesModules(source string) bool { return moduleWord.MatchString(source) }

// statementWord matches the start of a statement that is not an expression.
var statementWord = regexp.MustCompile(`^(?:(?:var|let|const|if|for|while|do|switch|try|throw|return|break|continue|class|function|import|export|debugger|with)\b|async function\b|[{}\])]|[A-Za-z_$][\w$]*\s*:)`)

// withReturn adds a return to the last statement if it is an expression.
//
// esbuild starts each statement of the top level on its own line and indents
// everything else, except for the text of a template literal. So withReturn
// takes the last line that is not indented, and asks the engine whether a
// statement really starts there.
func withReturn(body string, parses func(script string) bool) string {
	lines := strings.SplitAfter(strings.TrimRight(body, "\n"), "\n")
	at := len(body)
	for i := len(lines) - 1; i >= 0; i-- {
		if first := lines[i]; first != "" && !strings.ContainsAny(first[:1], " \t\n}])`") {
			at = len(strings.Join(lines[:i], ""))
			break
		}
	}
	if at >= len(body) || statementWord.MatchString(body[at:]) {
		return body
	}
	insert := func(text string) (string, bool) {
		changed := body[:at] + text + body[at:]
		return changed, parses(codeHead + changed + codeFoot)
	}
	if _, inLiteral := insert(")"); inLiteral {
		return body
	}
	if _, startsStatement := insert(";"); !startsStatement {
		return body
	}
	if changed, ok := insert("return "); ok {
		return changed
	}
	return body
}
