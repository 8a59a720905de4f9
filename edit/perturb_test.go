package edit

import (
	"context"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"

	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// The perturbation test makes its own cases: real files, an edit of a few of
// their lines, and the ways in which a model's memory of them goes wrong.

// sourceFiles are texts to edit: Go, assembly and C of the Go distribution, or
// the files below the folders that GONGU_EDIT_SOURCES lists.
func sourceFiles(t *testing.T, r *rand.Rand, most int) []string {
	t.Helper()
	roots := []string{filepath.Join(build.Default.GOROOT, "src")}
	if list := os.Getenv("GONGU_EDIT_SOURCES"); list != "" {
		roots = filepath.SplitList(list)
	}
	var paths []string
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			switch filepath.Ext(path) {
			case ".go", ".c", ".h", ".s", ".cc", ".cpp", ".hpp", ".py", ".rs", ".js", ".ts", ".java":
				if info, err := d.Info(); err == nil && info.Size() > 600 && info.Size() < 60_000 {
					paths = append(paths, path)
				}
			}
			return nil
		})
	}
	// C is rare beside Go: it comes first.
	slices.Sort(paths)
	r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	slices.SortStableFunc(paths, func(a, b string) int { return rank(a) - rank(b) })
	rare := slices.IndexFunc(paths, func(p string) bool { return rank(p) == 1 })
	if rare > most/2 {
		paths = slices.Concat(paths[:most/2], paths[rare:])
	}
	return paths[:min(len(paths), most)]
}

func rank(path string) int {
	if slices.Contains([]string{".c", ".h", ".s"}, filepath.Ext(path)) {
		return 0
	}
	return 1
}

// sample is one edit of a file, still exact.
type sample struct {
	lines    []string
	from, to int
	// at and until are the lines of old that change, counted from from, and
	// with is what stands in their place.
	at, until int
	with      []string
}

func (s *sample) old() []string { return slices.Clone(s.lines[s.from:s.to]) }
func (s *sample) new() []string {
	old := s.lines[s.from:s.to]
	return slices.Concat(old[:s.at], s.with, old[s.until:])
}
func (s *sample) file() string { return strings.Join(s.lines, "\n") + "\n" }
func (s *sample) after() string {
	return strings.Join(slices.Concat(s.lines[:s.from], s.new(), s.lines[s.to:]), "\n") + "\n"
}

var identifier = regexp.MustCompile(`[A-Za-z_]{4,}`)

// newSample draws an edit with context around it.
func newSample(r *rand.Rand, lines []string) (*sample, bool) {
	n := 1 + r.IntN(3)
	before, after := r.IntN(5), r.IntN(5)
	if len(lines) < n+before+after+12 {
		return nil, false
	}
	start := before + r.IntN(len(lines)-n-before-after)
	s := &sample{lines: lines, from: start - before, to: start + n + after, at: before, until: before + n}
	changed := lines[start : start+n]
	if slices.ContainsFunc(changed, func(l string) bool { return strings.TrimRight(l, " \t") != l || l == "" }) {
		return nil, false // whose blanks are at the end cannot be told
	}
	for _, l := range changed {
		spot := identifier.FindStringIndex(l)
		if spot == nil {
			return nil, false
		}
		s.with = append(s.with, l[:spot[1]]+"Zq"+l[spot[1]:])
	}
	switch r.IntN(4) {
	case 0: // more lines
		s.with = append(s.with, indentText(changed[n-1])+"addedZq(one, two);")
	case 1: // fewer
		if n > 1 {
			s.with = s.with[:n-1]
		}
	case 2: // only more, when there is something around
		if before > 0 && after > 0 {
			s.until = s.at
			s.to = s.from + before + after
			s.with = []string{indentText(lines[s.from+before-1]) + "insertedZq(three)"}
			if strings.TrimSpace(lines[s.from+before-1]) == "" || strings.TrimSpace(lines[s.from+before]) == "" {
				return nil, false
			}
		}
	}
	return s, s.lone(0.8)
}

func indentText(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

func squeeze(line string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, line))
}

// lone reports whether no other place is like old: none shares as many lines.
func (s *sample) lone(share float64) bool {
	old := map[string]int{}
	total := 0
	for _, l := range s.old() {
		if k := squeeze(l); len(k) > 2 {
			old[k] += len(k)
			total += len(k)
		}
	}
	if total < 12 {
		return false
	}
	m := s.to - s.from + 1 // with a line more it would be like it, too
	for at := 0; at+m <= len(s.lines); at++ {
		if at+m > s.from && at < s.to {
			continue
		}
		same := 0
		for _, l := range s.lines[at : at+m] {
			if k := squeeze(l); old[k] > 0 {
				same += len(k)
			}
		}
		if float64(same) >= share*float64(total) {
			return false
		}
	}
	return true
}

// perturbed is what a model sends, and whether it must be refused.
type perturbed struct {
	before, old, new, after string
	refuse                  bool
}

