package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/doctor"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// Doctor lists what was checked.
func (x *Texts) Doctor(report *doctor.Report, paint func(colour, text string) string) string {
	var rows [][]string
	for _, c := range report.Checks {
		rows = append(rows, []string{x.statusWord(c.Status), c.Name, terminal.Visible(c.Detail)})
	}
	colours := map[string]string{doctor.OK: terminal.Green, doctor.Missing: terminal.Yellow, doctor.Problem: terminal.Red, doctor.Note: terminal.Yellow}
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(terminal.Table(rows), "\n"), "\n") {
		c := report.Checks[i]
		word := x.statusWord(c.Status)
		fmt.Fprintln(&b, paint(colours[c.Status], word)+strings.TrimPrefix(line, word))
		if c.Next != "" {
			fmt.Fprintln(&b, "    "+terminal.Visible(c.Next))
		}
	}
	summary := lang.CLIDoctorAllGood.In(x.Lang)
	if problems := report.Problems(); problems > 0 {
		summary = lang.Count(x.Lang, problems, lang.CLIDoctorOne, lang.CLIDoctorMany)
	}
	return b.String() + "\n" + summary + "\n"
}

func (x *Texts) statusWord(status string) string {
	switch status {
	case doctor.Problem:
		return lang.CLIDoctorProblem.In(x.Lang)
	case doctor.Missing:
		return lang.CLIDoctorMissing.In(x.Lang)
	case doctor.Note:
		return lang.CLIDoctorNote.In(x.Lang)
	}
	return lang.CLIDoctorOK.In(x.Lang)
}

// WriteDiagnostics writes diagnostics in the form of a compiler: the place, which
// editors can open, the line of the file, and a suggestion.
func (x *Texts) WriteDiagnostics(w io.Writer, path string, list bundle.Diagnostics, paint func(colour, text string) string) {
	files := OpenFiles(path)
	defer files.Close()
	for i, d := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		colour, severity := terminal.Red, lang.CLISeverityError
		switch d.Severity {
		case bundle.SeverityWarning:
			colour, severity = terminal.Yellow, lang.CLISeverityWarning
		case bundle.SeverityInfo:
			colour, severity = terminal.Cyan, lang.CLISeverityNote
		}
		place := fmt.Sprintf("%s:%d:%d:", terminal.Visible(files.Path(d.File)), d.Line, d.Column)
		fmt.Fprintf(w, "%s %s %s [%s]\n", paint(terminal.Bold, place), paint(colour, severity.In(x.Lang)+":"), terminal.Visible(d.Message), d.Code)
		if line, ok := files.Line(d.File, d.Line); ok {
			number := strconv.Itoa(d.Line)
			text, caret := terminal.Excerpt(line, d.Column)
			fmt.Fprintf(w, "  %s | %s\n", number, text)
			fmt.Fprintf(w, "  %s | %s\n", strings.Repeat(" ", len(number)), caret+paint(colour, "^"))
		}
		if d.Path != d.File {
			fmt.Fprintf(w, "  %s\n", lang.CLIDiagnosticAt.In(x.Lang, terminal.Visible(d.Path)))
		}
		if d.Suggestion != "" {
			fmt.Fprintf(w, "  %s\n", lang.CLIDiagnosticFix.In(x.Lang, terminal.Visible(d.Suggestion)))
		}
	}
}

// OpenFiles opens the folder of a bundle, to show lines of its files.
func OpenFiles(path string) *terminal.Files {
	if !fsx.IsDir(path) {
		path = filepath.Dir(path)
	}
	return terminal.OpenFiles(path)
}
