// Package attach finds a server of gongu that already runs, by the record that
// it leaves on the disk, and connects a client on standard input and output to
// it. The tools of a bundle are then started once.
package attach

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Record is what a running server leaves for other processes of the same user.
// The one below the state root has a token, so that a client can attach; the
// one named by the port has none and only tells which process listens there.
type Record struct {
	PID    int    `json:"pid"`
	Bundle string `json:"bundle"`
	URL    string `json:"url"`
	// Instance is what the server calls itself at /readyz: a record that was
	// left behind may name the address of another one.
	Instance string `json:"instance"`
	Token    string `json:"token,omitempty"`
}

const (
	recordName     = "serve.json"
	instanceHeader = "Gongu-Instance"
)

// RecordFile is where the server of a state root leaves its record.
func RecordFile(stateRoot string) string { return filepath.Join(stateRoot, recordName) }

// ListenerFile is where the server of an address leaves its record. It is named
// by the port alone, because an address has several names.
func ListenerFile(address string) (string, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "gongu", "listeners", port+".json"), err
}

// LocalURL is where programs on this machine reach a server.
func LocalURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			address = net.JoinHostPort("127.0.0.1", port)
		}
	}
	return "http://" + address
}

// Write writes a record that only the user can read.
func (r Record) Write(file string) error {
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

// Remove removes a record, if it is still the one of this server.
func (r Record) Remove(file string) {
	if now, ok := Read(file); ok && now.Instance == r.Instance {
		_ = os.Remove(file) // the next server replaces it
	}
}

// Read reads a record; false when there is none, or it is not complete.
func Read(file string) (Record, bool) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return Record{}, false
	}
	var r Record
	return r, json.Unmarshal(raw, &r) == nil && r.PID > 0 && r.URL != "" && r.Instance != ""
}

// Find returns the server that left a record in a file, if it still runs.
func Find(ctx context.Context, file string) (Record, bool) {
	r, ok := Read(file)
	return r, ok && r.Answers(ctx)
}

// Serving reports whether a server of a state root runs.
func Serving(ctx context.Context, stateRoot string) bool {
	_, ok := Find(ctx, RecordFile(stateRoot))
	return ok
}

// Listener returns the server of gongu that listens at an address, if there is
// one.
func Listener(ctx context.Context, address string) (Record, bool) {
	file, err := ListenerFile(address)
	if err != nil {
		return Record{}, false
	}
	return Find(ctx, file)
}

// Answers reports whether the server that left the record still runs: a server
// of another bundle, or another program, may have its address by now.
func (r Record) Answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(r.URL, "/mcp")+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := localClient().Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK && response.Header.Get(instanceHeader) == r.Instance
}

// WithInstance adds the name of a server to the answers of a handler, for
// [Record.Answers].
func WithInstance(instance string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(instanceHeader, instance)
		next.ServeHTTP(w, r)
	})
}

// localClient never uses a proxy: the server is on this machine.
func localClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
}
