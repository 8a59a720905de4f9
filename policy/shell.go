package policy

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxShellText and maxShellCommands bound the work for one command text;
	// what exceeds them is dynamic.
	maxShellText     = 64 << 10
	maxShellCommands = 256
	// maxShellDepth bounds texts inside texts, such as sh -c "sh -c …".
	maxShellDepth = 8
	// maxBraces is the length of the longest word whose braces are expanded.
	maxBraces = 64
)

// Shell is what a shell command text runs, as far as the text decides it.
type Shell struct {
	// Commands has each simple command as its list of words. A word that the
	// text does not decide is kept as it is written ("$x"). A wrapper such as
	// sudo or env is an entry and the command it runs is another one; so is an
	// assignment before a command (["env", "A=1", …]). A redirection that writes
	// to a file is the entry [">", path], one that connects ["<", path]. It is never empty: a text that cannot
	// be parsed is one entry with the whole text, so that a rule over all
	// commands cannot hold by accident.
	Commands [][]string
	// Undecided are the indexes of the commands with a word that the text does
	// not decide.
	Undecided []int
	// Dynamic is true if the text does not decide everything that runs:
	// substitutions, eval of a variable, input piped into a shell, xargs.
	Dynamic bool
}

// ParseShell reads the text of a command for bash.
func ParseShell(text string) Shell {
	a := &shellAnalysis{}
	a.text(text, 0)
	if len(a.Commands) == 0 {
		a.Commands = [][]string{{text}}
	}
	return a.Shell
}

// shellAnalysis collects the commands of one text and of the texts inside it.
type shellAnalysis struct {
	Shell
}

// text parses a text and adds its commands. A text that cannot be read is
// dynamic, and one entry.
func (a *shellAnalysis) text(text string, depth int) {
	if len(text) > maxShellText || depth > maxShellDepth {
		a.unread(text)
		return
	}
	if strings.ContainsRune(text, '\r') {
		a.Dynamic = true // a blank for the parser, a part of the word for a shell
	}
	file, err := parseText(&bashParsers, syntax.LangBash, text)
	if err != nil || strings.ContainsRune(text, 0) {
		a.unread(text)
		a.posix(text, depth)
		return
	}
	differs := false
	a.walk(file, depth, &differs)
	if differs {
		a.posix(text, depth)
	}
}

// walk adds the commands of a tree. It sets differs for what a shell without the
// extensions of bash reads as something else.
func (a *shellAnalysis) walk(file *syntax.File, depth int, differs *bool) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.TestClause, *syntax.ArithmCmd:
			// [[ a || b ]] runs b in dash, and [[ 'a[$(b)]' -eq 0 ]] in bash.
			a.Dynamic, *differs = true, true
		}
		a.node(n, depth)
		return true
	})
}

// posix adds what a shell without the extensions of bash runs: /bin/sh is often
// one.
func (a *shellAnalysis) posix(text string, depth int) {
	a.Dynamic = true
	if file, err := parseText(&posixParsers, syntax.LangPOSIX, text); err == nil {
		a.walk(file, depth, new(bool))
	}
}

// Parsers are used again: a parser has a buffer, keeps state and is not safe for
// concurrent use.
var bashParsers, posixParsers sync.Pool

func parseText(pool *sync.Pool, variant syntax.LangVariant, text string) (*syntax.File, error) {
	parser, ok := pool.Get().(*syntax.Parser)
	if !ok {
		parser = syntax.NewParser(syntax.Variant(variant))
	}
	file, err := parser.Parse(strings.NewReader(text), "")
	pool.Put(parser) // not after a panic, whose state is unknown
	return file, err
}

func (a *shellAnalysis) unread(text string) {
	a.Dynamic = true
	a.add([]string{text})
}

func (a *shellAnalysis) add(words []string) bool {
	if len(a.Commands) >= maxShellCommands {
		a.Dynamic = true
		return false
	}
	a.Commands = append(a.Commands, words)
	return true
}

// node looks at one node of the tree. syntax.Walk visits the commands inside
// substitutions, functions and compound commands by itself.
func (a *shellAnalysis) node(n syntax.Node, depth int) {
	switch n := n.(type) {
	case *syntax.Stmt:
		a.statement(n, depth)
	case *syntax.FuncDecl:
		// A function can take the name of a program; rules that read names
		// cannot decide any more.
		a.Dynamic = true
	case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CoprocClause:
		a.Dynamic = true
	case *syntax.ParamExp:
		a.Dynamic = true
	}
}

// statement adds the command of a statement, its redirections included.
func (a *shellAnalysis) statement(s *syntax.Stmt, depth int) {
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		a.call(cmd, s.Redirs, depth)
	case *syntax.DeclClause:
		words := []string{cmd.Variant.Value}
		for _, assign := range cmd.Args {
			words = append(words, source(assign))
		}
		a.add(words)
	case *syntax.TestClause:
		a.add([]string{"[[", source(cmd)})
	}
	for _, r := range s.Redirs {
		a.redirect(r)
	}
}

