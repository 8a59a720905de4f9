package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"golang.org/x/oauth2"
)

// TokenStore stores grants. A key names the resource and the principal.
type TokenStore interface {
	Load(key string) (json.RawMessage, error)
	Save(key string, grant json.RawMessage) error
}

// FileTokens keeps grants in one file that only its owner may read. Any number
// of them, in any number of processes, may use the same file.
type FileTokens struct {
	Path string
}

var _ TokenStore = (*FileTokens)(nil)

// tokenFileVersion is refused when it is newer, so that an older program does
// not lose what a newer one wrote.
const tokenFileVersion = 1

type tokenFile struct {
	Version int                        `json:"version"`
	Grants  map[string]json.RawMessage `json:"grants"`
}

// lockTime is how long a change waits for others, which take milliseconds.
const lockTime = 10 * time.Second

// Load returns the grant of a key, or nil. It needs no lock: the file is
// replaced in one step.
func (f *FileTokens) Load(key string) (json.RawMessage, error) {
	file, err := f.read()
	if err != nil {
		return nil, err
	}
	return file.Grants[key], nil
}

// Save writes a grant, in one step. It holds the lock of the file from reading
// to writing, so that no other grant is lost.
func (f *FileTokens) Save(key string, grant json.RawMessage) (err error) {
	dir := filepath.Dir(f.Path)
	if err := fsx.PrivateDir(dir); err != nil {
		return fmt.Errorf("keep the tokens: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	lock, err := fsx.TakeLock(ctx, filepath.Join(dir, "."+filepath.Base(f.Path)+".lock"))
	if err != nil {
		return fmt.Errorf("keep the tokens: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	file, err := f.read()
	if err != nil {
		return err
	}
	file.Grants[key] = grant
	return f.write(file)
}

// write replaces the file. The caller holds the lock.
func (f *FileTokens) write(file *tokenFile) error {
	raw, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	if err := fsx.ReplacePrivate(f.Path, append(raw, '\n')); err != nil && !errors.Is(err, fsx.ErrUnconfirmed) {
		return fmt.Errorf("keep the tokens: %w", err)
	}
	return nil
}

func (f *FileTokens) read() (*tokenFile, error) {
	file := &tokenFile{Version: tokenFileVersion, Grants: map[string]json.RawMessage{}}
	info, err := os.Stat(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the tokens: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && os.PathSeparator == '/' {
		return nil, fmt.Errorf("read the tokens: others may read %s; run chmod 600 on it", f.Path)
	}
	raw, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, fmt.Errorf("read the tokens: %w", err)
	}
	if err := json.Unmarshal(raw, file); err != nil {
		return nil, fmt.Errorf("read the tokens in %s: %w", f.Path, err)
	}
	if file.Version > tokenFileVersion {
		return nil, fmt.Errorf("%s was written by a newer version of gongu", f.Path)
	}
	if file.Grants == nil {
		file.Grants = map[string]json.RawMessage{}
	}
	return file, nil
}

// savedGrant is a token with what is needed to renew it at its issuer.
type savedGrant struct {
	Issuer       string           `json:"issuer"`
	Resource     string           `json:"resource"`
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"`
	TokenURL     string           `json:"tokenUrl"`
	AuthStyle    oauth2.AuthStyle `json:"authStyle"`
	Scopes       []string         `json:"scopes,omitempty"`
	Token        *oauth2.Token    `json:"token"`
}

// load returns the stored grant and its access token. One that cannot be read is
// requested again.
func (a *Authorization) load() (source oauth2.TokenSource, access string) {
	store := a.opts.Tokens
	if store == nil {
		return nil, ""
	}
	raw, err := store.Load(a.opts.Key)
	if err != nil {
		a.opts.Logger.Warn("mcp server: earlier grants cannot be read", "error", err)
	}
	var saved savedGrant
	if err != nil || raw == nil || json.Unmarshal(raw, &saved) != nil || saved.Token == nil || saved.Resource != a.opts.URL {
		return nil, ""
	}
	config := &oauth2.Config{
		ClientID: saved.ClientID, ClientSecret: saved.ClientSecret, Scopes: saved.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: saved.TokenURL, AuthStyle: saved.AuthStyle},
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, a.client)
	return a.saving(config, saved.Issuer, config.TokenSource(ctx, saved.Token), saved.Token), saved.Token.AccessToken
}

// saveGrant is called by the handler with each new grant.
func (a *Authorization) saveGrant(ctx context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
	issuer := ""
	if u, err := url.Parse(config.Endpoint.TokenURL); err == nil {
		issuer = u.Scheme + "://" + u.Host
	}
	source := a.saving(config, issuer, config.TokenSource(ctx, token), nil)
	_, err := source.Token() // saves it
	return source, err
}

func (a *Authorization) saving(config *oauth2.Config, issuer string, source oauth2.TokenSource, saved *oauth2.Token) *savingSource {
	s := &savingSource{source: source, save: func(token *oauth2.Token) {
		a.remember(config, token)
		if a.opts.Tokens == nil {
			return
		}
		raw, err := json.Marshal(savedGrant{
			Issuer: issuer, Resource: a.opts.URL, ClientID: config.ClientID, ClientSecret: config.ClientSecret,
			TokenURL: config.Endpoint.TokenURL, AuthStyle: config.Endpoint.AuthStyle, Scopes: config.Scopes, Token: token,
		})
		if err == nil {
			err = a.opts.Tokens.Save(a.opts.Key, raw)
		}
		if err != nil {
			a.opts.Logger.Warn("mcp server: the grant cannot be kept", "error", err)
		}
	}}
	if saved != nil {
		a.remember(config, saved)
		s.last = saved.AccessToken
	}
	return s
}

func (a *Authorization) remember(config *oauth2.Config, token *oauth2.Token) {
	a.opts.Secrets.Remember("OAuth client secret", config.ClientSecret)
	a.opts.Secrets.Remember("OAuth access token", token.AccessToken)
	a.opts.Secrets.Remember("OAuth refresh token", token.RefreshToken)
}

// savingSource saves each token it has not seen.
type savingSource struct {
	source oauth2.TokenSource
	save   func(*oauth2.Token)

	mu   sync.Mutex
	last string
}

func (s *savingSource) Token() (*oauth2.Token, error) {
	token, err := s.source.Token()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if token.AccessToken != s.last {
		s.last = token.AccessToken
		s.save(token)
	}
	return token, nil
}
