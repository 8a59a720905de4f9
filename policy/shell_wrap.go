package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command adds a command and, if it runs another one, that one too. Options that
// the tables below do not know make it dynamic, never silently something else.
func (a *shellAnalysis) command(words []string, known []bool, redirs []*syntax.Redirect, depth int) {
	if depth > maxShellDepth || !a.add(words) {
		a.Dynamic = true
		return
	}
	if slices.Contains(known, false) {
		a.Undecided = append(a.Undecided, len(a.Commands)-1)
	}
	if !known[0] {
		return
	}
	name := path.Base(words[0])
	switch {
	case name == "--" && len(words) > 1: // after time
		a.command(words[1:], known[1:], redirs, depth+1)
	case subscripts[name] && slices.ContainsFunc(words, evaluated):
		a.Dynamic = true
	case shells[name]:
		a.shell(words, known, redirs, depth)
	case name == "eval":
		a.inner(strings.Join(words[1:], " "), known[1:], depth)
	case slices.Contains([]string{"source", ".", "trap", "alias", "enable", "complete", "hash", "coproc"}, name):
		// They change what later words mean.
		a.Dynamic = true
	case name == "find" || name == "fd" || name == "fdfind":
		a.find(words, known, depth)
	case interpreters[name] && len(words) == 1, interpreters[name] && len(words) == 2 && words[1] == "-":
		a.Dynamic = true // the program comes from standard input
	default:
		if w, ok := wrappers[name]; ok {
			a.wrapped(w, words, known, depth)
		}
	}
}

// subscripts are builtins that evaluate the subscript of a variable's name, and the
// substitutions in it though they are quoted: test -v 'a[$(rm x)]'.
var subscripts = map[string]bool{"test": true, "[": true, "printf": true, "read": true, "unset": true, "wait": true, "getopts": true, "mapfile": true, "readarray": true}

func evaluated(word string) bool {
	_, subscript, found := strings.Cut(word, "[")
	return found && strings.ContainsAny(subscript, "$`")
}

// inner analyses text that a command runs with a shell.
func (a *shellAnalysis) inner(text string, known []bool, depth int) {
	if slices.Contains(known, false) {
		a.Dynamic = true
		return
	}
	a.text(text, depth+1)
}

// shell handles sh, bash and the like: the text after -c, a file, or standard
// input.
func (a *shellAnalysis) shell(words []string, known []bool, redirs []*syntax.Redirect, depth int) {
	command := false
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case !known[i]:
			a.Dynamic = true
			return
		case !command && (word == "-o" || word == "+o" || word == "-O" || word == "--rcfile" || word == "--init-file"):
			if strings.HasPrefix(word, "--") {
				a.Dynamic = true // a file that runs first
			}
			i++
		case strings.HasPrefix(word, "-") && len(word) > 1 || strings.HasPrefix(word, "+"):
			if !strings.HasPrefix(word, "--") {
				command = command || strings.Contains(word, "c")
				if strings.Contains(word, "s") || strings.Contains(word, "i") || strings.Contains(word, "l") {
					a.Dynamic = true // standard input, or the files of a login
				}
			}
		case command:
			a.inner(word, nil, depth)
			return
		default:
			return // a script: the entry names it
		}
	}
	// The text comes from standard input. A quoted here-document decides it.
	for _, r := range redirs {
		if r.Hdoc != nil && r.Op != syntax.WordHdoc {
			if body, ok := a.word(r.Hdoc); ok {
				a.text(body, depth+1)
			}
		}
	}
	a.Dynamic = true
}

// find adds the commands of -exec and the like; which files they get is not in
// the text.
func (a *shellAnalysis) find(words []string, known []bool, depth int) {
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
		default:
			if strings.HasPrefix(words[i], "--exec") {
				a.Dynamic = true
			}
			continue
		}
		a.Dynamic = true
		end := i + 1
		for end < len(words) && words[end] != ";" && words[end] != "+" {
			end++
		}
		if end > i+1 {
			a.command(words[i+1:end], known[i+1:end], nil, depth+1)
		}
		i = end
	}
}

// wrapper says how a program that runs another one is called.
type wrapper struct {
	// takes has the options that are followed by a value.
	takes string
	// long has the long options that are followed by a value.
	long []string
	// skip is the number of words before the command, such as timeout's duration.
	skip int
	// assigns allows NAME=value before the command.
	assigns bool
	// dynamic is true if the program adds words that are not in the text.
	dynamic bool
	// text is true if the words are one text for a shell (watch).
	text bool
	// script has the options whose value is a text for a shell (su -c).
	script string
}

