package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
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
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(path); err == nil {
			key, err = readKey(path) // another process may have been faster
		}
	}
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

var errNoKey = fmt.Errorf("it is not a key: %d bytes in base64", state.KeySize)

func readKey(path string) ([]byte, error) {
	file, err := fsx.OpenPrivate(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 1024))
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != state.KeySize {
		return nil, errNoKey
	}
	return key, nil
}

// makeKey writes a new key, whole or not at all, unless there is one.
func makeKey(path string) error {
	key := make([]byte, state.KeySize)
	rand.Read(key)                                          // never fails
	file, err := os.CreateTemp(filepath.Dir(path), ".key-") // with permissions 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(base64.StdEncoding.EncodeToString(key) + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
