package edit

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// FilePatch is what a patch does to one file.
type FilePatch struct {
	// Path is the file before, empty for a new one; To is the file after, empty
	// for one that is deleted. They differ for a file that is renamed.
	Path, To string
	// Hunks are the changes of its text. One that is deleted may have none.
	Hunks []Hunk
	// Content is that of a new file.
	Content string
	// Executable is true when git says that a new file is.
	Executable bool
}

// Hunk is one change: lines of the file and the lines in their place.
type Hunk struct {
	// Old and New are whole lines, each with its line end.
	Old, New string
	// OldOpen and NewOpen mean that the last line has no line end, and
	// therefore is the last of the file.
	OldOpen, NewOpen bool
	// Line is the 1-based line of the file at which the hunk says that it is,
	// or 0. It only decides between equal places.
	Line int
	// Within are lines before the hunk that say what it is part of,
	// the outermost first.
	Within []string
	// AtEnd means that the hunk says it is at the end of the file.
	AtEnd bool
	// appends means that a hunk without lines of the file belongs to its end.
	appends bool
}

// PatchError says where the text of a patch is not one.
type PatchError struct {
	// Line is the 1-based line of the patch.
	Line   int
	reason lang.Message
}

// Error returns the message in English.
func (e *PatchError) Error() string { return e.In(lang.English) }

// In returns the message in a language.
func (e *PatchError) In(l lang.Lang) string { return lang.PatchMisread.In(l, e.Line, e.reason.In(l)) }

// ParsePatch reads a patch: a unified diff as diff -u and git write it, or the
// form between "*** Begin Patch" and "*** End Patch". The error is a
// [*PatchError].
func ParsePatch(text string) ([]FilePatch, error) {
	p := &patchReader{lines: strings.Split(strings.TrimPrefix(text, string(bom)), "\n")}
	if n := len(p.lines); p.lines[n-1] == "" {
		p.lines = p.lines[:n-1]
	}
	for i := range p.lines {
		if p.header(i) == "*** Begin Patch" {
			p.at = i + 1
			return p.envelope()
		}
	}
	return p.unified()
}

// patchReader goes through the lines of a patch.
type patchReader struct {
	lines []string
	at    int
	files []FilePatch
	// git is what the lines before --- say about the file.
	git *FilePatch
}

func (p *patchReader) fail(at int, text lang.Text, args ...any) error {
	return &PatchError{Line: at + 1, reason: text.With(args...)}
}

// header returns a line without the blanks at its end, or nothing behind the last.
func (p *patchReader) header(i int) string {
	if i >= len(p.lines) {
		return ""
	}
	return strings.TrimRight(p.lines[i], " \t\r")
}

// unified reads a diff. What is before the first file, and between files, is
// words for people, except what git writes there.
func (p *patchReader) unified() ([]FilePatch, error) {
	for p.at < len(p.lines) {
		line := p.header(p.at)
		var err error
		switch {
		case strings.HasPrefix(line, "diff --git "):
			p.closeGit()
			p.git = gitPaths(line)
			p.at++
		case p.startsFile(p.at):
			err = p.unifiedFile()
		case strings.HasPrefix(line, "--- ") && p.git != nil:
			err = p.fail(p.at, lang.PatchNoPlus)
		case hunkHeader.MatchString(line):
			err = p.fail(p.at, lang.PatchNoFile)
		case p.git != nil:
			err = p.gitLine(line)
			p.at++
		default:
			p.at++
		}
		if err != nil {
			return nil, err
		}
	}
	p.closeGit()
	if len(p.files) == 0 {
		return nil, p.fail(max(0, len(p.lines)-1), lang.PatchEmpty)
	}
	return p.files, nil
}

// closeGit keeps a file that has no hunks: one that is renamed, empty and new,
// or empty and deleted.
func (p *patchReader) closeGit() {
	if g := p.git; g != nil && (g.Path == "" || g.To == "" || g.Path != g.To) {
		p.files = append(p.files, *g)
	}
	p.git = nil
}

