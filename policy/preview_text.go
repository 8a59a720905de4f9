package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/shellword"
	"github.com/gongu-ai/gongu/internal/terminal"
)

const (
	// foldedArgs is the size of the longest arguments that are shown whole;
	// of longer ones foldedKeys members are shown, each cut to foldedValue
	// characters.
	foldedArgs  = 500
	foldedKeys  = 5
	foldedValue = 80
	// foldedLines is how many lines of a command and of a diff are shown.
	foldedLines = 40
)

// TextOptions says how [Preview.Text] renders. The zero value is English, folded
// and without colours.
type TextOptions struct {
	Lang string
	// Args are the arguments of the call.
	Args json.RawMessage
	// Whole shows everything, however long.
	Whole bool
	// All is where a person can see everything, such as a command or an
	// address. It is named if something was left out.
	All string
	// Paint colours a text; see terminal.Writer.Painter. Nil leaves it plain.
	Paint func(colour, text string) string
}

// Text returns the preview as lines of text for a person. Text from elsewhere is
// escaped: no character in it can control a terminal, change the order of others
// or begin a line.
func (p *Preview) Text(o TextOptions) string {
	w := &previewWriter{TextOptions: o, lang: lang.Of(o.Lang)}
	if w.Paint == nil {
		w.Paint = func(_, text string) string { return text }
	}
	switch p.Kind {
	case KindCommand:
		w.command(p)
	case KindEdit:
		w.files(p.Files)
	case KindRequest:
		w.line("", "", w.say(lang.PreviewRequest, terminal.Visible(p.Host)))
		w.line("  ", terminal.Bold, terminal.Visible(p.Method+" "+p.URL))
		w.args()
	default:
		w.args()
	}
	if p.Problem != "" {
		w.line("", terminal.Yellow, w.say(lang.PreviewProblem, terminal.Visible(p.Problem)))
	}
	if w.cut && o.All != "" {
		w.line("", "", w.say(lang.PreviewAll, terminal.Visible(o.All)))
	}
	return w.b.String()
}

// previewWriter collects the lines of one preview.
type previewWriter struct {
	TextOptions
	lang lang.Lang
	b    strings.Builder
	// cut is true if something was left out.
	cut bool
}

func (w *previewWriter) say(text lang.Text, args ...any) string { return text.In(w.lang, args...) }

func (w *previewWriter) line(indent, colour, text string) {
	if colour != "" {
		text = w.Paint(colour, text)
	}
	w.b.WriteString(indent + text + "\n")
}

// lines returns the lines of a text, the first ones if there are too many.
func (w *previewWriter) lines(text string) (list []string, more int) {
	list = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if !w.Whole && len(list) > foldedLines {
		w.cut = true
		return list[:foldedLines], len(list) - foldedLines
	}
	return list, 0
}

func (w *previewWriter) more(indent string, lines int) {
	if lines > 0 {
		w.line(indent, "", w.say(lang.PreviewMoreLines, lines))
	}
}

func (w *previewWriter) command(p *Preview) {
	w.line("", "", w.say(lang.PreviewCommand))
	list, more := w.lines(p.Command)
	for _, line := range list {
		w.line("  ", terminal.Bold, terminal.VisibleTabs(line))
	}
	w.more("  ", more)
	for _, f := range p.Files {
		w.line("", "", w.say(lang.PreviewScript, terminal.Visible(f.Path)))
	}
	if len(p.Commands) > 1 || len(p.Undecided) > 0 {
		w.line("", "", w.say(lang.PreviewParts))
		for i, words := range p.Commands {
			if !w.Whole && i == foldedLines {
				w.cut = true
				w.more("  ", len(p.Commands)-i)
				break
			}
			undecided := slices.Contains(p.Undecided, i)
			text := terminal.Visible(commandLine(words, undecided))
			if undecided {
				text += "   ← " + w.say(lang.PreviewUndecided)
			}
			w.line("  ", "", text)
		}
	}
	w.besides(p.Command)
	if p.Dynamic {
		w.line("", terminal.Yellow, w.say(lang.PreviewDynamic))
	}
}

// commandLine returns the words of a command as a person would write them. Words
// that the text does not decide are source already, so nothing is quoted there.
func commandLine(words []string, undecided bool) string {
	switch {
	case undecided:
		return strings.Join(words, " ")
	case words[0] == ">":
		return "> " + shellword.Join(words[1:]...)
	}
	return shellword.Join(words...)
}

