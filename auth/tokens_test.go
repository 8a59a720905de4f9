package auth_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func known(t *testing.T, tokens *auth.Tokens, secret string) bool {
	t.Helper()
	_, ok, err := tokens.Identify(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestTokens(t *testing.T) {
	now := time.Date(2026, 1, 31, 9, 30, 0, 5, time.UTC)
	opts := &auth.TokensOptions{Now: func() time.Time { return now }, Logger: quiet()}
	tokens, secret := openTokens(t, auth.NewToken{Name: "ci", Grant: auth.Grant{Agents: []string{"reviewer"}, Tools: []string{"fs__*"}}, Lifetime: 2 * time.Hour}, opts)
	if !regexp.MustCompile(`^gongu_[0-9A-Za-z]{43}$`).MatchString(secret) {
		t.Errorf("got %s", secret)
	}
	text, err := os.ReadFile(tokens.Path())
	if err != nil || strings.Contains(string(text), secret[6:]) || strings.Contains(string(text), "gongu_") {
		t.Errorf("the secret is in the file: %s, %v", text, err)
	}
	if info, err := os.Stat(tokens.Path()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	id, ok, err := tokens.Identify(t.Context(), secret)
	if err != nil || !ok || id.Name != "ci" || id.Kind != auth.KindToken {
		t.Errorf("got %+v, %t, %v", id, ok, err)
	}
	// The principal is the same one for as long as the token is: caches can use
	// the pointer. The first use was written down, so the file is read again.
	if again, _, _ := tokens.Identify(t.Context(), secret); again != id {
		t.Error("the second use has another principal")
	}
	if id.Agents[0] != "reviewer" || id.Allow[0].Name != "fs__*" {
		t.Errorf("got %+v", id)
	}
	want := []auth.Token{{Name: "ci", Grant: auth.Grant{Agents: []string{"reviewer"}, Tools: []string{"fs__*"}},
		Created: now.Truncate(time.Second), Expires: now.Truncate(time.Second).Add(2 * time.Hour), LastUsed: now.Truncate(time.Second)}}
	if list, err := tokens.List(); err != nil || !cmp.Equal(list, want) {
		t.Errorf("%v %s", err, cmp.Diff(list, want))
	}
	// The last use is coarse: not each one is a write.
	before, err := os.Stat(tokens.Path())
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(59 * time.Minute)
	known(t, tokens, secret)
	if after, err := os.Stat(tokens.Path()); err != nil || !os.SameFile(before, after) {
		t.Errorf("a use was written down at once: %v", err)
	}
	now = now.Add(2 * time.Minute)
	known(t, tokens, secret)
	if list, err := tokens.List(); err != nil || !list[0].LastUsed.Equal(now.Truncate(time.Second)) {
		t.Errorf("got %v, %v", list, err)
	}
	// The end.
	now = now.Add(time.Hour)
	if known(t, tokens, secret) {
		t.Error("an expired token is good")
	}
	if list, err := tokens.List(); err != nil || !list[0].Expired(now) {
		t.Errorf("got %v, %v", list, err)
	}
}

func TestTokensRevoke(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{Name: "laptop"}, nil)
	_, err := tokens.Revoke(t.Context(), "labtop")
	if e, ok := errors.AsType[*auth.Error](err); !ok || !errors.Is(err, auth.ErrNotFound) || len(e.Near) != 1 || e.Near[0] != "laptop" {
		t.Errorf("got %v", err)
	}
	if _, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "laptop"}); !errors.Is(err, auth.ErrExists) {
		t.Errorf("got %v", err)
	}
	if !known(t, tokens, secret) {
		t.Error("not known")
	}
	if ended, err := tokens.Revoke(t.Context(), "laptop"); err != nil || ended.Name != "laptop" || known(t, tokens, secret) {
		t.Errorf("got %v, %v", ended, err)
	}
	again, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "laptop"})
	if err != nil || again == secret || known(t, tokens, secret) || !known(t, tokens, again) {
		t.Errorf("got %v", err)
	}
	// Without the file there is no token.
	if err := os.Remove(tokens.Path()); err != nil || known(t, tokens, again) {
		t.Errorf("good without a file: %v", err)
	}
}

