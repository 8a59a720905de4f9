package connect

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gongu-ai/gongu/internal/clients"
)

// madeEntry is the record of gongu's entry in a settings file.
type madeEntry struct {
	id    string
	entry clients.Entry
	// before is the record that the id had, nil for a new one.
	before *clients.Entry
}

// clientFlag is the flag of gongu serve that names an entry.
const clientFlag = "--client"

// chosen returns the record of gongu's entry: the earlier choices of the user with
// those that the settings have. An id in the file counts only if it was recorded for
// the bundle. It is nil for a client over HTTP, which has a token.
func (c *Connection) chosen(bundle string, own *candidate) (*madeEntry, error) {
	if c.HTTP {
		return nil, nil
	}
	m := &madeEntry{}
	if own != nil {
		if i := slices.Index(own.live.Args, clientFlag); i >= 0 && i+1 < len(own.live.Args) {
			m.id = own.live.Args[i+1]
		}
	}
	var err error
	if m.before, err = clients.Open(c.ConfigDir).Find(m.id, bundle); err != nil {
		return nil, err
	}
	if m.before == nil {
		m.id = clients.NewID()
	} else {
		m.entry = *m.before
	}
	e := &m.entry
	e.Client, e.Bundle = c.client.name, clients.Canonical(bundle)
	e.Ask = cmp.Or(c.Ask, e.Ask, clients.AskClient)
	e.Permission = cmp.Or(c.Permission, e.Permission)
	if c.Offer != nil {
		e.Offer = c.Offer
	}
	if m.before == nil || !sameChoices(e, m.before) {
		e.At = time.Now().UTC()
	}
	return m, nil
}

func sameChoices(a, b *clients.Entry) bool {
	return a.Client == b.Client && a.Bundle == b.Bundle && a.Ask == b.Ask && a.Permission == b.Permission && slices.Equal(a.Offer, b.Offer)
}

// record writes the record, before the file of the client has the id.
func (c *Connection) record(ctx context.Context, m *madeEntry) error {
	if m == nil || m.before != nil && sameChoices(&m.entry, m.before) {
		return nil
	}
	return clients.Open(c.ConfigDir).Put(ctx, m.id, m.entry)
}

// forget takes the record back.
func (c *Connection) forget(ctx context.Context, m *madeEntry) error {
	if m == nil {
		return nil
	}
	return c.restoreEntry(ctx, m.id, m.before)
}

// restoreEntry makes the record of an id what it was; nil removes it.
func (c *Connection) restoreEntry(ctx context.Context, id string, before *clients.Entry) error {
	book := clients.Open(c.ConfigDir)
	switch {
	case id == "":
		return nil
	case before == nil:
		return book.Remove(ctx, id)
	}
	return book.Put(ctx, id, *before)
}