func both(f func(string) string) func(*rand.Rand, *sample) (perturbed, bool) {
	return func(_ *rand.Rand, s *sample) (perturbed, bool) {
		old, new := joinLines(s.old()), joinLines(s.new())
		p := perturbed{before: s.file(), old: f(old), new: f(new), after: s.after()}
		return p, p.old != old
	}
}

func joinLines(lines []string) string { return strings.Join(lines, "\n") }

func eachLine(f func(i int, line string) string) func(string) string {
	return func(text string) string {
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = f(i, lines[i])
		}
		return strings.Join(lines, "\n")
	}
}

// inContext changes one line of the context, in old and new alike, and keeps
// the file's line.
func inContext(change func(r *rand.Rand, line string) (string, bool)) func(*rand.Rand, *sample) (perturbed, bool) {
	return func(r *rand.Rand, s *sample) (perturbed, bool) {
		i, ok := s.contextLine(r)
		if !ok || !s.lone(0.6) {
			return perturbed{}, false
		}
		old, new := s.old(), s.new()
		line, ok := change(r, old[i])
		if !ok {
			return perturbed{}, false
		}
		old[i] = line
		if i >= s.until {
			new[i+len(s.with)-(s.until-s.at)] = line
		} else {
			new[i] = line
		}
		return perturbed{before: s.file(), old: joinLines(old), new: joinLines(new), after: s.after()}, true
	}
}

func (s *sample) contextLine(r *rand.Rand) (int, bool) {
	var lines []int
	for i := range s.to - s.from {
		if (i < s.at || i >= s.until) && strings.TrimSpace(s.lines[s.from+i]) != "" {
			lines = append(lines, i)
		}
	}
	if len(lines) == 0 {
		return 0, false
	}
	return lines[r.IntN(len(lines))], true
}

var longWord = regexp.MustCompile(`[A-Za-z]{6,}`)

// slip makes a mistake of one letter in a long word.
func slip(r *rand.Rand, line, file string) (string, bool) {
	spots := longWord.FindAllStringIndex(line, -1)
	if len(spots) == 0 {
		return "", false
	}
	spot := spots[r.IntN(len(spots))]
	word := []byte(line[spot[0]:spot[1]])
	i := 1 + r.IntN(len(word)-2)
	switch r.IntN(3) {
	case 0:
		word[i], word[i+1] = word[i+1], word[i]
	case 1:
		word = slices.Delete(word, i, i+1)
	default:
		word = slices.Insert(word, i, word[i])
	}
	if string(word) == line[spot[0]:spot[1]] || regexp.MustCompile(`\b`+string(word)+`\b`).MatchString(file) {
		return "", false
	}
	return line[:spot[0]] + string(word) + line[spot[1]:], true
}

// meaning changes a number, an operator or a name of a line.
func meaning(r *rand.Rand, line string) (string, bool) {
	code, _, _ := strings.Cut(line, "//")
	if number := regexp.MustCompile(`\b\d+\b`).FindStringIndex(code); number != nil && r.IntN(2) == 0 {
		n, _ := strconv.Atoi(line[number[0]:number[1]])
		return line[:number[0]] + strconv.Itoa(n+1) + line[number[1]:], true
	}
	for _, change := range [][2]string{{"==", "!="}, {" < ", " > "}, {" + ", " - "}, {"true", "false"}, {"&&", "||"}} {
		if strings.Contains(code, change[0]) {
			return strings.Replace(line, change[0], change[1], 1), true
		}
	}
	spot := identifier.FindStringIndex(code)
	if spot == nil {
		return "", false
	}
	if r.IntN(2) == 0 {
		return line[:spot[1]] + "Ex" + line[spot[1]:], true
	}
	return line[:spot[0]] + "other" + strings.ToUpper(line[spot[0]:spot[0]+1]) + line[spot[0]+1:], true
}

func TestPerturbations(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("GONGU_EDIT_SEED"), 10, 64)
	each := 15
	if n, err := strconv.Atoi(os.Getenv("GONGU_EDIT_CASES")); err == nil {
		each = n
	}
	r := rand.New(rand.NewPCG(seed, 7))
	classes := perturbations()
	table := map[string]*tally{}
	paths := sourceFiles(t, r, 40*each)
	if len(paths) == 0 {
		t.Fatal("no files to edit")
	}
	for round := 0; round < 8 && !complete(table, classes, each); round++ {
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil || !utf8.Valid(raw) || strings.ContainsAny(string(raw), "\r\x00") {
				continue
			}
			lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
			for _, name := range slices.Sorted(maps.Keys(classes)) {
				class := classes[name]
				if count := table[name]; count != nil && count.n >= each {
					continue
				}
				if s, ok := newSample(r, lines); ok {
					if p, ok := class(r, s); ok {
						judge(t, table, name, path, p)
					}
				}
			}
		}
	}
	t.Log(scoreTable(table))
	n, right := 0, 0
	for name, c := range table {
		if c.refuse && c.right < c.n {
			t.Errorf("%s: %d of %d refused", name, c.right, c.n)
		}
		if !c.refuse {
			n, right = n+c.n, right+c.right
		}
	}
	if 100*right < 97*n {
		t.Errorf("%d of %d edits were made", right, n)
	}
}

