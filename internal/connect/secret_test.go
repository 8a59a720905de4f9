package connect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/mcpclient"
)

func newVariables(users map[string][]string, env map[string]string) *variables {
	return &variables{getenv: func(name string) string { return env[name] }, values: map[string]string{}, users: users}
}

func TestExtractSecrets(t *testing.T) {
	github := "ghp_" + strings.Repeat("a", 36)
	in := mcpclient.Config{
		Name: "my-srv", Command: "npx",
		Args: []string{
			"-y", "server", "--api-key", "k1", "--token=k2", "-e", "DB_PASSWORD=k3", "--header", "Authorization: Bearer k4",
			"--flag", "plain", "--x", github, "--key-file", "/etc/key", "--secret", "${env:MINE}", "--keyboard=us",
		},
		Env: map[string]string{
			"API_KEY": "k5", "LOG": "debug", "TOKEN_FILE": "/run/token", "USE_TOKEN": "true", "OTHER": "a " + github + " b",
			"REF_TOKEN": "${env:REF_TOKEN}", "HOME_KEY": "~/.ssh/id", "openaiApiKey": "k6",
		},
		Headers: map[string]string{"Authorization": "Bearer k7", "X-Api-Key": "k8", "Accept": "x"},
		URL:     "https://me:k9@example.com/mcp?api_key=k10&q=1",
	}
	out, found := extractSecrets(in, newVariables(nil, nil))
	want := mcpclient.Config{
		Name: "my-srv", Command: "npx",
		Args: []string{
			"-y", "server", "--api-key", "${env:MY_SRV_API_KEY}", "--token=${env:MY_SRV_TOKEN}", "-e", "DB_PASSWORD=${env:DB_PASSWORD}",
			"--header", "Authorization: Bearer ${env:MY_SRV_AUTHORIZATION_2}", "--flag", "plain", "--x", "${env:MY_SRV_SECRET}",
			"--key-file", "/etc/key", "--secret", "${env:MINE}", "--keyboard=us",
		},
		Env: map[string]string{
			"API_KEY": "${env:API_KEY}", "LOG": "debug", "TOKEN_FILE": "/run/token", "USE_TOKEN": "true", "OTHER": "a ${env:OTHER} b",
			"REF_TOKEN": "${env:REF_TOKEN}", "HOME_KEY": "~/.ssh/id", "openaiApiKey": "${env:OPENAIAPIKEY}",
		},
		Headers: map[string]string{"Authorization": "Bearer ${env:MY_SRV_AUTHORIZATION}", "X-Api-Key": "${env:MY_SRV_X_API_KEY}", "Accept": "x"},
		URL:     "https://example.com/mcp?api_key=${env:MY_SRV_API_KEY_2}&q=1",
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	text := strings.Join(out.Args, "\x00") + out.URL
	for _, m := range []map[string]string{out.Env, out.Headers} {
		for _, value := range m {
			text += "\x00" + value
		}
	}
	for _, secret := range found {
		if strings.Contains(text, secret.value) {
			t.Errorf("the value of %s (%s) is still there: %q", secret.Variable, secret.Field, secret.value)
		}
	}
	if len(found) != 11 {
		t.Errorf("%d secrets were found: %+v", len(found), found)
	}
	// A password in an address becomes a header, unless there is one.
	out, found = extractSecrets(mcpclient.Config{Name: "x", URL: "https://me:pass@example.com/mcp"}, newVariables(nil, nil))
	if out.URL != "https://example.com/mcp" || out.Headers["Authorization"] != "Basic ${env:X_LOGIN}" || found[0].value != "bWU6cGFzcw==" {
		t.Errorf("%+v %+v", out, found)
	}
}

func TestExtractSecretsApart(t *testing.T) {
	_, found := extractSecrets(mcpclient.Config{
		Name: "x", Env: map[string]string{"A_TOKEN": "1", "a-token": "2", "X_A_TOKEN": "3"}, Args: []string{"--a-token=4", "A_TOKEN=5"},
	}, newVariables(nil, nil))
	// Two different values never share a variable.
	values := map[string]string{}
	for _, secret := range found {
		if other, ok := values[secret.Variable]; ok && other != secret.value {
			t.Errorf("%s stands for two values", secret.Variable)
		}
		values[secret.Variable] = secret.value
	}
}

func TestVariableNames(t *testing.T) {
	v := newVariables(map[string][]string{"API_KEY": {"one"}, "SHARED": {"one"}}, map[string]string{"SHARED": "s"})
	for _, test := range []struct{ server, wanted, value, want string }{
		{"one", "API_KEY", "a", "API_KEY"},     // its own, again
		{"two", "API_KEY", "b", "TWO_API_KEY"}, // another server's
		{"two", "SHARED", "s", "SHARED"},       // the same value is set there
		{"three", "SHARED", "t", "THREE_SHARED"},
		{"a-b", "x.y", "1", "X_Y"},
		{"a-b", "x-y", "2", "A_B_X_Y"},
		{"a-b", "x y", "3", "A_B_X_Y_2"},
		{"a-b", "x y", "3", "A_B_X_Y_2"},
		{"9", "9", "3", "_9"},
	} {
		if got := v.name(test.server, test.wanted, test.value); got != test.want {
			t.Errorf("%+v: got %s", test, got)
		}
	}
}
