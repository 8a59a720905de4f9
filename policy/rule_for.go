package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/expr"
	"github.com/gongu-ai/gongu/state"
)

// The reasons why there is no rule for an approval.
var (
	ErrDynamic    = errors.New("the text of the command does not decide what it runs")
	ErrAdminRule  = errors.New("a rule of the administrator asks")
	ErrSeveral    = errors.New("the approval is about several calls")
	ErrNoRule     = errors.New("the arguments cannot be written as a condition")
	ErrRuleTooBig = errors.New("the condition would be too long")
)

// RuleFor proposes a rule that allows the call of an approval and those like it,
// by the same principal and agent: a command that builds, tests or looks, with the
// same program, subcommand and options; another command with the same words;
// another change of the same file; another request to the same host; otherwise the
// same arguments. It returns an error for a call that no rule can describe.
func RuleFor(a *state.Approval) (Rule, error) {
	if len(a.Calls) != 1 {
		return Rule{}, ErrSeveral
	}
	c := &a.Calls[0]
	var p Preview
	if len(c.Preview) > 0 {
		if err := json.Unmarshal(c.Preview, &p); err != nil {
			return Rule{}, fmt.Errorf("read the preview of the approval: %w", err)
		}
	}
	if c.Dynamic || p.Dynamic || p.Command != "" && ParseShell(p.Command).Dynamic {
		return Rule{}, ErrDynamic
	}
	if !utf8.ValidString(c.Tool + c.Source + a.Agent + a.Principal + a.PrincipalKind) {
		return Rule{}, ErrNoRule
	}
	if strings.HasPrefix(c.Rule, Admin.String()+"/") {
		return Rule{}, ErrAdminRule // it comes before those of the user
	}
	condition, err := conditionFor(&p, c.Args)
	if err != nil {
		return Rule{}, err
	}
	r := Rule{Effect: Allow}
	var conditions []string
	same := func(globs *[]string, variable, name string) {
		if name == "" || strings.ContainsAny(name, `*?[\`) {
			conditions = append(conditions, variable+" == "+celText(name))
			return
		}
		*globs = []string{name}
	}
	same(&r.Match.Tools, "tool.name", c.Tool)
	if c.Source != "" {
		same(&r.Match.Sources, "tool.source", c.Source)
	}
	same(&r.Match.Agents, "agent", a.Agent)
	same(&r.Match.Principals, "principal.name", a.Principal)
	conditions = append(conditions, "principal.kind == "+celText(a.PrincipalKind), condition)
	r.When = strings.Join(conditions, " &&\n")
	if utf8.RuneCountInString(r.When) > expr.MaxSource {
		return Rule{}, ErrRuleTooBig
	}
	encoded, err := json.Marshal(r)
	if err != nil {
		return Rule{}, err
	}
	sum := sha256.Sum256(encoded)
	r.Name = c.Tool + "-" + hex.EncodeToString(sum[:4])
	return r, nil
}

// The arguments of gongu's own tools that may differ between the calls that one
// rule allows. Those that are not listed must be the same.
var (
	freeOfCommand = []string{"timeoutMs"}
	freeOfEdit    = []string{"content", "append", "old_string", "new_string", "replace_all", "near_line", "expected_sha", "edits"}
	freeOfRequest = []string{"headers", "body", "bodyString", "timeoutMs", "maxBytes"}
)

// conditionFor returns the condition over the arguments.
func conditionFor(p *Preview, raw []byte) (string, error) {
	decoded, err := expr.Decode(raw)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoRule, err)
	}
	args, ok := decoded.(map[string]any)
	if !ok && decoded != nil {
		return "", ErrNoRule
	}
	key, condition, free := "", "", []string(nil)
	switch p.Kind {
	case KindCommand:
		key, condition, free = commandCondition(p, args)
	case KindEdit:
		key, condition, free = editCondition(p, args)
	case KindRequest:
		key, condition, free = requestCondition(p, args)
	}
	if condition == "" && p.Kind == KindCommand && key == "" {
		return "", ErrNoRule // the preview may be that of other arguments
	}
	if condition == "" {
		literal, err := celValue(args)
		return "args == " + literal, err
	}
	known := append([]string{key}, free...)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if slices.Contains(known, name) {
			continue
		}
		literal, err := celValue(args[name])
		if err != nil {
			return "", err
		}
		known = append(known, name)
		condition += " &&\n" + celText(name) + " in args && args[" + celText(name) + "] == " + literal
	}
	names, err := celValue(known)
	return condition + " &&\nargs.all(k, k in " + names + ")", err
}

// commandCondition compares the one command of a text. A text with several
// commands gets no condition: what each does depends on those before it.
func commandCondition(p *Preview, args map[string]any) (key, condition string, free []string) {
	shell := ParseShell(p.Command)
	key = keyOf(args, func(value string) bool { return value == p.Command })
	if key == "" || len(shell.Commands) != 1 {
		return key, "", nil
	}
	words := shell.Commands[0]
	condition = "!dynamic && commands.size() == 1 && "
	if len(words) < 2 || !slices.Contains(subcommands[words[0]], words[1]) {
		literal, err := celValue(words)
		if err != nil {
			return key, "", nil
		}
		return key, condition + "commands[0] == " + literal, freeOfCommand
	}
	options := []string{}
	for _, word := range words[2:] {
		if strings.HasPrefix(word, "-") && !slices.Contains(options, word) {
			options = append(options, word)
		}
	}
	condition += fmt.Sprintf("commands[0].size() >= 2 && commands[0][0] == %s && commands[0][1] == %s &&\ncommands[0].all(w, !w.startsWith(\"-\")", celText(words[0]), celText(words[1]))
	if len(options) > 0 {
		literal, err := celValue(options)
		if err != nil {
			return key, "", nil
		}
		condition += " || w in " + literal
	}
	return key, condition + ")", freeOfCommand
}

// subcommands are the programs of which a person means the subcommand and not the
// words behind it: they build, test and look, and only options can make them do
// something else. Others, such as git push, are compared word by word.
var subcommands = map[string][]string{
	"git":     {"add", "blame", "log", "show", "status"},
	"go":      {"build", "doc", "list", "test", "version", "vet"},
	"cargo":   {"build", "check", "clippy", "test", "tree"},
	"npm":     {"ls", "outdated", "test"},
	"pnpm":    {"ls", "outdated", "test"},
	"yarn":    {"list", "outdated", "test"},
	"docker":  {"images", "inspect", "logs", "ps"},
	"kubectl": {"describe", "get", "logs"},
}

// editCondition compares the argument that names the file.
func editCondition(p *Preview, args map[string]any) (key, condition string, free []string) {
	if len(p.Files) != 1 || p.Files[0].From != "" || p.Files[0].Action == "delete" {
		return "", "", nil
	}
	resolved := filepath.ToSlash(p.Files[0].Path)
	key = keyOf(args, func(value string) bool {
		clean := filepath.ToSlash(filepath.Clean(value))
		return value != "" && (clean == resolved || !filepath.IsAbs(value) && strings.HasSuffix(resolved, "/"+clean))
	})
	literal, err := celValue(args[key])
	if key == "" || err != nil {
		return "", "", nil
	}
	return key, "args[" + celText(key) + "] == " + literal, freeOfEdit
}

// requestCondition compares the scheme, the host and the method. The host ends at
// the slash behind it, so that no other host begins with it.
func requestCondition(p *Preview, args map[string]any) (key, condition string, free []string) {
	key = keyOf(args, func(value string) bool { return value == p.URL })
	address, err := url.Parse(p.URL)
	if key == "" || err != nil || address.Host == "" || address.User != nil {
		return "", "", nil
	}
	base := address.Scheme + "://" + address.Host
	if strings.ContainsRune(base, utf8.RuneError) || !strings.HasPrefix(p.URL, base+"/") && p.URL != base {
		return "", "", nil // written in another way, such as in capitals
	}
	index := "args[" + celText(key) + "]"
	condition = fmt.Sprintf("(%s == %s || %s.startsWith(%s))", index, celText(base), index, celText(base+"/"))
	return key, condition, freeOfRequest
}

// keyOf returns the only key of args whose text is the one that is looked for.
func keyOf(args map[string]any, is func(string) bool) string {
	found := ""
	for key, value := range args {
		text, ok := value.(string)
		if !ok || !is(text) {
			continue
		}
		if found != "" {
			return ""
		}
		found = key
	}
	return found
}

// celText writes a text for CEL, whose escapes are those of Go.
func celText(text string) string { return strconv.Quote(text) }

// celValue writes a value of JSON for CEL.
func celValue(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		if v == math.MinInt64 {
			return "", ErrNoRule // CEL reads the number before its sign
		}
		return strconv.FormatInt(v, 10), nil
	case uint64:
		return strconv.FormatUint(v, 10) + "u", nil
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text, nil
	case string:
		if strings.ContainsRune(v, utf8.RuneError) {
			return "", ErrNoRule // it may have been another text
		}
		return celText(v), nil
	case []string:
		return celList(v)
	case []any:
		return celList(v)
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			text, err := celValue(v[key])
			if err != nil || strings.ContainsRune(key, utf8.RuneError) {
				return "", errors.Join(ErrNoRule, err)
			}
			parts = append(parts, celText(key)+": "+text)
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	}
	return "", ErrNoRule
}

func celList[T any](list []T) (string, error) {
	parts := make([]string, len(list))
	for i, item := range list {
		text, err := celValue(item)
		if err != nil {
			return "", err
		}
		parts[i] = text
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}

// CheckArgs checks arguments that a person wants to put in the place of those of a
// call, and returns them as the call would have them. The error is [ErrBadAnswer].
func CheckArgs(c *state.ApprovalCall, args json.RawMessage) (json.RawMessage, error) {
	return checkArgs(c.Parameters, args)
}
