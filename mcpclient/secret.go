package mcpclient

import (
	"errors"
	"net/url"
	"strings"

	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Keyring returns the secret of a name.
type Keyring = secret.Keyring

// expandAll fills in the references of a configuration. The values, and what is
// a secret by its name, are remembered in secrets.
func expandAll(c Config, dir string, keyring secret.Keyring, secrets *secret.Vault) (Config, error) {
	var failed error
	fill := func(text string) string {
		out, err := secrets.Expand(text, dir, keyring)
		failed = errors.Join(failed, err)
		return out
	}
	c.Command, c.Cwd, c.URL = fill(c.Command), fill(c.Cwd), fill(c.URL)
	args := make([]string, len(c.Args))
	for i, arg := range c.Args {
		args[i] = fill(arg)
	}
	c.Args = args
	c.Env, c.Headers = fillMap(c.Env, fill), fillMap(c.Headers, fill)
	if c.OAuth != nil {
		own := *c.OAuth
		own.ClientID, own.ClientSecret = fill(own.ClientID), fill(own.ClientSecret)
		c.OAuth = &own
	}
	rememberNamed(&c, secrets)
	if failed == nil && c.URL != "" {
		failed = checkURL(c.URL)
	}
	return c, failed
}

func fillMap(in map[string]string, fill func(string) string) map[string]string {
	out := make(map[string]string, len(in))
	for key, value := range in {
		out[key] = fill(value)
	}
	return out
}

// rememberNamed remembers the secrets that a configuration holds as plain text:
// they are known by the name of their setting.
func rememberNamed(c *Config, secrets *secret.Vault) {
	remember := func(name, value string) {
		if !secret.Named(name) {
			return
		}
		if kind, rest, ok := strings.Cut(value, " "); ok && strings.ToLower(name) == "authorization" && len(kind) < len("Bearer ") {
			value = rest
		}
		secrets.Remember(name, value)
	}
	for _, settings := range []map[string]string{c.Env, c.Headers} {
		for name, value := range settings {
			remember(name, value)
		}
	}
	for i, arg := range c.Args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok && i+1 < len(c.Args) && strings.HasPrefix(arg, "-") {
			value = c.Args[i+1]
		}
		remember(strings.TrimLeft(name, "-"), value)
	}
	if c.OAuth != nil {
		secrets.Remember("OAuth client secret", c.OAuth.ClientSecret)
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return
	}
	if password, ok := u.User.Password(); ok {
		secrets.Remember("url password", password)
	}
	for name, values := range u.Query() {
		for _, value := range values {
			remember(name, value)
		}
	}
}

// redactAnswer removes secrets from an error that the server answered with. The
// result of a call is the server's own and stays as it is.
func redactAnswer(answer *jsonrpc.Response, secrets *secret.Vault) {
	if remote, ok := errors.AsType[*jsonrpc.Error](answer.Error); ok {
		remote.Message, remote.Data = secrets.Redact(remote.Message), secrets.RedactJSON(remote.Data)
	}
}
