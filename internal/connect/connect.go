package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/clients"
	"github.com/gongu-ai/gongu/internal/fsx"
)

// Settings say which file of which client to change, and how.
type Settings struct {
	// Client is one of [ClientNames], Scope one of its [Scopes].
	Client, Scope string
	// File replaces the file of the scope.
	File string
	// Bundle takes the servers (default: the bundle of the project, else the
	// user's own, which is made).
	Bundle string
	// Name is what gongu is called in the file.
	Name string
	// HTTP points the client to URL instead of starting gongu.
	HTTP bool
	URL  string
	// Ask, Permission and Offer are the user's choices for a client on stdio; see
	// [clients.Entry]. Those that are empty stay as they are.
	Ask, Permission string
	Offer           []string
	// Replace lets a server of the file replace one of the same name in the
	// bundle; Print changes nothing and starts no server; NoCount starts none
	// either.
	Replace, Print, NoCount bool
	// Timeout bounds the wait for each server.
	Timeout time.Duration
}

// Connection is a settings file that is to be changed, or restored.
type Connection struct {
	*Options
	Settings
	client  *client
	place   place
	project string
	// others are the places of the other scopes.
	others map[string]place
}

// Open finds the file that the settings name. Client and scope must exist.
func Open(o *Options, s Settings) (*Connection, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	project, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	found, ok := clientNamed(s.Client)
	if !ok {
		return nil, fmt.Errorf("unknown client %q", s.Client)
	}
	c := &Connection{Options: o, Settings: s, client: found, project: project}
	c.others = found.places(o.Getenv, home, project)
	if c.place, ok = c.others[s.Scope]; !ok {
		return nil, fmt.Errorf("%s has no scope %q", s.Client, s.Scope)
	}
	delete(c.others, s.Scope)
	if s.File != "" {
		if c.place.file, err = filepath.Abs(s.File); err != nil {
			return nil, err
		}
		c.others = nil
	}
	return c, nil
}

// Path returns the path of the settings file.
func (c *Connection) Path() string { return c.place.file }

// Report is the result of Connect.
type Report struct {
	Client string `json:"client"`
	File   string `json:"file"`
	Scope  string `json:"scope"`
	// Changed says whether the file is different now, or would be.
	Changed bool `json:"changed"`
	Printed bool `json:"printed,omitempty"`
	// Server is gongu as the file has it; secrets are left out.
	Server json.RawMessage `json:"server,omitempty"`
	Import ImportReport    `json:"import"`
	Cost   *TurnCost       `json:"cost,omitempty"`
	// Backup holds what the file held before.
	Backup string `json:"backup,omitempty"`
	// Elsewhere are files of the client's other scopes that have servers.
	Elsewhere []OtherScope `json:"elsewhere,omitempty"`

	// Choices are what was recorded for the client; nil for one over HTTP.
	Choices *clients.Entry `json:"choices,omitempty"`
	// Offered of the Tools that are known are offered to the client; the tools of
	// Unlisted sources are not known. They are not counted with Print.
	Offered  int `json:"offered,omitempty"`
	Tools    int `json:"tools,omitempty"`
	Unlisted int `json:"unlisted,omitempty"`

	// Shown is gongu's entry in the form of the file, for a person.
	Shown string `json:"-"`
}

// OtherScope is a file of another scope that has servers.
type OtherScope struct {
	Scope   string `json:"scope"`
	File    string `json:"file"`
	Servers int    `json:"servers"`
}

// Connect moves the servers of the client into a bundle, and makes gongu the
// server of the client.
func (c *Connection) Connect(ctx context.Context) (*Report, error) {
	text, existed, err := c.read()
	if err != nil {
		return nil, err
	}
	found, err := readServers(c.place.file, text, c.client.name, c.place.path, c.Lang)
	if err != nil {
		return nil, &ReadError{c.place.file, err}
	}
	own, err := c.takeGongu(found)
	if err != nil {
		return nil, err
	}
	path, err := c.bundlePath()
	if err != nil {
		return nil, err
	}
	t, err := c.targetOf(path)
	if err != nil {
		return nil, err
	}
	project := ""
	if c.Scope != ScopeUser {
		project = c.project
	}
	plan := c.planImport(t, found, c.place.file, project, c.Replace, c.Print)
	report := &Report{Client: c.client.name, File: c.place.file, Scope: c.Scope, Printed: c.Print, Elsewhere: c.otherScopes()}
	made, err := c.chosen(t.dir, own)
	if err != nil {
		return nil, err
	}
	if made != nil {
		report.Choices = &made.entry
	}
	fresh, err := c.rewrite(text, found, plan, own, made, report)
	if err != nil {
		return nil, &WriteError{c.place.file, err}
	}
	if !c.NoCount && !c.Print { // --print starts nothing
		cost := c.measure(ctx, found.candidates, c.project, c.Timeout)
		report.Cost = &cost
	}
	settle := func(...string) *host.ConsentOptions { return nil }
	if c.Writing != nil && !c.Print {
		settle = c.Writing(path)
	}
	if _, err := c.apply(plan); err != nil {
		return nil, err
	}
	consent := settle(plan.report.Wrote...)
	report.Import = plan.report
	report.Changed = string(fresh) != string(text)
	if c.Print {
		return report, nil
	}
	if err := c.record(ctx, made); err != nil {
		return nil, &WriteError{c.ConfigDir, fsx.Cause(err)}
	}
	if report.Changed {
		if report.Backup, err = c.write(text, existed, fresh, made); err != nil {
			return nil, &WriteError{c.place.file, errors.Join(fsx.Cause(err), c.forget(ctx, made))}
		}
	}
	c.listServers(ctx, path, consent, !c.NoCount && len(plan.inBundle) > 0, report)
	return report, nil
}

