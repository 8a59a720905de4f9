package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rows"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/state"
)

const (
	// storeName is the file of the records in the state root.
	storeName = "state.db"
	// storeVariable names the store when there is no flag.
	storeVariable = "GONGU_STORE"
	// starterSpace is the space of the starter tools, which are in no folder.
	starterSpace = "starter"
)

// storeAt is where the records of the bundle at hand are.
type storeAt struct {
	// url is for [state.Open]. It may contain a password: print shown.
	url, shown string
	// file is the SQLite file; empty for a server. Own means that it is the one
	// in the state root.
	file string
	own  bool
}

// locateStore returns the store of --store, of GONGU_STORE, or the file in the
// state root.
func (a *app) locateStore() (storeAt, error) {
	given, from := a.store, "--store"
	if given == "" {
		given, from = a.getenv(storeVariable), storeVariable
	}
	if given == "" || a.ownStore {
		root, err := a.statePath()
		if err != nil {
			return storeAt{}, err
		}
		file := filepath.Join(root, storeName)
		return storeAt{url: "sqlite:" + file, shown: file, file: file, own: true}, nil
	}
	if scheme, _, found := strings.Cut(given, "://"); found {
		return a.storeServer(given, scheme, from)
	}
	file, err := filepath.Abs(strings.TrimPrefix(given, "sqlite:"))
	if err != nil {
		return storeAt{}, err
	}
	// A folder could bring records along: tokens, consents, accepted tools.
	if folder, along := statedir.BroughtBy(a.bundleFolder(), file); along {
		return storeAt{}, &usageError{
			message: lang.CLIStoreInBundle.In(a.lang, visible(file), visible(folder)),
			hints:   []string{lang.CLIStoreInBundleHint.In(a.lang)},
		}
	}
	return storeAt{url: "sqlite:" + file, shown: file, file: file}, nil
}

// storeServer checks the address of a PostgreSQL server and remembers its
// password, so that no message contains it.
func (a *app) storeServer(given, scheme, from string) (storeAt, error) {
	a.secrets.RememberEnvironment("PGPASSWORD")
	parsed, err := url.Parse(given)
	if err != nil || scheme != "postgres" && scheme != "postgresql" {
		// The value is not printed: what cannot be parsed may hold a password.
		return storeAt{}, &usageError{message: lang.CLIStoreURL.In(a.lang, from), hints: []string{lang.CLIStoreURLHint.In(a.lang)}}
	}
	if password, set := parsed.User.Password(); set {
		a.secrets.Remember(storeVariable, password)
		a.secrets.Remember(storeVariable, url.QueryEscape(password))
	}
	query := parsed.Query()
	if query.Has("password") {
		a.secrets.Remember(storeVariable, query.Get("password"))
		query.Set("password", "xxxxx")
	}
	shown := *parsed
	shown.RawQuery = query.Encode()
	return storeAt{url: given, shown: shown.Redacted()}, nil
}

// ignoreStore uses the store in the state root and nothing else: a repository's
// settings of the client could name the store of another user, who could
// read every call and bring tokens and consents along.
func (a *app) ignoreStore() {
	if a.store != "" || a.getenv(storeVariable) != "" {
		fmt.Fprintln(a.stderr, lang.CLIStoreIgnored.In(a.lang))
	}
	a.ownStore = true
}

// openStore opens the records of the bundle at hand, once for a run of the
// program, which closes them at its end.
func (a *app) openStore(ctx context.Context) (*state.Store, error) {
	if a.records != nil {
		return a.records, nil
	}
	at, err := a.locateStore()
	if err != nil {
		return nil, err
	}
	if at.own {
		if err := statedir.Use(filepath.Dir(at.file), a.bundleFolder()); err != nil {
			return nil, err
		}
	}
	key, err := a.storeKey(at)
	if err != nil {
		return nil, err
	}
	if a.records, err = state.Open(ctx, at.url, &state.Options{Space: a.space(), Key: key, Logger: a.secrets.Logger(a.logger())}); err != nil {
		a.records = nil
		return nil, a.storeFailed(at, err)
	}
	return a.records, nil
}

// storeFor is openStore for commands that open a bundle. Those that record nothing
// need a server, which has the pins and requests of the bundle, but not a file.
func (a *app) storeFor(ctx context.Context, records bool) (*state.Store, error) {
	if !records {
		if at, err := a.locateStore(); err != nil || at.file != "" {
			return nil, err
		}
	}
	return a.openStore(ctx)
}

// sharedRows returns the tokens, consents, tool requests and accepted definitions
// of all hosts in the server of --store or GONGU_STORE, or nil when they are files.
func (a *app) sharedRows() (rows.Store, error) {
	store, err := a.storeFor(context.Background(), false)
	if err != nil || store == nil {
		return nil, err
	}
	shared := store.Shared()
	if shared == nil {
		return nil, nil
	}
	shared.By, shared.ByKind = a.userName(), terminalKind
	return shared, nil
}

// space returns the name of the bundle at hand: that of its folder, so that hosts
// that have it at different places share its records.
func (a *app) space() string {
	if a.findBundle() == "" {
		return starterSpace
	}
	return filepath.Base(absolutePath(a.bundleFolder()))
}

// storeFailed says why the records cannot be opened, and what to do.
func (a *app) storeFailed(at storeAt, err error) error {
	failed := &usageError{message: lang.CLIStoreFailed.In(a.lang, visible(at.shown), a.secrets.Error(err)), hints: []string{lang.CLIStoreHint.In(a.lang)}}
	if e, ok := errors.AsType[*lang.Error](err); ok {
		failed.message, failed.hints = visible(a.secrets.Redact(e.Message(string(a.lang)))), []string{visible(e.Hint(string(a.lang)))}
	} else if at.file == "" {
		failed.hints = []string{lang.CLIStoreServerHint.In(a.lang)}
	}
	return failed
}

// caller is the user of the command line, as records name who called a tool or
// decided. It is a person only at a terminal: scripts have none.
func (a *app) caller() *gongu.Principal {
	return &gongu.Principal{Name: a.userName(), Kind: "cli", Person: atTerminal()}
}

// recordCalls records the calls of a bundle that is opened with these options.
func (a *app) recordCalls(o *host.Options) {
	a.recorder = audit.New(o.Store, &audit.Options{Secrets: a.secrets, Lang: string(a.lang), Logger: a.logger()})
	o.Recorder = a.recorder
}

// closeStore closes the records, if a command has opened them.
func (a *app) closeStore() {
	if a.records == nil {
		return
	}
	var err error
	if a.recorder != nil {
		err = a.recorder.Close()
	}
	if err = errors.Join(err, a.records.Close()); err != nil {
		a.logger().Warn("closing the records", "error", err)
	}
}

// localRecords reports how the store is, and how many approvals wait in it. A file that is not there yet is not made.
func (a *app) localRecords(ctx context.Context) (records *httpapi.RecordStatus, approvals int, err error) {
	at, err := a.locateStore()
	if err != nil {
		return nil, 0, err
	}
	if _, err := os.Stat(at.file); at.file != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	store, err := a.openStore(ctx)
	if err == nil {
		approvals, err = store.CountApprovals(ctx)
	}
	if err != nil {
		return &httpapi.RecordStatus{Place: at.shown, Error: err.Error()}, 0, nil
	}
	return httpapi.StatusOfRecords(ctx, store, nil), approvals, nil
}
