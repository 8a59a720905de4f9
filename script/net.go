package script

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/jsurl"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/netguard"
)

// newClient returns the HTTP client of scripts. It refuses private addresses,
// as the built-in tools do.
func newClient(opts *Options) (*http.Client, error) {
	if opts.Transport != nil {
		return &http.Client{Transport: opts.Transport}, nil
	}
	transport, err := netguard.NewTransport(opts.AllowPrivate)
	if err != nil {
		return nil, fmt.Errorf("AllowPrivate: %w", err)
	}
	return &http.Client{Transport: transport}, nil
}

type fetchArgs struct {
	URL      string      `json:"url"`
	Method   string      `json:"method"`
	Headers  [][2]string `json:"headers"`
	Redirect string      `json:"redirect"`
	Body     []byte      `json:"body"`
}

type fetchHead struct {
	URL        string          `json:"url"`
	Redirected bool            `json:"redirected"`
	Status     int             `json:"status"`
	StatusText string          `json:"statusText"`
	Headers    [][2]string     `json:"headers"`
	Base64     bool            `json:"base64,omitempty"`
	TooLarge   json.RawMessage `json:"tooLarge,omitempty"`
}

// fetch sends a request and reads the whole response. It returns a line of JSON
// and the body.
func fetch(ctx context.Context, c *call, args fetchArgs) (string, error) {
	e := c.module.engine
	if e.clientErr != nil {
		return "", e.clientErr
	}
	req, err := args.build(ctx, e.lang)
	if err != nil {
		return "", err
	}
	client := *e.client
	client.CheckRedirect = args.redirects(e.lang)
	resp, err := client.Do(req)
	if err != nil {
		return "", explainFetch(ctx, e.lang, args.URL, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(e.opts.MaxRead)+1))
	if err != nil {
		return "", explainFetch(ctx, e.lang, args.URL, err)
	}
	head := fetchHead{URL: args.URL, Status: resp.StatusCode, StatusText: netguard.StatusText(resp)}
	if resp.Request != nil && resp.Request.URL != nil {
		head.URL = resp.Request.URL.String()
		head.Redirected = resp.Request.Response != nil
	}
	for name, values := range resp.Header {
		head.Headers = append(head.Headers, [2]string{name, strings.ToValidUTF8(strings.Join(values, ", "), string(utf8.RuneError))})
	}
	content := string(body)
	switch {
	case len(body) > e.opts.MaxRead:
		content = ""
		head.TooLarge = json.RawMessage(hostFault("RangeError", "ERR_BODY_TOO_LARGE", lang.ScriptMuchOutput.In(e.lang, args.URL, e.opts.MaxRead)))
	case !utf8.Valid(body):
		head.Base64, content = true, base64.StdEncoding.EncodeToString(body)
	}
	raw, err := json.Marshal(head)
	return string(raw) + "\n" + content, err
}

func (a *fetchArgs) build(ctx context.Context, l lang.Lang) (*http.Request, error) {
	target, err := url.Parse(a.URL)
	if err != nil || target.Hostname() == "" && (target.Scheme == "http" || target.Scheme == "https") {
		return nil, &jsurl.Error{Input: a.URL}
	}
	if target.Scheme != "http" && target.Scheme != "https" {
		return nil, &hostError{"TypeError", "", lang.URLProtocol.In(l, target.Scheme+":")}
	}
	var body io.Reader
	if a.Body != nil {
		body = bytes.NewReader(a.Body)
	}
	req, err := http.NewRequestWithContext(ctx, a.Method, a.URL, body)
	if err != nil {
		return nil, &hostError{"TypeError", "", err.Error()}
	}
	req.Header.Set("User-Agent", netguard.UserAgent)
	for _, header := range a.Headers {
		netguard.SetHeader(req, header[0], header[1])
	}
	return req, nil
}

// redirects checks each redirect before it is followed. The guard checks the
// address when it connects.
func (a *fetchArgs) redirects(l lang.Lang) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		switch {
		case a.Redirect == "manual":
			return http.ErrUseLastResponse
		case a.Redirect == "error":
			return &hostError{"TypeError", "", "unexpected redirect to " + req.URL.Redacted()}
		case len(via) > netguard.MaxRedirects: // the first of them was no redirect
			return &hostError{"TypeError", "", lang.ScriptRedirects.In(l, netguard.MaxRedirects)}
		case req.URL.Scheme != "http" && req.URL.Scheme != "https":
			return &hostError{"TypeError", "", lang.URLProtocol.In(l, req.URL.Scheme+":")}
		}
		netguard.StripSecrets(req, via)
		return nil
	}
}

// explainFetch converts an error of the client to the error that fetch throws.
func explainFetch(ctx context.Context, l lang.Lang, target string, err error) error {
	if known, ok := errors.AsType[*hostError](err); ok {
		return known
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused, ok := errors.AsType[*netguard.Refused](err); ok {
		return &hostError{"TypeError", "", lang.HTTPRefused.In(l, refused.Host, refused.Addr)}
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	return &hostError{"TypeError", "", lang.HTTPFailed.In(l, target, err.Error())}
}
