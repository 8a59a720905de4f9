package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
)

// record is what a running server leaves for others of the same user: below
// the state root with a token, so that a client on pipes can be attached to
// it, and by its port without one, to say who holds it.
type record struct {
	PID    int    `json:"pid"`
	Bundle string `json:"bundle"`
	URL    string `json:"url"`
	// Instance is what the server calls itself at /readyz: a record that was
	// left behind may name the address of another one.
	Instance string `json:"instance"`
	Token    string `json:"token,omitempty"`
}

const (
	recordName     = "serve.json"
	instanceHeader = "Gongu-Instance"
	attachLife     = 30 * 24 * time.Hour
)

// attachName is the name of the token for clients on pipes, one for each
// server: two may serve the same bundle.
func attachName(pid int) string { return "local-attach-" + strconv.Itoa(pid) }

func (a *app) recordFile() (string, error) {
	state, err := host.StateRoot(a.stateRoot, a.cadBase())
	return filepath.Join(state, recordName), err
}

// listenerFile goes by the port alone: an address has several names.
func listenerFile(address string) (string, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "gongu", "listeners", port+".json"), err
}

// localURL is where programs on this machine reach a server.
func localURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			address = net.JoinHostPort("127.0.0.1", port)
		}
	}
	return "http://" + address
}

// announce tells people and programs that the server is there. What it returns
// takes the traces away again.
func (a *app) announce(ctx context.Context, d *daemon, f *serveFlags, address string) (forget func(), err error) {
	bundle, err := filepath.Abs(a.cadBase())
	if err != nil {
		return nil, err
	}
	r := record{PID: os.Getpid(), Bundle: bundle, URL: localURL(address) + "/mcp", Instance: d.instance}
	var files []string
	if file, err := listenerFile(address); err == nil && writeRecord(file, r) == nil {
		files = append(files, file)
	}
	file, err := a.recordFile()
	if err != nil {
		return nil, err
	}
	if d.tokens != nil {
		if r.Token, err = a.attachToken(ctx, d, file); err != nil {
			return nil, err
		}
	}
	if err := writeRecord(file, r); err != nil {
		return nil, fmt.Errorf("write %s: %w", file, err)
	}
	if err := a.tellHow(d, f, r.URL, address); err != nil {
		return nil, err
	}
	return func() {
		for _, file := range append(files, file) {
			if now, ok := readRecord(file); ok && now.Instance == r.Instance {
				_ = os.Remove(file) // the next server writes it anew
			}
		}
		if d.tokens != nil {
			_, _ = d.tokens.Revoke(context.WithoutCancel(ctx), attachName(r.PID))
		}
	}, nil
}

// attachToken makes the token for clients on pipes. That of a server which was
// killed ends here.
func (a *app) attachToken(ctx context.Context, d *daemon, file string) (string, error) {
	if old, ok := readRecord(file); ok && !answers(ctx, old) {
		_, _ = d.tokens.Revoke(ctx, attachName(old.PID)) // it may be gone already
	}
	name := attachName(os.Getpid())
	_, _ = d.tokens.Revoke(ctx, name) // of another process with this number
	secret, _, err := d.tokens.Create(ctx, auth.NewToken{Name: name, Lifetime: attachLife})
	if err != nil {
		return "", a.tokenFailed(nil, err)
	}
	return secret, nil
}

// tellHow prints how to connect, at once: the first line is for programs, too,
// and what follows is there when they read it.
func (a *app) tellHow(d *daemon, f *serveFlags, url, address string) error {
	lines := []string{lang.CLIServeAt.In(a.lang, url)}
	if f.legacySSE {
		lines = append(lines, lang.CLIServeSSE.In(a.lang, strings.TrimSuffix(url, "/mcp")+"/sse"))
	}
	if f.noAuth {
		fmt.Fprintln(a.stderr, auth.NoAuthNotice(address, string(a.lang)))
	}
	if d.secret != "" {
		lines = append(lines, lang.CLIServeToken.In(a.lang, d.secret))
	}
	lines = append(lines, lang.CLIServeConnect.In(a.lang, a.againWords("connect", "claude")))
	if d.logins != nil && a.terminal {
		// Only a person at the terminal reads it; a log would keep it.
		link, _, err := a.loginLink(d.logins, url)
		if err != nil {
			return err
		}
		lines = append(lines, lang.CLIServeBrowser.In(a.lang, link))
	}
	if len(f.allow) == 0 {
		lines = append(lines, lang.CLIServeReadOnly.In(a.lang))
	}
	_, err := fmt.Fprintln(a.stdout, strings.Join(lines, "\n"))
	return err
}

func writeRecord(file string, r record) error {
	encoded, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temp := file + ".new"
	if err := os.WriteFile(temp, encoded, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, file)
}

func readRecord(file string) (record, bool) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return record{}, false
	}
	var r record
	return r, json.Unmarshal(raw, &r) == nil && r.PID > 0 && r.URL != "" && r.Instance != ""
}

// holderOf is the server of ours at an address, if it is one.
func holderOf(ctx context.Context, address string) (record, bool) {
	file, err := listenerFile(address)
	if err != nil {
		return record{}, false
	}
	r, ok := readRecord(file)
	return r, ok && answers(ctx, r)
}

// runningServer is one that serves this bundle now.
func (a *app) runningServer(ctx context.Context) (record, bool) {
	file, err := a.recordFile()
	if err != nil {
		return record{}, false
	}
	r, ok := readRecord(file)
	return r, ok && answers(ctx, r)
}

// answers tells whether the server that left a record is still there: one of
// another bundle, or another program, may have its address by now.
func answers(ctx context.Context, r record) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(r.URL, "/mcp")+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := localClient().Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK && response.Header.Get(instanceHeader) == r.Instance
}

// byName adds the name of this server to its answers.
func byName(instance string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(instanceHeader, instance)
		next.ServeHTTP(w, r)
	})
}

// localClient never asks a proxy: the server is on this machine.
func localClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
}
