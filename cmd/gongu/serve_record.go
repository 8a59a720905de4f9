package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/lang"
)

// attachLife is how long the token for attached clients is valid.
const attachLife = 30 * 24 * time.Hour

// attachName is the name of the token for clients on pipes, one for each
// server: two may serve the same bundle.
func attachName(pid int) string { return "local-attach-" + strconv.Itoa(pid) }

func (a *app) recordFile() (string, error) {
	state, err := host.StateRoot(a.stateRoot, a.cadBase())
	return attach.RecordFile(state), err
}

// announce tells people and programs that the server is there. What it returns
// takes the traces away again.
func (a *app) announce(ctx context.Context, d *daemon, f *serveFlags, address string) (forget func(), err error) {
	bundle, err := filepath.Abs(a.cadBase())
	if err != nil {
		return nil, err
	}
	r := attach.Record{PID: os.Getpid(), Bundle: bundle, URL: attach.LocalURL(address) + "/mcp", Instance: d.instance}
	var files []string
	if file, err := attach.ListenerFile(address); err == nil && r.Write(file) == nil {
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
	if err := r.Write(file); err != nil {
		return nil, fmt.Errorf("write %s: %w", file, err)
	}
	if err := a.tellHow(d, f, r.URL, address); err != nil {
		return nil, err
	}
	return func() {
		for _, file := range append(files, file) {
			r.Remove(file)
		}
		if d.tokens != nil {
			_, _ = d.tokens.Revoke(context.WithoutCancel(ctx), attachName(r.PID))
		}
	}, nil
}

// attachToken makes the token for clients on pipes. That of a server which was
// killed ends here.
func (a *app) attachToken(ctx context.Context, d *daemon, file string) (string, error) {
	if old, ok := attach.Read(file); ok && !old.Answers(ctx) {
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

// runningServer is one that serves this bundle now.
func (a *app) runningServer(ctx context.Context) (attach.Record, bool) {
	file, err := a.recordFile()
	if err != nil {
		return attach.Record{}, false
	}
	return attach.Find(ctx, file)
}
