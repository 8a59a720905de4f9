package script

import (
	"errors"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	// maxCode bounds source that a model has written: what is much larger, and
	// nested, ends esbuild and the process with it.
	maxCode = 64 << 10
	// codeName is what the code is called in source maps.
	codeName = "code"
	// The code is the body of an async function, on a line of its own.
	codeHead = moduleStart + "globalThis.__gongu_code = async () => {"
	codeFoot = "\n};"
)

// codeError is what is wrong with code before it runs.
type codeError struct {
	line   int
	reason string
}

func (e *codeError) Error() string { return e.reason }

// buildCode turns TypeScript into a script that sets a function. Its value is
// what a return at the top level gives, or that of the last statement when it
// is an expression.
func buildCode(l lang.Lang, source string) (*built, error) {
	body, lines, err := transpile(source)
	if err != nil {
		// A return beside an await is no module for esbuild; as the body of a
		// function it is fine.
		wrapped, wrappedLines, second := transpile("async () => {" + source + "\n}")
		if second != nil {
			return nil, explainSyntax(l, source, err, second)
		}
		out := &built{source: moduleStart + "globalThis.__gongu_code = " + wrapped, lines: wrappedLines, entry: codeName}
		return out, compiles(l, out)
	}
	out := &built{source: codeHead + withReturn(body) + codeFoot, lines: lines, entry: codeName}
	return out, compiles(l, out)
}

func transpile(source string) (string, *sourceMap, error) {
	result := api.Transform(source, api.TransformOptions{
		Loader: api.LoaderTS, Target: api.ES2022, Charset: api.CharsetUTF8, TsconfigRaw: "{}",
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, Sourcefile: codeName,
		LogLevel: api.LogLevelSilent, LegalComments: api.LegalCommentsNone,
	})
	if len(result.Errors) > 0 {
		first := result.Errors[0]
		out := &codeError{reason: first.Text}
		if first.Location != nil {
			out.line = first.Location.Line
		}
		return "", nil, out
	}
	return string(result.Code), &sourceMap{raw: result.Map}, nil
}

// moduleWord begins a line that only a module may have.
var moduleWord = regexp.MustCompile(`(?m)^(?:\S* = async \(\) => \{)?(?:import|export)\b`)

func explainSyntax(l lang.Lang, source string, first, second error) error {
	if strings.Contains(first.Error(), "Top-level return") {
		first = second // the other reading of the code says what is wrong
	}
	if moduleWord.MatchString(source) {
		if e, ok := errors.AsType[*codeError](second); ok {
			return &codeError{line: e.line, reason: lang.CodeNoImport.In(l)}
		}
	}
	return first
}

// compiles says what the engine makes of the script.
func compiles(l lang.Lang, b *built) error {
	_, err := compileSource(b.source)
	if err == nil {
		return nil
	}
	out := &codeError{reason: err.Error()}
	if t, ok := errors.AsType[*thrown](err); ok {
		out.reason = t.message
		if at, ok := b.lines.find(t.line, t.column); ok {
			out.line = at.Line
		}
	}
	if moduleWord.MatchString(b.source) {
		out.reason = lang.CodeNoImport.In(l)
	}
	return out
}

// statementWord begins a statement that is no expression, or one that says
// what becomes of it.
var statementWord = regexp.MustCompile(`^(?:(?:var|let|const|if|for|while|do|switch|try|throw|return|break|continue|class|function|import|export|debugger|with)\b|async function\b|[{}\])]|[A-Za-z_$][\w$]*\s*:)`)

// withReturn returns the value of the last statement if it is an expression.
// esbuild begins every statement of the top level on a line of its own and
// indents everything else, but for what stands in a template; so the place is
// tried, and only taken when the engine agrees that a statement begins there.
func withReturn(body string) string {
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
	put := func(word string) (string, bool) {
		changed := body[:at] + word + body[at:]
		_, err := compileSource(codeHead + changed + codeFoot)
		return changed, err == nil
	}
	if _, inText := put(")"); inText {
		return body
	}
	if _, begins := put(";"); !begins {
		return body
	}
	if changed, ok := put("return "); ok {
		return changed
	}
	return body
}