// An empty list is nothing, and stays so on the disk; no list is everything.
func TestTokensEmptyListIsNothing(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{Name: "none", Grant: auth.Grant{Agents: []string{}, Tools: []string{}}}, nil)
	again, err := auth.OpenTokens(tokens.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	id, _, err := again.Identify(t.Context(), secret)
	if err != nil || id.Agents == nil || id.Allow == nil || id.MayUse("a") || id.MayUse("") {
		t.Errorf("got %+v, %v", id, err)
	}
	if all := (&gongu.Principal{}); !all.MayUse("a") || !all.MayUse("") {
		t.Error("no list is everything")
	}
	if some := (&gongu.Principal{Agents: []string{"", "a"}}); !some.MayUse("a") || some.MayUse("") || some.MayUse("b") {
		t.Error("an empty name opens the path of all tools")
	}
}

func TestTokensEnsureDefault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", auth.TokensName)
	tokens, err := auth.OpenTokens(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Several servers start at once: one secret is made, and shown once.
	secrets := make(chan string, 8)
	var group sync.WaitGroup
	for range cap(secrets) {
		group.Go(func() {
			mine, err := auth.OpenTokens(path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			secret, err := mine.EnsureDefault(t.Context())
			if err != nil {
				t.Error(err)
			}
			if secret != "" {
				secrets <- secret
			}
		})
	}
	group.Wait()
	if len(secrets) != 1 || !known(t, tokens, <-secrets) {
		t.Errorf("%d secrets", len(secrets)+1)
	}
	if secret, err := tokens.EnsureDefault(t.Context()); secret != "" || err != nil {
		t.Errorf("got %q, %v", secret, err)
	}
	if list, err := tokens.List(); err != nil || len(list) != 1 || list[0].Name != auth.DefaultToken || list[0].Agents != nil {
		t.Errorf("got %v, %v", list, err)
	}
	// Whoever has other tokens and none of that name wants it so.
	if _, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "mine"}); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Revoke(t.Context(), auth.DefaultToken); err != nil {
		t.Fatal(err)
	}
	if secret, err := tokens.EnsureDefault(t.Context()); secret != "" || err != nil {
		t.Errorf("got %q, %v", secret, err)
	}
}

// Tokens that ended are listed for a while, and then make room.
func TestTokensForgetTheEnded(t *testing.T) {
	now := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	opts := &auth.TokensOptions{Now: func() time.Time { return now }}
	tokens, _ := openTokens(t, auth.NewToken{Name: "short", Lifetime: time.Hour}, opts)
	add := func(name string) int {
		t.Helper()
		if _, _, err := tokens.Create(t.Context(), auth.NewToken{Name: name}); err != nil {
			t.Fatal(err)
		}
		list, err := tokens.List()
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	now = now.Add(30 * 24 * time.Hour)
	if n := add("a"); n != 2 {
		t.Errorf("%d tokens", n)
	}
	now = now.Add(time.Hour)
	if n := add("b"); n != 2 {
		t.Errorf("%d tokens", n)
	}
	var file strings.Builder
	file.WriteString(`{"format":1,"tokens":[`)
	for i := range 1000 {
		if i > 0 {
			file.WriteString(",")
		}
		expires := ""
		if i == 0 {
			expires = `,"expires":"2026-03-01T00:00:00Z"`
		}
		fmt.Fprintf(&file, `{"name":"t%d","created":"2026-01-01T00:00:00Z"%s,"sha256":"%064d"}`, i, expires, i)
	}
	file.WriteString("]}")
	writeFile(t, tokens.Path(), file.String())
	now = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if n := add("c"); n != 1000 {
		t.Errorf("%d tokens", n)
	}
	_, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "d"})
	wantInvalid(t, err)
}

