package main

import (
	"encoding/base64"
	"fmt"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/state"
)

// storeKeyVariable names the key file when there is no flag.
const storeKeyVariable = "GONGU_STORE_KEY"

// storeKey returns the key of --store-key or GONGU_STORE_KEY, nil without one. The
// first use makes the file. The key is for a database server: a SQLite file can be
// read only by its owner, and other commands open it without the key.
func (a *app) storeKey(at storeAt) ([]byte, error) {
	path := a.keyFile
	if at.file != "" {
		if path != "" && !a.ownStore {
			return nil, &usageError{message: lang.CLIStoreKeyFile.In(a.lang, visible(at.shown)), hints: []string{lang.CLIStoreKeyFileHint.In(a.lang)}}
		}
		return nil, nil
	}
	if path == "" {
		path = a.getenv(storeKeyVariable)
	}
	if path == "" {
		return nil, nil
	}
	key, err := secret.KeyFile(path, state.KeySize)
	if err != nil {
		return nil, &usageError{message: lang.CLIStoreKey.In(a.lang, visible(path), err), hints: []string{lang.CLIStoreKeyHint.In(a.lang)}}
	}
	a.secrets.Remember(storeKeyVariable, base64.StdEncoding.EncodeToString(key))
	return key, nil
}

// warnUnsealed says that everybody who can read the database can read the bytes of
// waiting calls.
func (a *app) warnUnsealed(store *state.Store) {
	if store != nil && store.Engine() != "sqlite" && !store.Sealed() {
		fmt.Fprintln(a.stderr, lang.CLIStoreUnsealed.In(a.lang))
	}
}
