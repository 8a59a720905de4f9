package builtin

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/netguard"
)

// fetcher sends requests for both tools.
type fetcher struct {
	client http.Client
	err    error // why nothing can be sent
}

func newFetcher(opts *Options) *fetcher {
	f := &fetcher{client: http.Client{Transport: opts.Transport, CheckRedirect: checkRedirect}}
	if opts.Transport != nil {
		return f
	}
	guarded, err := netguard.NewTransport(opts.AllowPrivate)
	if err != nil {
		f.err = opts.Validate()
	}
	f.client.Transport = guarded
	return f
}

func (f *fetcher) fetch(ctx context.Context, r request) (fetchOutput, error) {
	if f.err != nil {
		return fetchOutput{}, f.err
	}
	limit := clamp(or(r.args.MaxBytes, defaultBody))
	timeout := or(r.args.TimeoutMs, defaultFetchMs)
	bounded, cancel := context.WithTimeout(ctx, milliseconds(timeout))
	defer cancel()
	req, err := r.build(bounded)
	if err != nil {
		return fetchOutput{}, err
	}
	began := time.Now()
	out, err := f.send(req, limit)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return fetchOutput{}, ctx.Err()
		case bounded.Err() != nil:
			return fetchOutput{}, &problem{
				in:   lang.HTTPTimeout.With(r.args.URL, int64(timeout)).In,
				code: gongu.CodeTimeout,
			}
		}
		return fetchOutput{}, explainFetch(r.args.URL, err)
	}
	out.URL, out.Method = r.args.URL, r.method
	out.DurationMs = time.Since(began).Milliseconds()
	return out, nil
}

func (r request) build(ctx context.Context) (*http.Request, error) {
	target, err := parseURL(r.args.URL)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target.String(), r.body)
	if err != nil {
		return nil, wrong(lang.URLInvalid, r.args.URL)
	}
	req.Header.Set("User-Agent", netguard.UserAgent)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	for name, value := range r.args.Headers {
		netguard.SetHeader(req, name, string(value))
	}
	return req, nil
}

// parseURL accepts absolute http and https URLs only.
func parseURL(raw string) (*url.URL, error) {
	target, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || target.Scheme == "" {
		return nil, wrong(lang.URLInvalid, raw)
	}
	if target.Scheme != "http" && target.Scheme != "https" {
		return nil, wrong(lang.URLProtocol, target.Scheme+":")
	}
	if target.Hostname() == "" {
		return nil, wrong(lang.URLInvalid, raw)
	}
	return target, nil
}

// send reads no more of the body than it keeps, and one byte to know whether
// there is more. The limit counts what was unpacked.
func (f *fetcher) send(req *http.Request, limit int) (fetchOutput, error) {
	resp, err := f.client.Do(req)
	if err != nil {
		return fetchOutput{}, err
	}
	defer func() { _ = resp.Body.Close() }() // what was read counts
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	if err != nil {
		return fetchOutput{}, err
	}
	more := len(body) > limit
	if more {
		body = wholeRunes(body[:limit])
	}
	return fetchOutput{
		Status:     resp.StatusCode,
		StatusText: netguard.StatusText(resp),
		Headers:    joined(resp.Header),
		Body:       clean(body),
		Truncated:  more,
	}, nil
}

// joined is the headers with lower-case names, each once.
func joined(headers http.Header) map[string]string {
	out := make(map[string]string, len(headers))
	for name, values := range headers {
		out[strings.ToLower(name)] = clean([]byte(strings.Join(values, ", ")))
	}
	return out
}

// checkRedirect looks at each hop before it is taken; the address is looked at
// when it is dialled.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > netguard.MaxRedirects { // the first of them was no redirect
		return wrong(lang.HTTPRedirects, netguard.MaxRedirects)
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return wrong(lang.URLProtocol, req.URL.Scheme+":")
	}
	netguard.StripSecrets(req, via)
	return nil
}

// explainFetch words an error of the client. Its own words repeat the method
// and the URL, and name the last hop instead of what was asked for.
func explainFetch(target string, err error) error {
	if known, ok := errors.AsType[*problem](err); ok {
		return known
	}
	if refused, ok := errors.AsType[*netguard.Refused](err); ok {
		return wrong(lang.HTTPRefused, refused.Host, refused.Addr)
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	return wrong(lang.HTTPFailed, target, err.Error())
}