func TestTokensCheckNames(t *testing.T) {
	tokens, _ := openTokens(t, auth.NewToken{}, nil)
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint("a", i)
	}
	for name, n := range map[string]auth.NewToken{"space": {Name: "a b"}, "dash first": {Name: "-a"}, "slash": {Name: "a/b"}, "like a subject": {Name: "https://issuer#sub"}, "anonymous": {Name: "anonymous"}, "long": {Name: strings.Repeat("a", 65)}, "control": {Name: "a\x1b[2J"},
		"empty agent":     {Grant: auth.Grant{Agents: []string{""}}},
		"agent glob":      {Grant: auth.Grant{Agents: []string{"*"}}},
		"agent path":      {Grant: auth.Grant{Agents: []string{"a/b"}}},
		"empty glob":      {Grant: auth.Grant{Tools: []string{"a", ""}}},
		"broken glob":     {Grant: auth.Grant{Tools: []string{"[a"}}},
		"long glob":       {Grant: auth.Grant{Tools: []string{strings.Repeat("a", 200)}}},
		"many agents":     {Grant: auth.Grant{Agents: many}},
		"many globs":      {Grant: auth.Grant{Tools: many}},
		"empty ask":       {Grant: auth.Grant{Ask: []string{""}}},
		"empty prompt":    {Grant: auth.Grant{Prompts: []string{""}}},
		"empty source":    {Grant: auth.Grant{Resources: []string{":x"}}},
		"empty URI":       {Grant: auth.Grant{Resources: []string{"far:"}}},
		"broken URI":      {Grant: auth.Grant{Resources: []string{"far:["}}},
		"log of a URI":    {Grant: auth.Grant{Logs: []string{"far:x"}}},
		"many logs":       {Grant: auth.Grant{Logs: many}},
		"a decision":      {Grant: auth.Grant{Manage: "yes"}},
		"ends before now": {Lifetime: -time.Second}} {
		t.Run(name, func(t *testing.T) {
			_, _, err := tokens.Create(t.Context(), n)
			wantInvalid(t, err)
		})
	}
}

// A file that others can read, or that is none of ours, is refused with the way
// out, and is not touched.
func TestTokensRefuseFiles(t *testing.T) {
	const sum = "8715b7b06b06d2d6b4d6e1aa6500243abc9d3c381db1dd78de33d23c55cb153a"
	one := func(members string) string {
		return `{"format":1,"tokens":[{"name":"a","created":"2026-01-01T00:00:00Z","sha256":"` + sum + `"` + members + `}]}`
	}
	for name, tc := range map[string]struct{ text, want string }{
		"not JSON":         {"gongu_SECRET", "broken: not JSON at byte 0"},
		"half":             {one("")[:50], "broken: not JSON at byte"},
		"newer":            {`{"format":3,"tokens":[]}`, "format 3, but this version of gongu only supports formats up to 2"},
		"old member":       {strings.Replace(one(`,"allow":["x"]`), ":1", ":2", 1), `"/tokens/0/allow" is unknown`},
		"new member":       {one(`,"tools":["x"]`), `"/tokens/0/tools" is unknown`},
		"unknown decision": {strings.Replace(one(`,"manage":"yes"`), ":1", ":2", 1), "token 1 has an invalid"},
		"no format":        {`{}`, "format 0"},
		"a list":           {`[]`, "broken"},
		"unknown member":   {one(`,"readonly":true`), `"/tokens/0/readonly" is unknown`},
		"unknown at top":   {`{"format":1,"tokens":[],"deny":[]}`, `"/deny" is unknown`},
		"other case":       {`{"format":1,"Tokens":[]}`, `"/Tokens" is unknown`},
		"member twice":     {one(`,"name":"b"`), "broken: not JSON at byte"},
		"wrong type":       {one(`,"agents":"a"`), `"/tokens/0/agents"`},
		"empty glob":       {one(`,"allow":[""]`), "token 1 has an invalid agent name, glob"},
		"broken glob":      {one(`,"allow":["["]`), "token 1 has an invalid agent name, glob"},
		"no hash":          {`{"format":1,"tokens":[{"name":"a"}]}`, "token 1 has no SHA-256"},
		"short hash":       {strings.Replace(one(""), sum, sum[2:], 1), "token 1 has no SHA-256"},
		"bad name":         {strings.Replace(one(""), `"a"`, `"anonymous"`, 1), `token 1 has the name "anonymous"`},
		"a name twice":     {strings.Replace(one(""), "[", "[{\"name\":\"a\",\"sha256\":\""+sum+"\"},", 1), `token 2 has the name "a"`},
		"larger than ours": {strings.Repeat(" ", 5<<20), "5242880 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), auth.TokensName)
			writeFile(t, path, tc.text)
			_, err := auth.OpenTokens(path, nil)
			if e, ok := errors.AsType[*auth.Error](err); !ok || !errors.Is(err, auth.ErrStorage) || !strings.Contains(e.Message("en"), tc.want) || strings.Contains(e.Error(), "SECRET") {
				t.Errorf("got %v", err)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != tc.text {
				t.Errorf("touched: %v", err)
			}
		})
	}
}

