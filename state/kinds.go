package state

import "context"

// recordKind is what the store has to know about one kind of records. Each kind
// adds itself to kinds, in the file of its records.
type recordKind struct {
	name string
	// retain removes old records; nil: records of this kind are kept.
	retain *retainer
	// restored changes the records of all spaces that came out of a backup, whose
	// hosts, callers and clients are gone; nil: nothing changes.
	restored func(ctx context.Context, tx *Tx, now int64) error
	// check looks for what cannot be; nil: nothing to look for.
	check func(ctx context.Context, tx *Tx) ([]Problem, error)
}

// kinds returns all kinds of records, in the order of their migrations.
func kinds() []recordKind {
	return []recordKind{
		{name: "hosts", restored: voidLeases},
		callKind(),
		{name: "audit", retain: &retainer{all: (*Store).RetainAudit}, restored: auditRestore, check: checkAudit},
		{name: "documents", check: checkDocuments},
		approvalKind(),
	}
}

// voidLeases ends all leases: their hosts worked with another state.
func voidLeases(ctx context.Context, tx *Tx, _ int64) error {
	_, err := tx.Exec(ctx, "HostVoid")
	return err
}
