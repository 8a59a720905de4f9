// Package attach finds a server of gongu that already runs, by the record that
// it leaves in the state root, and connects a client on standard input and output
// to it. The tools of a bundle are then started once.
package attach

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// Record is what a running server leaves for other processes of the same user: one
// in the state root, with the address of its socket, and one named by the port,
// which only tells which process listens there. Neither has a token.
type Record struct {
	PID    int    `json:"pid"`
	Bundle string `json:"bundle"`
	URL    string `json:"url"`
	// Public is the address at which people elsewhere reach the server, or empty.
	Public string `json:"public,omitempty"`
	// Instance is the random name of the server: a record that was left behind
	// may name the address of another one.
	Instance string    `json:"instance"`
	Started  time.Time `json:"started"`
	// NoAuth means that requests at the URL are not authenticated.
	NoAuth bool `json:"noAuth,omitempty"`
	// Network and Address are where programs of the user connect.
	Network string `json:"network,omitempty"`
	Address string `json:"address,omitempty"`
}

const (
	recordsName    = "servers"
	instanceHeader = "Gongu-Instance"
)

// recordFile is where a server of a state root leaves its record: two servers of
// one bundle have two.
func recordFile(stateRoot, instance string) string {
	return filepath.Join(stateRoot, recordsName, instance+".json")
}

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
	if err := fsx.ReplacePrivate(file, encoded); !errors.Is(err, fsx.ErrUnconfirmed) {
		return err
	}
	return nil
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

// Listener returns the server of gongu that listens at an address, if there is
// one.
func Listener(ctx context.Context, address string) (Record, bool) {
	file, err := ListenerFile(address)
	if err != nil {
		return Record{}, false
	}
	r, ok := Read(file)
	return r, ok && r.answers(ctx)
}

// answers reports whether the server that left the record still runs: a server of
// another bundle, or another program, may have its address by now. It sends
// nothing that is secret.
func (r Record) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(r.URL, "/mcp")+"/readyz", nil)
	if err != nil {
		return false
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // never a proxy
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK && response.Header.Get(instanceHeader) == r.Instance
}

// WithInstance adds the name of a server to the answers of a handler, for
// [Listener].
func WithInstance(instance string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(instanceHeader, instance)
		next.ServeHTTP(w, r)
	})
}

// records returns the records in a state root, the newest server first. torn are
// files that are not valid records.
func records(stateRoot string) (all []Record, torn []string) {
	files, err := filepath.Glob(filepath.Join(stateRoot, recordsName, "*.json"))
	if err != nil {
		return nil, nil
	}
	for _, file := range files {
		r, ok := Read(file)
		if !ok || file != recordFile(stateRoot, r.Instance) {
			torn = append(torn, file)
			continue
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Record) int { return b.Started.Compare(a.Started) })
	return all, torn
}
