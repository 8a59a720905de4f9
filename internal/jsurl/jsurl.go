// Package jsurl implements the URL class of JavaScript for scripts: it parses a
// URL into the parts that the class has, and changes one of them.
package jsurl

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// parts are the parts of a URL, with the names of JavaScript.
type parts struct {
	Href     string `json:"href"`
	Origin   string `json:"origin"`
	Protocol string `json:"protocol"`
	Username string `json:"username"`
	Password string `json:"password"`
	Host     string `json:"host"`
	Hostname string `json:"hostname"`
	Port     string `json:"port"`
	Pathname string `json:"pathname"`
	Search   string `json:"search"`
	Hash     string `json:"hash"`
}

// standardPorts returns the default ports of the schemes that need a host.
func standardPorts() map[string]string {
	return map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
}

// Error reports a text that is not a URL.
type Error struct{ Input string }

func (e *Error) Error() string { return fmt.Sprintf("%q cannot be parsed as a URL.", e.Input) }

// Parse takes [input, base] as JSON and returns the parts as JSON. A text that is
// not a URL is an [Error].
func Parse(text string) (string, error) {
	var args [2]string
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return "", err
	}
	u, err := absoluteURL(args[0], args[1])
	if err != nil {
		return "", err
	}
	return writeURL(u)
}

func absoluteURL(input, base string) (*url.URL, error) {
	u, err := url.Parse(tidyURL(input))
	if err != nil {
		return nil, &Error{input}
	}
	if base != "" && u.Scheme == "" {
		b, err := absoluteURL(base, "")
		if err != nil || b.Opaque != "" {
			return nil, &Error{base}
		}
		u = b.ResolveReference(u)
	}
	if u.Scheme == "" {
		return nil, &Error{input}
	}
	port, special := standardPorts()[u.Scheme]
	if special && u.Hostname() == "" {
		return nil, &Error{input}
	}
	if special || u.Scheme == "file" {
		u.Host = strings.ToLower(u.Host)
		if u.Port() == port && port != "" {
			u.Host = strings.TrimSuffix(u.Host, ":"+port)
		}
		cleanPath(u)
	}
	return u, nil
}

// tidyURL percent-encodes the characters that a browser accepts in a URL although
// they are not allowed.
func tidyURL(input string) string {
	input = strings.TrimFunc(input, func(r rune) bool { return r <= ' ' })
	input = strings.NewReplacer("\t", "", "\r", "", "\n", "", " ", "%20", `"`, "%22", "<", "%3C", ">", "%3E").Replace(input)
	var b strings.Builder
	for i := range len(input) {
		if c := input[i]; c >= 0x80 || c < 0x20 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// cleanPath removes . and .. from a path, and replaces an empty path by a slash.
func cleanPath(u *url.URL) {
	escaped := u.EscapedPath()
	if !strings.Contains(escaped, "/.") && escaped != "" {
		return
	}
	clean := path.Clean("/" + escaped)
	if strings.HasSuffix(escaped, "/") || strings.HasSuffix(escaped, "/.") || strings.HasSuffix(escaped, "/..") {
		clean = strings.TrimSuffix(clean, "/") + "/"
	}
	setPath(u, clean)
}

func setPath(u *url.URL, escaped string) {
	if plain, err := url.PathUnescape(escaped); err == nil {
		u.Path, u.RawPath = plain, escaped
	}
}

func writeURL(u *url.URL) (string, error) {
	p := parts{Href: u.String(), Origin: "null", Protocol: u.Scheme + ":", Host: u.Host, Hostname: u.Hostname(), Port: u.Port(), Pathname: u.EscapedPath()}
	if strings.Contains(p.Hostname, ":") {
		p.Hostname = "[" + p.Hostname + "]"
	}
	if u.Opaque != "" {
		p.Pathname = u.Opaque
	}
	if u.User != nil {
		user, password, _ := strings.Cut(u.User.String(), ":")
		p.Username, p.Password = user, password
	}
	if _, special := standardPorts()[u.Scheme]; special {
		p.Origin = u.Scheme + "://" + u.Host
	}
	if u.RawQuery != "" {
		p.Search = "?" + u.RawQuery
	}
	if u.Fragment != "" {
		p.Hash = "#" + u.EscapedFragment()
	}
	raw, err := json.Marshal(p)
	return string(raw), err
}

// Set takes [href, part, value] as JSON and returns the parts of the changed URL.
// An invalid value changes nothing, as in a browser.
func Set(text string) (string, error) {
	var args [3]string
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return "", err
	}
	u, err := absoluteURL(args[0], "")
	if err != nil {
		return "", err
	}
	changed := *u
	if err := setPart(&changed, args[1], tidyURL(args[2])); err != nil {
		return writeURL(u)
	}
	again, err := absoluteURL(changed.String(), "")
	if err != nil {
		return writeURL(u)
	}
	return writeURL(again)
}

var errPart = errors.New("no such part")

func setPart(u *url.URL, part, value string) error {
	user, password := "", ""
	if u.User != nil {
		user = u.User.Username()
		password, _ = u.User.Password()
	}
	switch part {
	case "protocol":
		u.Scheme = strings.TrimSuffix(value, ":")
	case "username":
		u.User = url.UserPassword(value, password)
	case "password":
		u.User = url.UserPassword(user, value)
	case "host":
		u.Host = value
	case "hostname":
		u.Host = joinPort(value, u.Port())
	case "port":
		u.Host = joinPort(u.Hostname(), value)
	case "pathname":
		setPath(u, "/"+strings.TrimPrefix(strings.NewReplacer("?", "%3F", "#", "%23").Replace(value), "/"))
	case "search":
		u.RawQuery = strings.ReplaceAll(strings.TrimPrefix(value, "?"), "#", "%23")
	case "hash":
		u.Fragment, u.RawFragment = strings.TrimPrefix(value, "#"), ""
	default:
		return errPart
	}
	return nil
}

func joinPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" {
		return host
	}
	return host + ":" + port
}
