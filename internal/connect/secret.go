package connect

import (
	"encoding/base64"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/mcpclient"
)

// FoundSecret is a secret that was in a file as plain text.
type FoundSecret struct {
	Server string `json:"server"`
	// Field is its place in the file, such as env.API_KEY.
	Field string `json:"field"`
	// Variable is the environment variable that holds it now.
	Variable string `json:"variable"`
	// value is only for the environment of a client's own file.
	value string
}

// secretValues match texts that are secrets in every setting.
var secretValues = regexp.MustCompile(`gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|` +
	`sk-[A-Za-z0-9_-]{16,}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|[rsp]k_(?:live|test)_[A-Za-z0-9]{10,}|` +
	`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*|npm_[A-Za-z0-9]{30,}|ya29\.[A-Za-z0-9_-]{20,}|` +
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*|hf_[A-Za-z0-9]{20,}`)

// plainSecret reports whether a value of a setting with a secret's name is one,
// and not a reference, a switch or a place.
func plainSecret(value string) bool {
	switch strings.ToLower(value) {
	case "", "true", "false", "none", "null", "0", "1":
		return false
	}
	return !strings.Contains(value, "${") && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "~/")
}

// variables gives secrets names that no other server uses for another value.
type variables struct {
	getenv func(string) string
	// values are the names given in this run, users the servers of the bundle
	// that refer to a name.
	values map[string]string
	users  map[string][]string
}

func (v *variables) name(server, wanted, value string) string {
	wanted = variableName(wanted)
	own, prefix := wanted, variableName(server)+"_"
	if !strings.HasPrefix(own, prefix) {
		own = variableName(prefix + own)
	}
	name := wanted
	if !v.free(server, name, value) {
		name = own
	}
	for n := 2; !v.free(server, name, value); n++ {
		name = own + "_" + strconv.Itoa(n)
	}
	v.values[name] = value
	return name
}

// free reports whether a name is used for nothing else.
func (v *variables) free(server, name, value string) bool {
	if given, ok := v.values[name]; ok {
		return given == value
	}
	others := slices.ContainsFunc(v.users[name], func(user string) bool { return user != server })
	return !others || v.getenv(name) == value
}

// variableName makes a name that every shell accepts.
func variableName(text string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, text)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// secretExtractor takes the secrets out of one server.
type secretExtractor struct {
	server string
	vars   *variables
	found  []FoundSecret
}

// extractSecrets returns a configuration that may be written down, and what was
// taken out of it.
func extractSecrets(c mcpclient.Config, vars *variables) (mcpclient.Config, []FoundSecret) {
	h := &secretExtractor{server: c.Name, vars: vars}
	c.Env = h.settings("env", c.Env, false)
	c.Headers = h.settings("headers", c.Headers, true)
	c.Args = h.args(c.Args)
	c.Command = h.anywhere("command", c.Command, "COMMAND")
	if c.URL != "" {
		c.URL, c.Headers = h.address(c.URL, c.Headers)
	}
	c.OAuth = nil
	return c, h.found
}

// hide gives a secret a variable and returns the reference.
func (h *secretExtractor) hide(field, wanted, value string) string {
	name := h.vars.name(h.server, wanted, value)
	h.found = append(h.found, FoundSecret{Server: h.server, Field: field, Variable: name, value: value})
	return "${env:" + name + "}"
}

// anywhere hides what is known to be a secret by its form.
func (h *secretExtractor) anywhere(field, text, wanted string) string {
	return secretValues.ReplaceAllStringFunc(text, func(found string) string { return h.hide(field, wanted, found) })
}

func (h *secretExtractor) settings(field string, in map[string]string, headers bool) map[string]string {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]string, len(in))
	for _, key := range slices.Sorted(maps.Keys(in)) {
		wanted := key
		if headers {
			wanted = h.server + "_" + key
		}
		out[key] = h.setting(field+"."+key, key, in[key], wanted)
	}
	return out
}

// scheme is the part of a header before the secret.
var scheme = regexp.MustCompile(`(?i)^(bearer|basic|token|apikey)\s+`)

func (h *secretExtractor) setting(field, key, value, wanted string) string {
	if !secret.Named(key) || !plainSecret(value) {
		return h.anywhere(field, value, wanted)
	}
	before := scheme.FindString(value)
	return before + h.hide(field, wanted, value[len(before):])
}

var (
	flagForm   = regexp.MustCompile(`^--?([A-Za-z][A-Za-z0-9_-]*)=([\s\S]+)$`)
	assignForm = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]+)$`)
	headerForm = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*):\s*([\s\S]+)$`)
	bareFlag   = regexp.MustCompile(`^--?([A-Za-z][A-Za-z0-9_-]*)$`)
)

// args hides --key=V, --key V, NAME=V and "Header: V".
func (h *secretExtractor) args(in []string) []string {
	out := make([]string, len(in))
	flag := ""
	for i, arg := range in {
		name, value := "", ""
		for _, form := range []*regexp.Regexp{flagForm, assignForm, headerForm} {
			if m := form.FindStringSubmatch(arg); m != nil {
				name, value = m[1], m[2]
				break
			}
		}
		switch {
		case name != "":
			out[i] = strings.TrimSuffix(arg, value) + h.setting("args", name, value, argName(h.server, name))
		case flag != "":
			out[i] = h.setting("args", flag, arg, argName(h.server, flag))
		default:
			out[i] = h.anywhere("args", arg, h.server+"_SECRET")
		}
		flag = ""
		if m := bareFlag.FindStringSubmatch(arg); m != nil && secret.Named(m[1]) {
			flag = m[1]
		}
	}
	return out
}

// argName: an upper-case name is a variable already.
func argName(server, name string) string {
	if name == strings.ToUpper(name) {
		return name
	}
	return server + "_" + name
}

// address hides the password, and the parameters that are secrets. References
// stay as they are written, so the text is changed and not written anew.
func (h *secretExtractor) address(text string, headers map[string]string) (string, map[string]string) {
	u, err := url.Parse(text)
	if err != nil {
		return h.anywhere("url", text, h.server+"_URL"), headers
	}
	if password, ok := u.User.Password(); ok && plainSecret(password) {
		if at := strings.IndexByte(text, '@'); at > 0 {
			text = u.Scheme + "://" + text[at+1:]
		}
		if headers = maps.Clone(headers); headers == nil {
			headers = map[string]string{}
		}
		if _, ok := headers["Authorization"]; !ok { // which would win
			login := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
			headers["Authorization"] = "Basic " + h.hide("url", h.server+"_LOGIN", login)
		}
	}
	if before, query, ok := strings.Cut(text, "?"); ok {
		parts := strings.Split(query, "&")
		for i, part := range parts {
			key, value, _ := strings.Cut(part, "=")
			if secret.Named(key) && plainSecret(value) {
				parts[i] = key + "=" + h.hide("url", h.server+"_"+key, value)
			}
		}
		text = before + "?" + strings.Join(parts, "&")
	}
	return h.anywhere("url", text, h.server+"_URL"), headers
}
