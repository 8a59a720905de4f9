package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/gate"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// record is what a running server leaves for others of the same user: below
// the state root with a token, so that a client on pipes can be attached to
// it, and by address without one, to say who holds a port.
type record struct {
	PID    int    `json:"pid"`
	Bundle string `json:"bundle"`
	URL    string `json:"url"`
	Token  string `json:"token,omitempty"`
}

const (
	recordName = "serve.json"
	// attachToken is the name of the token for clients on pipes.
	attachToken = "local-attach"
	attachLife  = 30 * 24 * time.Hour
)

func (a *app) recordFile() (string, error) {
	state, err := host.StateRoot(a.stateRoot, a.cadBase())
	return filepath.Join(state, recordName), err
}

func listenerFile(address string) (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "gongu", "listeners", fsx.SafeKey(address)+".json"), err
}

// announce tells people and programs that the server is there. What it returns
// takes the traces away again.
func (a *app) announce(ctx context.Context, d *daemon, f *serveFlags, address string) (forget func(), err error) {
	bundle, err := filepath.Abs(a.cadBase())
	if err != nil {
		return nil, err
	}
	r := record{PID: os.Getpid(), Bundle: bundle, URL: "http://" + address + "/mcp"}
	var files []string
	if file, err := listenerFile(address); err == nil && writeRecord(file, r) == nil {
		files = append(files, file)
	}
	if d.tokens != nil {
		_, _ = d.tokens.Revoke(ctx, attachToken) // one that was left behind
		if r.Token, _, err = d.tokens.Create(ctx, gate.NewToken{Name: attachToken, Lifetime: attachLife}); err != nil {
			return nil, a.tokenFailed(nil, err)
		}
	}
	file, err := a.recordFile()
	if err != nil {
		return nil, err
	}
	if err := writeRecord(file, r); err != nil {
		return nil, fmt.Errorf("write %s: %w", file, err)
	}
	a.tellHow(d, f, r.URL, address)
	return func() {
		for _, file := range append(files, file) {
			if now, ok := readRecord(file); ok && now.PID == r.PID {
				_ = os.Remove(file) // the next server writes it anew
			}
		}
		if d.tokens != nil {
			_, _ = d.tokens.Revoke(context.WithoutCancel(ctx), attachToken)
		}
	}, nil
}

// tellHow prints how to connect. The first line is for programs, too.
func (a *app) tellHow(d *daemon, f *serveFlags, url, address string) {
	fmt.Fprintln(a.stdout, lang.CLIServeAt.In(a.lang, url))
	if f.noAuth {
		fmt.Fprintln(a.stderr, gate.NoAuthNotice(address, string(a.lang)))
	}
	if d.secret != "" {
		fmt.Fprintln(a.stdout, lang.CLIServeToken.In(a.lang, d.secret))
	}
	words := []string{"connect", "claude"}
	if a.bundle != "" {
		words = append(words, "-b", a.bundle)
	}
	fmt.Fprintln(a.stdout, lang.CLIServeConnect.In(a.lang, command(words...)))
	if len(f.allow) == 0 {
		fmt.Fprintln(a.stdout, lang.CLIServeReadOnly.In(a.lang))
	}
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
	return r, json.Unmarshal(raw, &r) == nil && r.PID > 0 && r.URL != ""
}

func readListener(address string) (record, bool) {
	file, err := listenerFile(address)
	if err != nil {
		return record{}, false
	}
	return readRecord(file)
}

// runningServer is one that serves this bundle now.
func (a *app) runningServer(ctx context.Context) (record, bool) {
	file, err := a.recordFile()
	if err != nil {
		return record{}, false
	}
	r, ok := readRecord(file)
	if !ok {
		return record{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(r.URL, "/mcp")+"/readyz", nil)
	if err != nil {
		return record{}, false
	}
	response, err := localClient().Do(request)
	if err != nil {
		return record{}, false
	}
	defer response.Body.Close()
	return r, response.StatusCode == http.StatusOK
}

// localClient never asks a proxy: the server is on this machine.
func localClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
}