var wrappers = map[string]wrapper{
	"sudo":             {takes: "ugpCTRDhrtU", long: []string{"--user", "--group", "--prompt", "--chdir", "--chroot", "--host", "--role", "--type", "--other-user", "--close-from", "--command-timeout"}, assigns: true},
	"doas":             {takes: "uC"},
	"env":              {takes: "uCS", long: []string{"--unset", "--chdir", "--split-string"}, assigns: true, script: "S"},
	"nice":             {takes: "n", long: []string{"--adjustment"}},
	"ionice":           {takes: "cnpPu", long: []string{"--class", "--classdata"}},
	"chrt":             {takes: "TPD", skip: 1},
	"taskset":          {skip: 1},
	"timeout":          {takes: "ks", long: []string{"--kill-after", "--signal"}, skip: 1},
	"time":             {takes: "fo", long: []string{"--format", "--output"}},
	"nohup":            {},
	"setsid":           {},
	"stdbuf":           {takes: "ioe", long: []string{"--input", "--output", "--error"}},
	"command":          {},
	"builtin":          {},
	"exec":             {takes: "a"},
	"busybox":          {},
	"toybox":           {},
	"chroot":           {long: []string{"--userspec", "--groups"}, skip: 1},
	"unshare":          {takes: "SGRw", long: []string{"--setuid", "--setgid", "--root", "--wd", "--propagation"}},
	"nsenter":          {takes: "tSGrw", long: []string{"--target", "--setuid", "--setgid"}},
	"strace":           {takes: "abeEIoOpPsSuUX", dynamic: true},
	"ltrace":           {takes: "aAeEFlnopsuwxX", dynamic: true},
	"flock":            {takes: "wEc", long: []string{"--wait", "--timeout", "--conflict-exit-code", "--command"}, skip: 1, script: "c"},
	"xargs":            {takes: "adEILnPs", long: []string{"--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-lines", "--max-chars", "--replace"}, dynamic: true},
	"parallel":         {takes: "jNnaI", dynamic: true, text: true},
	"watch":            {takes: "nq", long: []string{"--interval"}, text: true},
	"script":           {takes: "cTtIOBEomg", long: []string{"--command"}, script: "c", dynamic: true},
	"su":               {takes: "cgGsw", long: []string{"--command", "--shell", "--group"}, script: "c", dynamic: true},
	"runuser":          {takes: "cgGsuw", long: []string{"--command", "--shell", "--group", "--user"}, script: "c"},
	"systemd-run":      {takes: "pEutMH", long: []string{"--property", "--setenv", "--unit", "--uid", "--gid", "--slice", "--description", "--working-directory", "--service-type"}},
	"dbus-run-session": {long: []string{"--config-file", "--dbus-daemon"}},
	"catchsegv":        {},
	"caffeinate":       {takes: "tw"},
	"proxychains":      {takes: "f"}, "proxychains4": {takes: "f"}, "torsocks": {}, "firejail": {}, "bwrap": {dynamic: true},
	"pkexec": {long: []string{"--user"}}, "gosu": {skip: 1}, "su-exec": {skip: 1}, "prlimit": {takes: "p"}, "eatmydata": {}, "dumb-init": {}, "tini": {takes: "pe"},
	"setpriv":         {long: []string{"--reuid", "--regid", "--groups", "--inh-caps", "--ambient-caps", "--bounding-set", "--securebits", "--pdeathsig"}},
	"systemd-inhibit": {long: []string{"--what", "--who", "--why", "--mode"}},
	"xvfb-run":        {takes: "efnpsw"}, "cgexec": {takes: "g"}, "numactl": {takes: "NmCipP"},
	"winpty": {}, "rlwrap": {dynamic: true}, "unbuffer": {}, "faketime": {skip: 1, takes: "f"}, "fakeroot": {takes: "lfsi"},
}

var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "mksh": true, "ash": true, "rbash": true, "fish": true}

// interpreters run a program from standard input when they get no arguments.
var interpreters = map[string]bool{
	"python": true, "python2": true, "python3": true, "perl": true, "ruby": true, "node": true, "nodejs": true,
	"bun": true, "deno": true, "php": true, "lua": true, "tclsh": true, "awk": false, "at": true, "batch": true,
}

// wrapped adds the command that a wrapper runs.
func (a *shellAnalysis) wrapped(w wrapper, words []string, known []bool, depth int) {
	a.Dynamic = a.Dynamic || w.dynamic
	i := 1
options:
	for i < len(words) {
		word := words[i]
		switch {
		case !known[i]:
			a.Dynamic = true // it may be an option or the command
			return
		case word == "--":
			i++
			break options
		case word == "-": // env - and su - mean an option
			i++
		case strings.HasPrefix(word, "--"):
			name, _, hasValue := strings.Cut(word, "=")
			takes := slices.Contains(w.long, name)
			if w.script != "" && (name == "--command" || name == "--split-string") {
				a.Dynamic = true
			}
			if i++; takes && !hasValue {
				i++
			}
		case strings.HasPrefix(word, "-") && len(word) > 1:
			i = a.option(w, words, known, i, depth)
		case w.assigns && strings.Contains(word, "="):
			i++
		default:
			break options
		}
	}
	i += w.skip
	if i >= len(words) {
		return
	}
	if w.script != "" {
		for j, word := range words[i:] {
			if flag, isFlag := strings.CutPrefix(word, "-"); isFlag && len(flag) == 1 && strings.Contains(w.script, flag) && i+j+1 < len(words) {
				a.inner(words[i+j+1], known[i+j+1:i+j+2], depth) // flock FILE -c TEXT, su USER -c TEXT
				return
			}
		}
	}
	if w.text {
		a.inner(strings.Join(words[i:], " "), known[i:], depth)
		return
	}
	a.command(words[i:], known[i:], nil, depth+1)
}

// option reads a group of short options and returns the index after them.
func (a *shellAnalysis) option(w wrapper, words []string, known []bool, i, depth int) int {
	letters := words[i][1:]
	for j, letter := range letters {
		if !strings.ContainsRune(w.takes, letter) {
			continue
		}
		value := letters[j+1:]
		if value == "" && i+1 < len(words) {
			i++
			value = words[i]
		}
		if strings.ContainsRune(w.script, letter) {
			a.inner(value, known[i:i+1], depth)
		}
		break
	}
	return i + 1
}