func complete(table map[string]*tally, classes map[string]func(*rand.Rand, *sample) (perturbed, bool), each int) bool {
	for name := range classes {
		if table[name] == nil || table[name].n < each {
			return false
		}
	}
	return true
}

func judge(t *testing.T, table map[string]*tally, name, path string, p perturbed) {
	t.Helper()
	out := Apply(context.Background(), []byte(p.before), p.old, p.new, nil)
	count := table[name]
	if count == nil {
		count = &tally{refuse: p.refuse}
		table[name] = count
	}
	count.n++
	switch {
	case out.OK && !p.refuse && string(out.Content) == p.after, !out.OK && p.refuse:
		count.right++
	case out.OK:
		count.wrong++
		start, end, stop := differing([]byte(p.after), out.Content)
		t.Errorf("%s: WRONG edit of %s under %s\nold %q\nnew %q\nwant …%q…\ngot  …%q…", name, path, out.Tier, p.old, p.new, clip(p.after, start, end), clip(string(out.Content), start, stop))
	default:
		count.missed++
		if os.Getenv("GONGU_EDIT_SHOW") != "" {
			t.Logf("%s: missed in %s: %s\nold %s\nnew %s", name, path, firstRunes(out.Message("en"), 500), p.old, p.new)
		}
	}
}

func clip(text string, start, end int) string {
	return text[max(0, start-40):min(len(text), end+40)]
}

func perturbations() map[string]func(*rand.Rand, *sample) (perturbed, bool) {
	return map[string]func(*rand.Rand, *sample) (perturbed, bool){
		"exact":       func(_ *rand.Rand, s *sample) (perturbed, bool) { return exactCase(s), true },
		"trailing_ws": both(eachLine(func(_ int, l string) string { return l + "  " })),
		"tabs_spaces": both(eachLine(func(_ int, l string) string {
			in := indentText(l)
			return strings.ReplaceAll(in, "\t", "    ") + l[len(in):]
		})),
		"indent_shift": both(eachLine(func(_ int, l string) string {
			if l == "" {
				return l
			}
			return "\t" + l
		})),
		"blank_lines":   both(func(s string) string { return "\n" + s + "\n\n" }),
		"collapsed_ws":  collapsedBlanks,
		"fenced":        both(func(s string) string { return "```\n" + s + "\n```" }),
		"html_entities": both(func(s string) string { return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s) }),
		"escaped":       both(func(s string) string { q := strconv.Quote(s); return q[1 : len(q)-1] }),
		"line_numbers":  both(eachLine(func(i int, l string) string { return fmt.Sprintf("%6d\t%s", i+1, l) })),
		"crlf": func(_ *rand.Rand, s *sample) (perturbed, bool) {
			p := exactCase(s)
			p.before, p.after = strings.ReplaceAll(p.before, "\n", "\r\n"), strings.ReplaceAll(p.after, "\n", "\r\n")
			return p, strings.Contains(p.old, "\n")
		},
		"typo_1":          inContextTypo(1),
		"typo_n":          inContextTypo(2),
		"comment_drift":   inContext(rewordComment),
		"comment_dropped": inContext(dropComment),
		"missing_line":    missingLine,
		"elided":          elidedLines,
		"decoy_absent":    decoyAbsent,
		"decoy_present":   decoyPresent,
		"already_applied": func(_ *rand.Rand, s *sample) (perturbed, bool) {
			p := exactCase(s)
			p.before, p.refuse = p.after, true
			return p, s.until > s.at || len(s.with) > 0
		},
		"deleted": func(_ *rand.Rand, s *sample) (perturbed, bool) {
			p := exactCase(s)
			p.before = joinLines(slices.Concat(s.lines[:s.from], s.lines[s.to:])) + "\n"
			p.refuse = true
			return p, true
		},
		"ambiguous": func(r *rand.Rand, s *sample) (perturbed, bool) {
			p := exactCase(s)
			at := r.IntN(s.from + 1)
			p.before = joinLines(slices.Concat(s.lines[:at], s.old(), []string{"between(the, two)"}, s.lines[at:])) + "\n"
			p.refuse = true
			switch r.IntN(3) {
			case 0:
				p.old, p.new = p.old+"  ", p.new+"  "
			case 1:
				p.old, p.new = "\t"+strings.ReplaceAll(p.old, "\n", "\n\t"), "\t"+strings.ReplaceAll(p.new, "\n", "\n\t")
			}
			return p, true
		},
	}
}