// gitLine reads a line between "diff --git" and "---".
func (p *patchReader) gitLine(line string) error {
	for prefix, set := range map[string]func(rest string){
		"rename from ":       func(rest string) { p.git.Path = unquotePath(rest) },
		"rename to ":         func(rest string) { p.git.To = unquotePath(rest) },
		"new file mode ":     func(rest string) { p.git.Path, p.git.Executable = "", strings.HasSuffix(rest, "755") },
		"deleted file mode ": func(string) { p.git.To = "" },
	} {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			set(rest)
			return nil
		}
	}
	switch {
	case strings.HasPrefix(line, "Binary files "), line == "GIT binary patch":
		return p.fail(p.at, lang.PatchBinary)
	case strings.HasPrefix(line, "copy from "), strings.HasPrefix(line, "copy to "):
		return p.fail(p.at, lang.PatchCopy)
	}
	return nil
}

// gitPaths reads "diff --git a/x b/x". Only a name that is the same on both
// sides can be told from it when there are blanks; others follow.
func gitPaths(line string) *FilePatch {
	rest := strings.TrimPrefix(line, "diff --git ")
	if half := len(rest) / 2; len(rest)%2 == 1 && rest[half] == ' ' {
		a, b := unquotePath(rest[:half]), unquotePath(rest[half+1:])
		if from, ok := strings.CutPrefix(a, "a/"); ok && "b/"+from == b {
			return &FilePatch{Path: from, To: from}
		}
		if a == b {
			return &FilePatch{Path: a, To: b}
		}
	}
	return &FilePatch{}
}

// startsFile reports whether the lines --- and +++ begin here.
func (p *patchReader) startsFile(i int) bool {
	return strings.HasPrefix(p.header(i), "--- ") && strings.HasPrefix(p.header(i+1), "+++ ")
}

func (p *patchReader) unifiedFile() error {
	f := FilePatch{}
	if p.git != nil {
		f = *p.git
	}
	from, to := headerPath(p.lines[p.at]), headerPath(p.lines[p.at+1])
	if from == "" || to == "" {
		return p.fail(p.at, lang.PatchNoPath)
	}
	// The prefixes of git are on both sides, or on the one that is a file.
	if (from == devNull || strings.HasPrefix(from, "a/")) && (to == devNull || strings.HasPrefix(to, "b/")) {
		from, to = strings.TrimPrefix(from, "a/"), strings.TrimPrefix(to, "b/")
	}
	if f.Path == "" && f.To == "" || f.Path == f.To {
		f.Path, f.To = from, to
	}
	if from == devNull {
		f.Path = ""
	}
	if to == devNull {
		f.To = ""
	}
	if f.Path == "" && f.To == "" {
		return p.fail(p.at, lang.PatchNoPath)
	}
	p.git = nil
	p.at += 2
	for p.at < len(p.lines) {
		line := p.header(p.at)
		if line == "" && !p.moreHunks() {
			break
		}
		if !strings.HasPrefix(line, "@@") {
			if line == "" {
				p.at++
				continue
			}
			break
		}
		h, err := p.unifiedHunk()
		if err != nil {
			return err
		}
		f.Hunks = append(f.Hunks, h)
	}
	return p.finish(f)
}

// moreHunks reports whether only blank lines are before the next hunk.
func (p *patchReader) moreHunks() bool {
	for i := p.at; i < len(p.lines); i++ {
		if line := p.header(i); line != "" {
			return strings.HasPrefix(line, "@@")
		}
	}
	return false
}

// finish checks a file and keeps it.
func (p *patchReader) finish(f FilePatch) error {
	if f.Path == "" {
		var content strings.Builder
		for _, h := range f.Hunks {
			if h.Old != "" {
				return p.fail(p.at-1, lang.PatchAdded)
			}
			content.WriteString(h.New)
			if h.NewOpen {
				break
			}
		}
		f.Content, f.Hunks = content.String(), nil
	}
	p.files = append(p.files, f)
	return nil
}

const devNull = "/dev/null"

