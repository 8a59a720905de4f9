package script_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/script"
)

const seedRoot = "../examples/seed"

func seedModule(t *testing.T, e *script.Engine, name string) *script.Module {
	t.Helper()
	m, err := e.Load(t.Context(), seedRoot, "./tools/"+name+"/index.ts")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSeedIsUnmodified: the two modules that seed 001 prints (§7.2, §14.1) are
// its text, byte for byte.
func TestSeedIsUnmodified(t *testing.T) {
	for name, want := range map[string]string{
		"bash":        "0f5d1d956eb254b2750c462bfd94d8b7f5d716e1ed73a127c539837d9a12fa03",
		"file-system": "6a43db2660f2bf5964b90f8d357cbb690102cf58b2d4298a797dd9abb2ea3164",
	} {
		raw, err := os.ReadFile(filepath.Join(seedRoot, "tools", name, "index.ts"))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(raw)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s has the sum %s, the seed's text %s", name, got, want)
		}
	}
}

// TestSeedBash: seed 001 §7.2.
func TestSeedBash(t *testing.T) {
	if !proc.Groups {
		t.Skip("no shell") //rules:skip Windows has no process groups
	}
	work := tree(t, map[string]string{"hello.sh": "echo from $1script; exit 4"})
	m := seedModule(t, newEngine(t, script.Options{Workdir: work}), "bash")
	wantText(t, strings.Join(m.Handlers(), " "), "exec script")
	wantText(t, output(t, m, "exec", `{"command":"echo hi"}`), `{"stdout":"hi\n","exitCode":0}`)
	wantText(t, output(t, m, "exec", `{"command":"echo 안녕; exit 3"}`), `{"stdout":"안녕\n","exitCode":3}`)
	wantText(t, output(t, m, "script", `{"path":"hello.sh"}`), `{"stdout":"from script\n","exitCode":4}`)

	var out struct{ Stdout string }
	if err := json.Unmarshal([]byte(output(t, m, "exec", `{"command":"pwd -P"}`)), &out); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(work)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, out.Stdout, real+"\n")
}

// TestSeedFileSystem: seed 001 §14.1.
func TestSeedFileSystem(t *testing.T) {
	work := tree(t, map[string]string{"a.txt": "안녕하세요"})
	m := seedModule(t, newEngine(t, script.Options{Workdir: work}), "file-system")
	at := func(name string) string { return filepath.ToSlash(filepath.Join(work, name)) }
	wantText(t, output(t, m, "read", `{"path":"a.txt"}`), fmt.Sprintf(`{"path":%q,"size":15,"truncated":false,"content":"안녕하세요"}`, at("a.txt")))
	wantText(t, output(t, m, "read", `{"path":"a.txt","maxBytes":2}`), fmt.Sprintf(`{"path":%q,"size":15,"truncated":true,"content":"안녕"}`, at("a.txt")))
	wantText(t, output(t, m, "write", `{"path":"new/deep/b.txt","content":"xyz"}`), fmt.Sprintf(`{"path":%q,"size":3,"written":true}`, at("new/deep/b.txt")))
	if raw, err := os.ReadFile(filepath.Join(work, "new", "deep", "b.txt")); string(raw) != "xyz" || err != nil {
		t.Errorf("%q, %v", raw, err)
	}
	missing := failure(t, m, "read", `{"path":"none"}`)
	wantText(t, missing.Message, "파일이 존재하지 않습니다: "+at("none"))
	outside := failure(t, m, "read", `{"path":"/etc/hostname"}`)
	wantPart(t, outside.Message, "outside of the working directory", "--root")
	wantText(t, outside.Code, "EACCES")
}

// TestB7_SeedHTTPFetch: seed 001 §14.2, with our module.
func TestB7_SeedHTTPFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.Header.Get("X-Ask")+" "+r.Header.Get("Content-Type"))
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(append([]byte("got "), body...))
	}))
	defer server.Close()
	e := newEngine(t, script.Options{AllowPrivate: []string{"127.0.0.1"}})
	m := seedModule(t, e, "http-fetch")
	got := output(t, m, "get", fmt.Sprintf(`{"url":%q,"headers":{"x-ask":"1"}}`, server.URL))
	wantPart(t, got, `"status":418`, `"statusText":"I'm a teapot"`, `"body":"got "`, `"x-seen":"GET 1"`)
	got = output(t, m, "post", fmt.Sprintf(`{"url":%q,"body":{"a":"한"}}`, server.URL))
	wantPart(t, got, `"body":"got {\"a\":\"한\"}"`, `"x-seen":"POST  application/json"`)

	guarded := seedModule(t, newEngine(t, script.Options{}), "http-fetch")
	refused := failure(t, guarded, "get", fmt.Sprintf(`{"url":%q}`, server.URL))
	wantPart(t, refused.Message, "127.0.0.1", "not a public address", "--allow-private")
}

// TestSeedThroughTheExecutor: a module is a tool like any other.
func TestSeedThroughTheExecutor(t *testing.T) {
	if !proc.Groups {
		t.Skip("no shell") //rules:skip Windows has no process groups
	}
	m := seedModule(t, newEngine(t, script.Options{}), "bash")
	invoke, err := m.Invoke("exec")
	if err != nil {
		t.Fatal(err)
	}
	r := gongu.NewRegistry(nil)
	if err := r.Add(gongu.Tool{Name: "bash__exec", Invoke: invoke, Source: gongu.Source{Type: "config", Name: "bash"}}); err != nil {
		t.Fatal(err)
	}
	x := gongu.NewExecutor(r, nil).WithCatalog(gongu.Everything(r))
	result := x.Call(t.Context(), gongu.Call{Name: "bash__exec", Args: json.RawMessage(`{"command":"echo hi"}`)})
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	wantPart(t, string(raw), `"status":"ok","output":{"stdout":"hi\n","exitCode":0}`)
}
