package audit_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/internal/secret"
)

// R8, K13: what rows keep has no secrets: those that gongu knows, those that a
// schema or a name marks, and texts that look like credentials.
func TestR8_Redaction(t *testing.T) {
	vault := &secret.Vault{}
	vault.Remember("DB", "canary-in-the-vault")
	const schema = `{"type":"object","properties":{
		"pin":{"type":"string","writeOnly":true}, "code":{"type":"string","format":"password"}, "note":{"type":"string","x-sensitive":true},
		"nested":{"type":"object","properties":{"inner":{"allOf":[{"$ref":"#/$defs/hidden"}]}}},
		"list":{"type":"array","items":{"$ref":"#/$defs/hidden"}}, "open":{"type":"string"}},
		"$defs":{"hidden":{"type":"string","writeOnly":true}}}`
	for _, c := range []struct{ name, args, want string }{
		{"vault", `{"open":"a canary-in-the-vault b"}`, `{"open":"a [secret DB] b"}`},
		{"vault in base64", `{"open":"Y2FuYXJ5LWluLXRoZS12YXVsdA=="}`, `{"open":"[secret DB]"}`},
		{"schema", `{"pin":"1","code":"2","note":"3","open":"4"}`, `{"pin":"[redacted]","code":"[redacted]","note":"[redacted]","open":"4"}`},
		{"schema of a reference", `{"nested":{"inner":"x"},"list":["a","b"]}`, `{"nested":{"inner":"[redacted]"},"list":"[redacted]"}`},
		{"escaped name", `{"\u0070in":"1"}`, `{"\u0070in":"[redacted]"}`},
		{"names", `{"password":"p","apiKey":["a"],"Authorization":{"x":1},"client_secret":7,"key":"k","token":true}`,
			`{"password":"[redacted]","apiKey":"[redacted]","Authorization":"[redacted]","client_secret":"[redacted]","key":"k","token":true}`},
		{"deep", `{"open":"x","a":[{"b":{"passwd":{"x":["]}"]},"c":1}}]}`, `{"open":"x","a":[{"b":{"passwd":"[redacted]","c":1}}]}`},
		{"shapes", `{"open":"ghp_abcdefghijklmnopqrstuvwxyz0123456789 and AKIAABCDEFGHIJKLMNOP"}`, `{"open":"[secret] and [secret]"}`},
		{"command", `{"open":"curl -H 'Authorization: Bearer abcdef123456' --password hunter22 https://u:pw12@h/ TOKEN=zzzzzz"}`,
			`{"open":"curl -H 'Authorization: Bearer [secret]' --password [secret] https://u:[secret]@h/ TOKEN=[secret]"}`},
		{"private key", `{"open":"-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----","z":"kept"}`,
			`{"open":"-----BEGIN RSA PRIVATE KEY-----[secret]-----END RSA PRIVATE KEY-----","z":"kept"}`},
		{"private key without an end", `{"open":"-----BEGIN PRIVATE KEY-----abc","z":"kept"}`, `{"open":"-----BEGIN PRIVATE KEY-----[secret]","z":"kept"}`},
		{"quoted in a text", `{"open":"{\"token\": \"abcdef\", 'secret' : 'ghijkl'}"}`, `{"open":"{\"token\": \"[secret]\", 'secret' : '[secret]'}"}`},
		{"harmless", `{"open":"the token count is 1234, a password reset, max_tokens: 5","maxTokens":5}`, `{"open":"the token count is 1234, a password reset, max_tokens: 5","maxTokens":5}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := openStore(t)
			r := audit.New(s, &audit.Options{Secrets: vault})
			tool := echo()
			tool.Parameters, tool.Output = schema, schema
			x := newExecutor(t, r, tool)
			x.Call(t.Context(), gongu.Call{Name: "echo", Args: json.RawMessage(c.args)})
			closeRecorder(t, r)
			row := rowsOf(t, s)[0]
			if got := string(row.Payload.Args); got != c.want {
				t.Errorf("arguments:\n%s\nwant\n%s", got, c.want)
			}
			if row.Status == "ok" {
				if got := string(row.Payload.Result); got != c.want {
					t.Errorf("result:\n%s\nwant\n%s", got, c.want)
				}
			} else if strings.Contains(string(row.Payload.Result), "canary") {
				t.Error(string(row.Payload.Result))
			}
		})
	}
}

// R8: a payload is bounded; of a larger one the beginning is kept, redacted, and
// the digest is that of all bytes.
func TestR8_LargePayloads(t *testing.T) {
	s, _ := openStore(t)
	vault := &secret.Vault{}
	vault.Remember("DB", "canary-in-the-vault")
	r := audit.New(s, &audit.Options{Secrets: vault})
	none := audit.New(s, &audit.Options{Payload: -1})
	args := `{"password":"` + strings.Repeat("p", 500) + `","text":"canary-in-the-vault ` + strings.Repeat("x", 200_000) + `"}`
	newExecutor(t, r, echo()).Call(t.Context(), gongu.Call{Name: "echo", Args: json.RawMessage(args)})
	closeRecorder(t, r)
	newExecutor(t, none, echo()).Call(t.Context(), gongu.Call{Name: "echo", Args: json.RawMessage(args)})
	closeRecorder(t, none)
	rows := rowsOf(t, s)
	var kept struct {
		Truncated bool
		Bytes     int
		Preview   string
	}
	for _, raw := range [][]byte{rows[0].Payload.Args, rows[0].Payload.Result} {
		if err := json.Unmarshal(raw, &kept); err != nil || !kept.Truncated || kept.Bytes != len(args) || len(kept.Preview) != 4<<10 {
			t.Errorf("%.200s %v", raw, err)
		}
		if !strings.HasPrefix(kept.Preview, `{"password":"[redacted]","text":"[secret DB] xxx`) {
			t.Errorf("%.200s", kept.Preview)
		}
	}
	for _, row := range rows {
		if row.ArgsSize != int64(len(args)) || string(row.ArgsDigest) != string(stateDigest(row.Payload.Salt, args)) || string(row.ResultDigest) != string(resultDigest(row.Payload.Salt, args, "", "")) {
			t.Errorf("the digests are not those of the exact bytes: %+v", row.ArgsSize)
		}
	}
	if rows[1].Payload.Args != nil || rows[1].Payload.Result != nil {
		t.Error("a payload was kept")
	}
}

func stateDigest(salt []byte, text string) []byte {
	h := sha256.New()
	h.Write(salt)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// A schema whose references form circles is read in bounded time.
func TestR8_SchemaCircles(t *testing.T) {
	s, _ := openStore(t)
	r := audit.New(s, nil)
	tool := gongu.Tool{Name: "circle", Parameters: `{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}},
		"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/a"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}}}`,
		Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }}
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(tool); err != nil {
		t.Skip("the registry refuses it already:", err) //rules:skip nothing to redact then
	}
	x := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry), Observers: []gongu.Observer{r}})
	x.Call(t.Context(), gongu.Call{Name: "circle", Args: json.RawMessage(`{"a":"x"}`)})
	closeRecorder(t, r)
	if row := rowsOf(t, s)[0]; string(row.Payload.Args) != `{"a":"[redacted]"}` {
		t.Errorf("%s", row.Payload.Args)
	}
}
