package policy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/netguard"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/state"
)

// Notify is how people hear of a question: a program that is started, an address
// that gets a request, or both.
type Notify struct {
	Command []string
	Webhook string
}

// Notice is what a notification says. It has no arguments of the call: it goes
// to places that do not authenticate the reader.
type Notice struct {
	Approval string `json:"approval"`
	Tool     string `json:"tool"`
	Agent    string `json:"agent,omitempty"`
	// Link is the page of the approval, behind the login; empty if there is none.
	Link string `json:"link,omitempty"`
}

// NotifierOptions configure a [Notifier]. Targets and Store are required.
type NotifierOptions struct {
	// Targets returns who is notified now; a policy file may change.
	Targets func() []Notify
	// Store gets the presence of a person who was notified.
	Store ApprovalStore
	// URL returns the page of an approval; nil or "" is none.
	URL func(id string) string
	// AllowPrivate lists private addresses that webhooks may be at, as in
	// package netguard.
	AllowPrivate []string
	// PerMinute is how many approvals are notified in a minute (default 20).
	PerMinute int
	// Timeout ends a program or a request (default 10 seconds), and Retry is
	// the time before the second request (default 1 second).
	Timeout, Retry time.Duration
	Logger         *slog.Logger
}

// Notifier tells people that an approval waits for them. It never delays a call.
type Notifier struct {
	opts   NotifierOptions
	client *http.Client

	lifetime context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup
	running  chan struct{} // a place for each notification that is being sent

	mu     sync.Mutex
	closed bool
	seen   map[string]bool // the approvals that were notified
	sent   []time.Time     // in the last minute
}

const (
	defaultNotices = 20
	maxNotices     = 8    // at once
	maxNoticesSeen = 4096 // more than can wait in a store, for a day
)

// NewNotifier returns a notifier. End it with [Notifier.Close].
func NewNotifier(o NotifierOptions) (*Notifier, error) {
	if o.Targets == nil || o.Store == nil {
		return nil, errors.New("policy: a notifier needs targets and a store")
	}
	transport, err := netguard.NewTransport(o.AllowPrivate)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	o.PerMinute = cmp.Or(max(o.PerMinute, 0), defaultNotices)
	o.Timeout = cmp.Or(max(o.Timeout, 0), 10*time.Second)
	o.Retry = cmp.Or(max(o.Retry, 0), time.Second)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	n := &Notifier{
		opts: o, client: &http.Client{Transport: transport, CheckRedirect: netguard.RefuseOtherOrigin},
		running: make(chan struct{}, maxNotices), seen: map[string]bool{},
	}
	n.lifetime, n.cancel = context.WithCancel(context.Background())
	return n, nil
}

// Close ends what is being sent.
func (n *Notifier) Close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.cancel()
	n.work.Wait()
	n.client.CloseIdleConnections()
}

// Opened sends the notifications of an approval that waits, once, in the
// background. It fits [GuardOptions].Opened.
func (n *Notifier) Opened(_ context.Context, a *state.Approval) {
	targets := n.opts.Targets()
	if len(targets) == 0 || !n.admit(a.ID) {
		return
	}
	notice := Notice{Approval: a.ID, Tool: a.Tool, Agent: a.Agent}
	if n.opts.URL != nil {
		notice.Link = n.opts.URL(a.ID)
	}
	body, err := json.Marshal(notice)
	if err != nil {
		n.opts.Logger.Error("a notification was not sent", "approval", a.ID, "error", err)
		return
	}
	body = append(body, '\n')
	for _, t := range targets {
		if len(t.Command) > 0 {
			n.send(a.ID, "command", func(ctx context.Context) error { return n.run(ctx, t.Command, body) })
		}
		if t.Webhook != "" {
			n.send(a.ID, "webhook", func(ctx context.Context) error { return n.post(ctx, t.Webhook, body) })
		}
	}
}

// admit reports whether an approval is notified: once, and not too many a minute.
func (n *Notifier) admit(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || n.seen[id] {
		return false
	}
	now := time.Now()
	for len(n.sent) > 0 && now.Sub(n.sent[0]) >= time.Minute {
		n.sent = n.sent[1:]
	}
	if len(n.sent) >= n.opts.PerMinute {
		n.opts.Logger.Warn("an approval waits and no notification was sent, because too many were sent in the last minute", "approval", id, "most", n.opts.PerMinute)
		return false
	}
	if len(n.seen) >= maxNoticesSeen {
		clear(n.seen)
	}
	n.seen[id] = true
	n.sent = append(n.sent, now)
	return true
}

// send runs one notification in the background. One that worked means that a
// person can see the question.
func (n *Notifier) send(id, kind string, do func(context.Context) error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.work.Go(func() {
		select {
		case n.running <- struct{}{}:
			defer func() { <-n.running }()
		case <-n.lifetime.Done():
			return
		}
		err := do(n.lifetime)
		if err == nil {
			err = n.opts.Store.SeePerson(n.lifetime, SeenNotifier, kind)
		}
		if err != nil && n.lifetime.Err() == nil {
			n.opts.Logger.Warn("a notification about an approval failed", "kind", kind, "approval", id, "error", err)
		}
	})
}

// SeenNotifier is the kind of presence of a person who was notified.
const SeenNotifier = "notifier"

// desktop are the variables that programs need to show something on a desktop.
func desktop() []string {
	return []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}
}

// maxNoticeOutput is how much of a failed program's output is logged.
const maxNoticeOutput = 500

// run starts a program with the notice on its standard input.
func (n *Notifier) run(ctx context.Context, argv []string, body []byte) error {
	dir, err := os.UserHomeDir()
	if err != nil {
		dir = os.TempDir()
	}
	var output beginning
	exit, err := proc.Run(ctx, proc.Command{
		Argv: argv, Dir: dir, Env: proc.Environ(desktop()), Stdin: body, Stderr: &output, Timeout: n.opts.Timeout,
	})
	switch {
	case err != nil:
		return err
	case exit.TimedOut:
		return fmt.Errorf("%s did not end within %s", argv[0], n.opts.Timeout)
	case exit.Code != 0:
		return fmt.Errorf("%s ended with %d%s: %q", argv[0], exit.Code, exit.Signal, output.text)
	}
	return nil
}

// beginning keeps the beginning of what a program writes.
type beginning struct{ text []byte }

func (t *beginning) Write(p []byte) (int, error) {
	t.text = append(t.text, p[:min(len(p), maxNoticeOutput-len(t.text))]...)
	return len(p), nil
}

// post sends the notice to an address, a second time if the first one failed.
func (n *Notifier) post(ctx context.Context, address string, body []byte) error {
	again, err := n.postOnce(ctx, address, body)
	if err == nil || !again {
		return err
	}
	select {
	case <-time.After(n.opts.Retry):
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err = n.postOnce(ctx, address, body)
	return err
}

// postOnce sends one request. Its errors do not have the address, which may have
// a secret.
func (n *Notifier) postOnce(ctx context.Context, address string, body []byte) (again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, n.opts.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("the address of the webhook is not valid")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", netguard.UserAgent)
	response, err := n.client.Do(r)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		_, refused := errors.AsType[*netguard.Refused](err)
		return !refused, fmt.Errorf("the webhook at %s: %w", r.URL.Host, err)
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // the status says all
	if code := response.StatusCode; code < 200 || code > 299 {
		return code >= 500 || code == http.StatusTooManyRequests, fmt.Errorf("the webhook at %s answered %d", r.URL.Host, code)
	}
	return false, nil
}
