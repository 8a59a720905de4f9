package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/rows"
)

const (
	// consentsFeed is the feed of the rows of consents, and kindConsent their
	// kind, by digest: hosts whose folders have different content are consented to
	// independently.
	consentsFeed = "consents"
	kindConsent  = consentsFeed + ".bundle"

	// keptConsents is how many contents of a bundle stay consented to.
	keptConsents = 256
	// rowsTime bounds an operation on rows that has no context of a caller.
	rowsTime = 10 * time.Second
)

func rowsContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), rowsTime)
}

// given returns the consent that counts for a bundle with a digest, which is empty
// when it is not known. Files have one consent for each bundle. Rows have one for
// each content: the one to this content, else the last one of which this host has a
// copy.
func (h *Host) given(digest string) (Consent, bool, error) {
	records := h.opts.Consent.Records
	if records.Rows == nil {
		return records.Of(h.path)
	}
	return records.newest(digest, func(other string) bool {
		_, err := openCopy(h.state, other)
		return err == nil
	})
}

// newest returns the consent to a digest, else the last one that is wanted.
func (c Consents) newest(digest string, wanted func(digest string) bool) (Consent, bool, error) {
	all, err := c.listRows()
	if err != nil {
		return Consent{}, false, err
	}
	if i := slices.IndexFunc(all, func(c Consent) bool { return c.Digest == digest }); i >= 0 {
		return all[i], true, nil
	}
	slices.SortFunc(all, func(a, b Consent) int { return b.At.Compare(a.At) })
	for _, given := range all {
		if wanted(given.Digest) {
			return given, true, nil
		}
	}
	return Consent{}, false, nil
}

// listRows returns the consents in the store, sorted by folder and time.
func (c Consents) listRows() (all []Consent, err error) {
	ctx, cancel := rowsContext()
	defer cancel()
	err = c.Rows.View(ctx, func(ctx context.Context, tx rows.Tx) error {
		all, err = readConsents(ctx, tx)
		return err
	})
	if err != nil {
		return nil, c.rowsFailed("read the consents", err)
	}
	slices.SortFunc(all, func(a, b Consent) int {
		if order := strings.Compare(a.Folder, b.Folder); order != 0 {
			return order
		}
		return a.At.Compare(b.At)
	})
	return all, nil
}

func (c Consents) rowsFailed(what string, err error) error {
	return fmt.Errorf("%s in %s: %w", what, c.Rows.Place(), err)
}

// readConsents leaves out what an older or newer gongu wrote: it covers something
// else.
func readConsents(ctx context.Context, tx rows.Tx) ([]Consent, error) {
	list, err := tx.List(ctx, kindConsent)
	if err != nil {
		return nil, err
	}
	var all []Consent
	for _, row := range list {
		var known Consent
		if err := json.Unmarshal(row.Value, &known); err != nil {
			return nil, fmt.Errorf("the consent to %s: %w", row.Key, err)
		}
		if known.Version == consentVersion && known.Digest == row.Key {
			all = append(all, known)
		}
	}
	return all, nil
}

// grantRow records a consent for all hosts of the store.
func (c Consents) grantRow(consent Consent) error {
	ctx, cancel := rowsContext()
	defer cancel()
	err := c.Rows.Update(ctx, consentsFeed, func(ctx context.Context, tx rows.Tx) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		consent.At = now.UTC()
		raw, err := json.Marshal(consent)
		if err != nil {
			return err
		}
		all, err := readConsents(ctx, tx)
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b Consent) int { return b.At.Compare(a.At) })
		for _, old := range all[min(len(all), keptConsents-1):] {
			if err := tx.Delete(ctx, kindConsent, old.Digest); err != nil {
				return err
			}
		}
		if err := tx.Put(ctx, kindConsent, consent.Digest, raw); err != nil {
			return err
		}
		return tx.Decided(ctx, rows.Decision{Action: "consent.grant", Subject: consent.Folder, Digest: consent.Digest})
	})
	if err != nil {
		return c.rowsFailed("record a consent", err)
	}
	return nil
}

// revokeRows removes all consents in the store.
func (c Consents) revokeRows(folder string) error {
	ctx, cancel := rowsContext()
	defer cancel()
	err := c.Rows.Update(ctx, consentsFeed, func(ctx context.Context, tx rows.Tx) error {
		list, err := tx.List(ctx, kindConsent)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, row := range list {
			if err := tx.Delete(ctx, kindConsent, row.Key); err != nil {
				return err
			}
		}
		return tx.Decided(ctx, rows.Decision{Action: "consent.revoke", Subject: folder})
	})
	if err != nil {
		return c.rowsFailed("revoke a consent", err)
	}
	return nil
}