// bundlePath is where the servers go.
func (c *Connection) bundlePath() (string, error) {
	switch {
	case c.Bundle != "":
		return filepath.Abs(c.Bundle)
	case c.Scope == ScopeProject || bundle.Present(c.project):
		return c.project, nil
	}
	return filepath.Abs(filepath.Join(c.ConfigDir, "bundle"))
}

// read is the file of the client; one that is missing is empty.
func (c *Connection) read() (text []byte, existed bool, err error) {
	text, err = readSettings(c.place.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, &ReadError{c.place.file, fsx.Cause(err)}
	}
	return text, true, nil
}

// takeGongu removes gongu itself from the servers that were found.
func (c *Connection) takeGongu(found *settingsFile) (*candidate, error) {
	i := slices.IndexFunc(found.candidates, func(s *candidate) bool { return s.kind == kindServer && s.from == c.Name })
	if i < 0 {
		return nil, nil
	}
	own := found.candidates[i]
	if !isGongu(own) {
		return nil, &NameTakenError{c.Name, c.place.file}
	}
	found.candidates = slices.Delete(found.candidates, i, i+1)
	return own, nil
}

// isGongu reports whether a server is one that connect has written.
func isGongu(s *candidate) bool {
	if s.live.URL != "" {
		names := referenced([]string{s.live.Headers["Authorization"]})
		return len(names) == 1 && names[0] == tokenVariable
	}
	return len(s.live.Args) > 1 && s.live.Args[0] == "serve" && s.live.Args[1] == "--stdio"
}

// write records the old content and writes the new one.
func (c *Connection) write(text []byte, existed bool, fresh []byte, made *madeEntry) (backup string, err error) {
	r := undoRecord{Client: c.client.name, File: c.place.file, At: time.Now().UTC(), Existed: existed, Before: text, After: digestOf(fresh)}
	if made != nil {
		r.Entry, r.EntryBefore = made.id, made.before
	}
	record, err := c.undoLogOf(c.client.name, c.place.file).add(r)
	if err != nil {
		return "", err
	}
	if err := replaceFile(c.place.file, text, existed, fresh, 0o600); err != nil {
		_ = os.Remove(record.path) // nothing was changed, so there is nothing to undo
		return "", err
	}
	return record.path, nil
}

// otherScopes counts the servers of the client's other scopes.
func (c *Connection) otherScopes() []OtherScope {
	var found []OtherScope
	for _, scope := range slices.Sorted(maps.Keys(c.others)) {
		other := c.others[scope]
		text, err := readSettings(other.file)
		if err != nil {
			continue
		}
		servers, err := readServers(other.file, text, c.client.name, other.path, c.Lang)
		if err != nil {
			continue
		}
		n := 0
		for _, s := range servers.candidates {
			if s.kind == kindServer && s.from != c.Name {
				n++
			}
		}
		if n > 0 {
			found = append(found, OtherScope{scope, filepath.Clean(other.file), n})
		}
	}
	return found
}

// listServers lists the servers of a bundle as gongu serve will, so that their
// definitions are pinned and known before the client first asks: several
// clients start without the tools that are not listed within a second. A server
// that does not answer now is asked again then. Without consent, and without start,
// none is started. It counts the tools that the client is offered.
func (c *Connection) listServers(ctx context.Context, dir string, consent *host.ConsentOptions, start bool, report *Report) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	h, err := host.Open(ctx, dir, &host.Options{
		Lang: string(c.Lang), Policy: c.Policy, StateRoot: c.StateRoot, Child: c.Child, Version: c.Version,
		Consent: consent, Logger: slog.New(slog.DiscardHandler), Secrets: c.Secrets,
	})
	if err != nil {
		return // gongu serve reports what is wrong with it
	}
	defer func() { _ = h.Close() }() // what was listed is on the disk by now
	if start {
		h.Sources().Load(ctx)
	}
	var offer []string
	if report.Choices != nil {
		offer = report.Choices.Offer
	}
	as, err := access.New(access.Options{Offer: access.OfferRules(offer), Bundle: h.Offers, Hidden: h.Hidden, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return // the flag was checked
	}
	if counted, err := h.Offered(as); err == nil {
		report.Offered, report.Tools = counted.Offered, counted.Tools
	}
	for _, s := range h.Sources().Status() {
		if s.Listed.IsZero() {
			report.Unlisted++
		}
	}
}