// call adds a simple command and what it runs.
func (a *shellAnalysis) call(call *syntax.CallExpr, redirs []*syntax.Redirect, depth int) {
	var assigned []string
	for _, assign := range call.Assigns {
		assigned = append(assigned, assignment(assign))
	}
	words, known := a.words(call.Args)
	if len(assigned) > 0 {
		// PATH=…, LD_PRELOAD=… and GIT_PAGER=… decide what a program does.
		a.add(append(append([]string{"env"}, assigned...), words...))
	}
	if len(words) == 0 {
		return
	}
	a.command(words, known, redirs, depth)
}

// redirect adds a redirection that writes to a file or connects. Those that read,
// only join descriptors or discard output change nothing.
func (a *shellAnalysis) redirect(r *syntax.Redirect) {
	switch r.Op {
	case syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	}
	path, known := a.word(r.Word)
	if r.Op == syntax.RdrIn {
		if strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/") {
			a.add([]string{"<", path}) // bash connects
		}
		return
	}
	if r.Op == syntax.DplOut && known && (path == "-" || strings.Trim(path, "0123456789") == "") {
		return
	}
	if known && path == "/dev/null" {
		return
	}
	a.add([]string{">", path})
}

// words returns the values of words and which of them the text decides.
func (a *shellAnalysis) words(list []*syntax.Word) (values []string, known []bool) {
	for i, word := range list {
		if expanded := braces(word); expanded != nil {
			// Other shells than bash do not expand braces.
			a.Dynamic = true
			for _, w := range expanded {
				value, _ := a.word(w)
				values, known = append(values, value), append(known, true)
			}
			continue
		}
		value, ok := a.word(word)
		if pattern, leading := globbing(word); pattern && (i == 0 || leading) {
			// A file's name decides the command, or can become an option.
			a.Dynamic, ok = true, false
		}
		values, known = append(values, value), append(known, ok)
	}
	return values, known
}

// word returns the value of a word, or its source when the text does not decide
// it.
func (a *shellAnalysis) word(word *syntax.Word) (value string, known bool) {
	var b strings.Builder
	if !a.parts(&b, word.Parts, false) {
		a.Dynamic = true
		return source(word), false
	}
	return b.String(), true
}

func (a *shellAnalysis) parts(b *strings.Builder, parts []syntax.WordPart, quoted bool) bool {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			unescape(b, part.Value, quoted)
		case *syntax.SglQuoted:
			if part.Dollar && strings.Contains(part.Value, `\`) {
				// The rare escapes differ between shells.
				a.Dynamic = true
				value, _, err := expand.Format(nil, strings.ReplaceAll(part.Value, "%", "%%"), nil)
				if err != nil {
					return false
				}
				b.WriteString(value)
				continue
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			if part.Dollar || !a.parts(b, part.Parts, true) { // $"…" is translated
				return false
			}
		default:
			return false
		}
	}
	return true
}

// unescape writes a literal without the backslashes that quote a character.
func unescape(b *strings.Builder, literal string, quoted bool) {
	for i := 0; i < len(literal); i++ {
		if literal[i] == '\\' && i+1 < len(literal) && (!quoted || strings.IndexByte("\"\\$`", literal[i+1]) >= 0) {
			i++
		}
		b.WriteByte(literal[i])
	}
}

// braces expands {a,b} as bash does, or returns nil. Long words and ranges stay
// as they are: they could become millions of words.
func braces(word *syntax.Word) []*syntax.Word {
	if !slices.ContainsFunc(word.Parts, hasBrace) {
		return nil
	}
	split := &syntax.Word{Parts: slices.Clone(word.Parts)} // Walk does not know the split form
	if !syntax.SplitBraces(split) {
		return nil
	}
	text := source(word)
	if len(text) > maxBraces || strings.Contains(text, "..") {
		return []*syntax.Word{word}
	}
	var words []*syntax.Word
	for expanded, err := range expand.BracesSeq(nil, split) {
		if err != nil {
			return []*syntax.Word{word}
		}
		words = append(words, expanded)
	}
	return words
}

// hasBrace reports whether a part can begin braces that are expanded.
func hasBrace(part syntax.WordPart) bool {
	literal, ok := part.(*syntax.Lit)
	return ok && strings.Contains(literal.Value, "{")
}

// globbing reports whether a word is a pattern for file names, and whether it
// begins with one.
func globbing(word *syntax.Word) (pattern, leading bool) {
	for i, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.ExtGlob:
			return true, i == 0
		case *syntax.Lit:
			for j := 0; j < len(part.Value); j++ {
				switch part.Value[j] {
				case '\\':
					j++
				case '*', '?', '[':
					return true, i == 0 && j == 0
				}
			}
		}
	}
	return false, false
}

func assignment(assign *syntax.Assign) string {
	if assign.Name == nil || assign.Value == nil || assign.Index != nil || assign.Append {
		return source(assign)
	}
	var b strings.Builder
	if !(&shellAnalysis{}).parts(&b, assign.Value.Parts, false) {
		return source(assign)
	}
	return assign.Name.Value + "=" + b.String()
}

// source returns a node as shell text.
func source(n syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, n); err != nil {
		return ""
	}
	return b.String()
}