func (w *previewWriter) files(files []gongu.FileChange) {
	if len(files) == 1 {
		w.line("", "", w.say(lang.PreviewOneFile))
	} else {
		w.line("", "", w.say(lang.PreviewFiles, len(files)))
	}
	for i := range files {
		w.file(&files[i])
	}
}

func (w *previewWriter) file(f *gongu.FileChange) {
	title := w.Paint(terminal.Bold, terminal.Visible(f.Path))
	var about []string
	switch f.Action {
	case "create":
		about = append(about, w.say(lang.PreviewCreate))
	case "mkdir":
		about = append(about, w.say(lang.PreviewMkdir))
	case "delete":
		about = append(about, w.Paint(terminal.Red, w.say(lang.PreviewDelete)))
	}
	if f.From != "" {
		about = append(about, w.say(lang.PreviewFrom, terminal.Visible(f.From)))
	}
	if f.Note != "" {
		about = append(about, terminal.Visible(f.Note))
	}
	if len(about) > 0 {
		title += " (" + strings.Join(about, "; ") + ")"
	}
	w.line("  ", "", title)
	if f.Diff == "" {
		return
	}
	list, more := w.lines(f.Diff)
	if !slices.ContainsFunc(list, func(line string) bool { return !strings.HasPrefix(line, "@@") && !strings.HasSuffix(line, "\r") }) {
		for i := range list { // the line ends of Windows, which do not change
			list[i] = strings.TrimSuffix(list[i], "\r")
		}
	}
	for _, line := range list {
		colour := ""
		switch {
		case strings.HasPrefix(line, "+"):
			colour = terminal.Green
		case strings.HasPrefix(line, "-"):
			colour = terminal.Red
		case strings.HasPrefix(line, "@@"):
			colour = terminal.Cyan
		}
		w.line("    ", colour, terminal.VisibleTabs(line))
	}
	w.more("    ", more)
}

// besides writes the arguments other than the text of a command: its folder and
// its variables decide what it does as well.
func (w *previewWriter) besides(command string) {
	members, err := membersOf(w.Args)
	if err != nil {
		return
	}
	members = slices.DeleteFunc(members, func(m member) bool {
		var text string
		return json.Unmarshal(m.value, &text) == nil && text == command
	})
	if len(members) > 0 {
		w.members(members)
	}
}

// args writes the arguments: whole if they are short, otherwise the first few
// members, each cut.
func (w *previewWriter) args() {
	if len(w.Args) == 0 {
		return
	}
	members, err := membersOf(w.Args)
	if err != nil {
		members = []member{{"", w.Args}} // not an object: the call will be refused
	}
	if len(members) == 0 {
		w.line("", "", w.say(lang.PreviewNoArgs))
		return
	}
	w.members(members)
}

func (w *previewWriter) members(members []member) {
	w.line("", "", w.say(lang.PreviewArgs))
	fold := !w.Whole && utf8.RuneCount(w.Args) > foldedArgs
	for i, m := range members {
		if fold && i == foldedKeys {
			w.cut = true
			w.line("  ", "", w.say(lang.PreviewMoreArgs, len(members)-i))
			return
		}
		w.member(m, fold)
	}
}

// member writes one argument. A text of several lines is written below its name.
func (w *previewWriter) member(m member, fold bool) {
	text, isText := string(m.value), false
	var plain string
	if isText = json.Unmarshal(m.value, &plain) == nil && string(m.value) != "null"; isText {
		text = plain
	}
	key := terminal.Visible(m.key) + ": "
	if fold {
		key = terminal.Visible(lang.Clip(m.key, foldedValue)) + ": "
		if n := utf8.RuneCountInString(text); n > foldedValue {
			w.cut = true
			w.line("  ", "", key+terminal.Visible(strings.TrimSuffix(lang.Clip(text, foldedValue), "…"))+w.say(lang.PreviewMoreChars, n))
			return
		}
	}
	if isText && !fold && strings.Contains(text, "\n") {
		w.line("  ", "", strings.TrimSpace(key))
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			w.line("    ", "", terminal.VisibleTabs(line))
		}
		return
	}
	w.line("  ", "", key+terminal.Visible(text))
}

type member struct {
	key   string
	value json.RawMessage
}

// membersOf returns the members of an object in their order.
func membersOf(raw json.RawMessage) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, strconv.ErrSyntax
	}
	var members []member
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, isText := token.(string)
		if !isText {
			return nil, strconv.ErrSyntax
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, member{key, value})
	}
	return members, nil
}