// headerPath returns the path of a --- or +++ line, without the time behind it.
func headerPath(line string) string {
	path := strings.TrimRight(line[len("--- "):], "\r")
	if strings.HasPrefix(path, `"`) {
		return unquotePath(strings.TrimRight(path, " \t"))
	}
	path, _, _ = strings.Cut(path, "\t")
	return strings.TrimRight(path, " ")
}

// unquotePath reads a path that git wrote with escapes.
func unquotePath(path string) string {
	if strings.HasPrefix(path, `"`) {
		if plain, err := strconv.Unquote(path); err == nil {
			return plain
		}
	}
	return path
}

// hunkHeader is what a hunk begins with; many models leave out the numbers.
var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// unifiedHunk reads a hunk. Its numbers are not trusted: models count badly.
// They only tell a removed line "-- x" from the beginning of the next file.
func (p *patchReader) unifiedHunk() (Hunk, error) {
	var h Hunk
	olds, news, counted := 0, 0, false
	if m := hunkHeader.FindStringSubmatch(p.lines[p.at]); m != nil {
		h.Line, olds, news, counted = atoi(m[1], 0), atoi(m[2], 1), atoi(m[4], 1), true
		if olds == 0 {
			h.Line = 0
		}
	}
	p.at++
	var text hunkText
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		counting := olds > 0 || news > 0
		if p.ends(counting) || counted && !counting && p.header(p.at) == "--" {
			break // two dashes are the signature of git
		}
		if isEmpty(line) {
			line = " " + line // blanks at the end of a line get lost
		}
		switch line[0] {
		case ' ':
			olds, news = olds-1, news-1
		case '-':
			olds--
		case '+':
			news--
		}
		if err := text.add(p, line, &h); err != nil {
			return h, err
		}
	}
	text.finish(&h)
	return h, nil
}

// hunkText collects the lines of a hunk.
type hunkText struct {
	old, new strings.Builder
}

// add takes one line, which is not empty.
func (t *hunkText) add(p *patchReader, line string, h *Hunk) error {
	text := line[1:] + "\n"
	switch line[0] {
	case ' ':
		t.old.WriteString(text)
		t.new.WriteString(text)
	case '-':
		t.old.WriteString(text)
	case '+':
		t.new.WriteString(text)
	case '\\':
		p.open(h)
	default:
		return p.fail(p.at, lang.PatchBadLine, firstRunes(line, 60))
	}
	return nil
}

// finish sets the texts of the hunk.
func (t *hunkText) finish(h *Hunk) {
	h.Old, h.New = t.old.String(), t.new.String()
	if h.OldOpen {
		h.Old = strings.TrimSuffix(h.Old, "\n")
	}
	if h.NewOpen {
		h.New = strings.TrimSuffix(h.New, "\n")
	}
}

// open reads the mark that the line before has no line end.
func (p *patchReader) open(h *Hunk) {
	before := p.lines[p.at-1]
	if before == "" {
		return
	}
	h.OldOpen = h.OldOpen || before[0] != '+'
	h.NewOpen = h.NewOpen || before[0] != '-'
}

// ends reports whether the hunk is over. While lines are still expected, only
// what cannot be one of them ends it.
func (p *patchReader) ends(counting bool) bool {
	line := p.header(p.at)
	switch {
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff --git "):
		return true
	case p.startsFile(p.at):
		return !counting || strings.HasPrefix(p.header(p.at+2), "@@ -")
	case isEmpty(p.lines[p.at]):
		return !counting && p.onlyBlanks()
	}
	return strings.HasPrefix(line, "```")
}

// isEmpty is a line without even the blank of a line that stays.
func isEmpty(line string) bool { return line == "" || line == "\r" }

// onlyBlanks reports whether nothing of this hunk follows: the blank lines here
// are between hunks or files, or at the end.
func (p *patchReader) onlyBlanks() bool {
	for i := p.at; i < len(p.lines); i++ {
		line := p.header(i)
		if isEmpty(p.lines[i]) {
			continue
		}
		return strings.HasPrefix(line, "@@") || strings.HasPrefix(line, "diff --git ") || p.startsFile(i) || line == "--" || strings.HasPrefix(line, "```")
	}
	return true
}

func atoi(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return otherwise
	}
	return n
}
