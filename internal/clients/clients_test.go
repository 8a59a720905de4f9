package clients_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/clients"
)

// put records an entry for a bundle and returns its id.
func put(t *testing.T, b *clients.Book, client, bundle string) string {
	t.Helper()
	id := clients.NewID()
	if err := b.Put(t.Context(), id, clients.Entry{Client: client, Bundle: bundle, Ask: clients.AskClient, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	return id
}

// P2, P7: an entry counts for its id and its bundle alone, and no longer than until it
// is removed.
func TestP2_EntryCountsForItsBundle(t *testing.T) {
	dir, bundle, other := t.TempDir(), t.TempDir(), t.TempDir()
	book := clients.Open(dir)
	if e, err := book.Find(clients.NewID(), bundle); e != nil || err != nil {
		t.Errorf("without a file: %+v, %v", e, err)
	}
	id := put(t, book, "claude", bundle)
	link := filepath.Join(t.TempDir(), "link")
	if os.Symlink(bundle, link) != nil {
		link = bundle // this user may make none
	}
	for _, tc := range []struct {
		name, id, bundle string
		found            bool
	}{
		{"itself", id, bundle, true},
		{"a link to the bundle", id, link, true},
		{"another spelling", id, bundle + "/./", true},
		{"another bundle", id, other, false},
		{"a folder inside", id, filepath.Join(bundle, "in"), false},
		{"no bundle", id, "", false},
		{"another id", clients.NewID(), bundle, false},
		{"no id", "", bundle, false},
		{"a part of the id", id[:31], bundle, false},
		{"a longer id", id + "0", bundle, false},
		{"the id in capitals", strings.ToUpper(id[:31]) + "G", bundle, false},
		{"the key in the file", keyIn(t, dir), bundle, false},
	} {
		if e, err := book.Find(tc.id, tc.bundle); (e != nil) != tc.found || err != nil {
			t.Errorf("%s: %+v, %v", tc.name, e, err)
		}
	}
	// Another process sees it, and its end.
	again := clients.Open(dir)
	first, err := again.Find(id, bundle)
	if second, _ := again.Find(id, bundle); err != nil || first == nil || first != second {
		t.Errorf("the pointer changes: %p %p, %v", first, second, err)
	}
	if err := book.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if e, err := again.Find(id, bundle); e != nil || err != nil {
		t.Errorf("removed: %+v, %v", e, err)
	}
}

// keyIn returns the key of the only entry in the file.
func keyIn(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, clients.Name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Clients map[string]any }
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Clients) != 1 {
		t.Fatalf("%s, %v", raw, err)
	}
	for key := range file.Clients {
		return key
	}
	return ""
}

// P2, P7: the file is for its user alone and does not tell the ids. One that others can
// read, a link, or one that is broken has no entries, and the error says why.
func TestP2_FileOfOthersHasNoEntries(t *testing.T) {
	dir, bundle := filepath.Join(t.TempDir(), "new", "folder"), t.TempDir()
	book, path := clients.Open(dir), filepath.Join(dir, clients.Name)
	id := put(t, book, "claude", bundle)
	good, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(good), id) {
		t.Fatalf("%s, %v", good, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	write := func(text string, mode os.FileMode) {
		t.Helper()
		_ = os.RemoveAll(path)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(name string) {
		t.Helper()
		for _, b := range []*clients.Book{book, clients.Open(dir)} {
			if e, err := b.Find(id, bundle); e != nil || err == nil {
				t.Errorf("%s: %+v, %v", name, e, err)
			}
			if all, err := b.Of(bundle); len(all) != 0 || err == nil {
				t.Errorf("%s: %+v, %v", name, all, err)
			}
			// What could not be read is not lost by a change.
			if err := b.Put(t.Context(), clients.NewID(), clients.Entry{Client: "x", Bundle: bundle}); err == nil {
				t.Errorf("%s: it was replaced", name)
			}
		}
	}
	for _, mode := range []os.FileMode{0o644, 0o640, 0o604, 0o622, 0o666} {
		write(string(good), mode)
		if info, err := os.Stat(path); err == nil && info.Mode().Perm() == mode {
			refused(mode.String())
		}
	}
	for name, text := range map[string]string{
		"empty": "", "cut": string(good[:len(good)/2]), "a list": "[]", "a text": `"x"`, "entries in a list": `{"clients":[]}`,
		"an entry that is none": `{"clients":{"a":7}}`, "bytes": "\x00\xff\xfe", "deep": strings.Repeat("[", 100_000),
	} {
		write(text, 0o600)
		refused(name)
	}
	write("{}", 0o600)
	elsewhere := filepath.Join(t.TempDir(), "planted.json")
	if err := os.WriteFile(elsewhere, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if os.Symlink(elsewhere, path) == nil {
		refused("a link")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	refused("a folder")
	write(string(good), 0o600)
	if e, err := book.Find(id, bundle); e == nil || err != nil {
		t.Errorf("the good file: %+v, %v", e, err)
	}
}

// P2: contents that are JSON and make no sense harm nothing.
func TestP2_StrangeEntries(t *testing.T) {
	dir, bundle := t.TempDir(), t.TempDir()
	book, path := clients.Open(dir), filepath.Join(dir, clients.Name)
	id := put(t, book, "claude", bundle)
	key := keyIn(t, dir)
	for name, text := range map[string]string{
		"null": "null", "nothing": "{}", "no clients": `{"clients":null}`, "no entry": `{"clients":{"` + key + `":null}}`,
		"no bundle": `{"clients":{"` + key + `":{"client":"claude"}}}`, "the id itself": `{"clients":{"` + id + `":{"client":"claude","bundle":` + fmt.Sprintf("%q", bundle) + `}}}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b := clients.Open(dir)
		if e, err := b.Find(id, bundle); e != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		if _, err := b.Of(bundle); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// P2: connects at the same time, of several processes, lose nothing.
func TestP2_ConcurrentConnects(t *testing.T) {
	dir, bundle := t.TempDir(), t.TempDir()
	const books, each = 8, 5
	var all sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]string{}
	for n := range books {
		all.Go(func() {
			book := clients.Open(dir) // as another process has it
			for i := range each {
				id, client := clients.NewID(), fmt.Sprint("c", n, "-", i)
				if err := book.Put(t.Context(), id, clients.Entry{Client: client, Bundle: bundle}); err != nil {
					t.Error(err)
				}
				if e, err := book.Find(id, bundle); err != nil || e == nil || e.Client != client {
					t.Errorf("%s: %+v, %v", client, e, err)
				}
				mu.Lock()
				ids[id] = client
				mu.Unlock()
			}
		})
	}
	all.Wait()
	book := clients.Open(dir)
	for id, client := range ids {
		if e, err := book.Find(id, bundle); err != nil || e == nil || e.Client != client {
			t.Errorf("%s: %+v, %v", client, e, err)
		}
	}
	if found, err := book.Of(bundle); err != nil || len(found) != books*each || len(ids) != books*each {
		t.Errorf("%d of %d, %v", len(found), len(ids), err)
	}
}
