package mcpclient

import (
	"errors"

	"github.com/gongu-ai/gongu/internal/secret"
)

// Keyring returns the secret of a name.
type Keyring = secret.Keyring

// expandAll fills in the references of a configuration.
func expandAll(c Config, dir string, keyring secret.Keyring) (Config, error) {
	var failed error
	fill := func(text string) string {
		out, err := secret.Expand(text, dir, keyring)
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