// K10: tokens of the earlier format stay valid and allow what they allowed: one
// that was limited to tools has nothing else, also after the file was written
// again.
func TestK10EarlierFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), auth.TokensName)
	sum := func(secret string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(secret))) }
	writeFile(t, path, `{"format":1,"tokens":[
		{"name":"all","created":"2026-01-01T00:00:00Z","sha256":"`+sum("gongu_all")+`"},
		{"name":"none","allow":[],"created":"2026-01-01T00:00:00Z","sha256":"`+sum("gongu_none")+`"},
		{"name":"one","agents":["a"],"allow":["x"],"created":"2026-01-01T00:00:00Z","sha256":"`+sum("gongu_one")+`"},
		{"name":"kim","manage":true,"created":"2026-01-01T00:00:00Z","sha256":"`+sum("gongu_kim")+`"}]}`)
	want := map[string]gongu.Principal{
		"all":  {},
		"none": {Allow: []gongu.Rule{}},
		"one":  {Agents: []string{"a"}, Allow: []gongu.Rule{{Name: "x"}}},
		"kim":  {Person: true, Manage: "all"},
	}
	for _, format := range []string{`"format":1`, `"format": 2`} {
		tokens, err := auth.OpenTokens(path, &auth.TokensOptions{Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), format) {
			t.Errorf("not %s: %s, %v", format, text, err)
		}
		for name, principal := range want {
			id, ok, err := tokens.Identify(t.Context(), "gongu_"+name)
			if err != nil || !ok {
				t.Fatal(name, ok, err)
			}
			principal.Name, principal.Kind = name, auth.KindToken
			if diff := cmp.Diff(principal, *id); diff != "" {
				t.Errorf("%s of %s: %s", name, format, diff)
			}
		}
	}
}

// What a writer that was killed left is no tokens, and is closed to others.
func TestTokensEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), auth.TokensName)
	writeFile(t, path, "")
	tokens, err := auth.OpenTokens(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if secret, err := tokens.EnsureDefault(t.Context()); err != nil || !known(t, tokens, secret) {
		t.Errorf("got %v", err)
	}
}

// Other processes add tokens while we look on: none is lost, and each is good
// at once.
func TestTokensOfOtherProcesses(t *testing.T) {
	tokens, mine := openTokens(t, auth.NewToken{Name: "mine"}, nil)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	secrets := []string{mine}
	for range 3 {
		group.Go(func() {
			cmd := exec.CommandContext(t.Context(), program, tokens.Path())
			cmd.Env = append(os.Environ(), childMode+"=1", "GORACE=atexit_sleep_ms=0")
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			mu.Lock()
			defer mu.Unlock()
			secrets = append(secrets, strings.Fields(string(out))...)
		})
	}
	for i := range 5 {
		secret, _, err := tokens.Create(t.Context(), auth.NewToken{Name: fmt.Sprint("here-", i)})
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		secrets = append(secrets, secret)
		mu.Unlock()
	}
	group.Wait()
	if len(secrets) != 1+5+3*childTokens {
		t.Errorf("%d tokens", len(secrets))
	}
	for _, secret := range secrets {
		if !known(t, tokens, secret) {
			t.Error("a token was lost")
		}
	}
}

// Many requests at the same time, with changes in between.
func TestTokensConcurrently(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{Name: "stays"}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var readers, writers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if _, ok, err := tokens.Identify(context.Background(), secret); !ok || err != nil {
					t.Errorf("got %t, %v", ok, err)
					return
				}
			}
		})
	}
	for i := range 3 {
		writers.Go(func() {
			name := fmt.Sprint("w", i)
			for range 5 {
				made, _, err := tokens.Create(t.Context(), auth.NewToken{Name: name})
				if err != nil {
					t.Error(err)
					return
				}
				if _, ok, err := tokens.Identify(t.Context(), made); !ok || err != nil {
					t.Errorf("a new token is not good: %v", err)
				}
				if _, err := tokens.Revoke(t.Context(), name); err != nil {
					t.Error(err)
				}
				if _, ok, err := tokens.Identify(t.Context(), made); ok || err != nil {
					t.Errorf("a revoked token is good: %v", err)
				}
			}
		})
	}
	writers.Wait()
	cancel()
	readers.Wait()
}
