package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/rows"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/toolrequest"
)

// requestQueue is a queue of tool requests with the files that it writes.
type requestQueue interface {
	toolrequest.Store
	Files() []string
}

// kindTool is the kind of the rows of approved tools, by name. They belong to the
// feed of the requests: a decision and its tool are one change.
const kindTool = toolrequest.Feed + ".tool"

// rowsEvery is how soon a change of another host is noticed, and rowsPoll how long
// a look may take.
const (
	rowsEvery = 250 * time.Millisecond
	rowsPoll  = 5 * time.Second
)

// useRows makes the rows of the options those of the consents, too.
func (h *Host) useRows() {
	h.rows = h.opts.Rows
	if h.rows == nil && h.opts.Store != nil {
		if shared := h.opts.Store.Shared(); shared != nil {
			h.rows = shared
		}
	}
	if h.rows == nil || h.opts.Consent == nil {
		return
	}
	consent := *h.opts.Consent
	consent.Records.Rows = h.rows
	h.opts.Consent = &consent
}

// RequestRows returns the queue of tool requests in a store. Its first use imports
// a file of requests and the tools that were approved below a state root.
func RequestRows(store rows.Store, file, state string, opts *toolrequest.Options) *toolrequest.Rows {
	o := *opts
	o.Import = func() func(context.Context, rows.Tx) error {
		h := &Host{state: state, opts: Options{Logger: o.Logger}}
		tools := map[string][]byte{}
		for _, a := range h.readApprovedFiles() {
			raw, err := h.encodeApproved(a)
			if err != nil {
				o.Logger.Warn("an approved tool was not imported", "tool", a.Name, "error", err)
				continue
			}
			tools[a.Name] = raw
		}
		return func(ctx context.Context, tx rows.Tx) error {
			for name, raw := range tools {
				if err := tx.Put(ctx, kindTool, name, raw); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return toolrequest.NewRows(store, file, &o)
}

// approvedRow is an approved tool with its script, so that every host of the store
// can run it.
type approvedRow struct {
	Approved
	Code []byte `json:"code,omitempty"`
}

// encodeApproved reads the script of an approved tool into its row.
func (h *Host) encodeApproved(a Approved) ([]byte, error) {
	row := approvedRow{Approved: a}
	if a.Script != "" {
		var err error
		if row.Code, err = os.ReadFile(filepath.Join(h.approvedDir(), a.Script)); err != nil {
			return nil, err
		}
	}
	return json.Marshal(row)
}

// installRow stores an approved tool and the decision about its request, as one
// transaction, after it has loaded the tool once.
func (h *Host) installRow(ctx context.Context, id string, a Approved, d toolrequest.Decision, code *Script) (toolrequest.Request, error) {
	if code != nil {
		// A name for each content: a host that decides at the same time, and loses,
		// must not leave its script under the name of this one.
		sum := sha256.Sum256(code.Code)
		ext := filepath.Ext(a.Script)
		a.Script = strings.TrimSuffix(a.Script, ext) + "-" + hex.EncodeToString(sum[:8]) + ext
	}
	if err := h.writeAndTry(ctx, a, code); err != nil {
		return toolrequest.Request{}, err
	}
	raw, err := h.encodeApproved(a)
	if err != nil {
		return toolrequest.Request{}, err
	}
	return h.queueRows.ReviewAnd(ctx, id, d, func(ctx context.Context, tx rows.Tx) error {
		return tx.Put(ctx, kindTool, a.Name, raw)
	})
}

// readApprovedRows reads the approved tools and writes their scripts below the
// state root, where they are loaded from.
func (h *Host) readApprovedRows(ctx context.Context) ([]Approved, error) {
	ctx, cancel := context.WithTimeout(ctx, rowsTime)
	defer cancel()
	var list []rows.Row
	// The queue imports what was approved before.
	_, err := h.queueRows.List(ctx, toolrequest.Filter{Limit: 1})
	if err == nil {
		err = h.rows.View(ctx, func(ctx context.Context, tx rows.Tx) (err error) {
			list, err = tx.List(ctx, kindTool)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read the approved tools in %s: %w", h.rows.Place(), err)
	}
	var all []Approved
	for _, row := range list {
		var a approvedRow
		err := json.Unmarshal(row.Value, &a)
		if err == nil {
			err = a.check()
		}
		if err == nil && a.Script != "" {
			err = h.writeScript(a)
		}
		if err != nil {
			h.opts.Logger.Warn("skipping an approved tool", "tool", row.Key, "error", err)
			continue
		}
		all = append(all, a.Approved)
	}
	return all, nil
}

// writeScript writes the script of a row, unless it is there.
func (h *Host) writeScript(a approvedRow) error {
	if !filepath.IsLocal(a.Script) || filepath.Base(a.Script) != a.Script {
		return fmt.Errorf("%q is not the name of a script", a.Script)
	}
	if err := fsx.PrivateDir(h.approvedDir()); err != nil {
		return err
	}
	file := filepath.Join(h.approvedDir(), a.Script)
	if before, err := os.ReadFile(file); err == nil && string(before) == string(a.Code) {
		return nil
	}
	return fsx.ReplacePrivate(file, a.Code)
}

// exportRequests writes the file of the requests when this process has changed
// them.
func (h *Host) exportRequests() error {
	if !h.queueRows.Changed() {
		return nil
	}
	ctx, cancel := rowsContext()
	defer cancel()
	return h.queueRows.Export(ctx)
}

// rowsFollower notices what other hosts change: consents and approved tools load
// the bundle again, pins are read again, and the files of the bundle are written.
type rowsFollower struct {
	host *Host
	// versions of the feeds, and of the approved tools, as they were seen last.
	versions []int64
	tools    map[string]int64
	failing  bool
}

// newRowsFollower remembers the rows as they are now, before the bundle is loaded.
func newRowsFollower(ctx context.Context, h *Host) (*rowsFollower, error) {
	f := &rowsFollower{host: h}
	var err error
	if f.versions, err = f.read(ctx); err == nil {
		f.tools, err = f.readTools(ctx)
	}
	return f, err
}

func (f *rowsFollower) read(ctx context.Context) ([]int64, error) {
	return f.host.rows.Versions(ctx, consentsFeed, toolrequest.Feed, pin.Feed)
}

// readTools returns the versions of the approved tools.
func (f *rowsFollower) readTools(ctx context.Context) (map[string]int64, error) {
	tools := map[string]int64{}
	err := f.host.rows.View(ctx, func(ctx context.Context, tx rows.Tx) error {
		list, err := tx.List(ctx, kindTool)
		clear(tools)
		for _, row := range list {
			tools[row.Key] = row.Version
		}
		return err
	})
	return tools, err
}

// start follows the rows until the host is closed.
func (f *rowsFollower) start() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.export(ctx, true, true)
		tick := time.NewTicker(rowsEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				f.look(ctx)
			}
		}
	}()
	f.host.addCloser(func() error {
		cancel()
		<-ended
		return nil
	})
}

// look compares the rows with those that were seen last.
func (f *rowsFollower) look(ctx context.Context) {
	h := f.host
	bounded, cancel := context.WithTimeout(ctx, rowsPoll)
	defer cancel()
	versions, err := f.read(bounded)
	tools := f.tools
	if err == nil && versions[1] != f.versions[1] {
		tools, err = f.readTools(bounded)
	}
	if ctx.Err() != nil || f.failed(err) {
		return
	}
	consents, requests, pins := versions[0] != f.versions[0], versions[1] != f.versions[1], versions[2] != f.versions[2]
	reload := consents || !maps.Equal(tools, f.tools)
	f.versions, f.tools = versions, tools
	if pins {
		h.warnRows(h.sources.manager.Recall())
	}
	if reload {
		h.reloadAndLog()
	}
	f.export(ctx, requests, pins)
}

// export writes the files of the bundle.
func (f *rowsFollower) export(ctx context.Context, requests, pins bool) {
	ctx, cancel := context.WithTimeout(ctx, rowsPoll)
	defer cancel()
	if requests {
		f.host.warnRows(f.host.queueRows.Export(ctx))
	}
	if pins {
		f.host.warnRows(f.host.sources.pins.Export(ctx))
	}
}

// failed logs the first of several failures, and the end of them.
func (f *rowsFollower) failed(err error) bool {
	switch {
	case err != nil && !f.failing:
		f.host.opts.Logger.Warn("the store cannot be read; changes of other hosts are not noticed", "store", f.host.rows.Place(), "error", err)
	case err == nil && f.failing:
		f.host.opts.Logger.Info("the store can be read again", "store", f.host.rows.Place())
	}
	f.failing = err != nil
	return err != nil
}

func (h *Host) warnRows(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		h.opts.Logger.Warn("following the store failed", "store", h.rows.Place(), "error", err)
	}
}
