package main

import (
	"context"
	"crypto/rand"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
)

// terminalKind is the kind of a principal who decided at a terminal.
const terminalKind = "terminal"

func (a *app) auditErase() *cobra.Command {
	cmd := a.auditRow("erase ID [--json]", lang.CLIAuditEraseShort, func(ctx context.Context, store *state.Store, rows []*state.AuditRow) error {
		if err := a.decided(a.texts().Audit(rows) + "\n" + lang.CLIAuditEraseAsk.In(a.lang)); err != nil {
			return err
		}
		erased := 0
		for _, r := range rows {
			n, err := store.EraseAudit(ctx, r.Seq, state.AuditRow{Principal: a.userName(), PrincipalKind: terminalKind})
			if err != nil {
				return err
			}
			erased += n
		}
		if a.json {
			return a.writeJSON(map[string]int{"erased": erased})
		}
		return a.print(lang.CLIAuditErasedRows.In(a.lang, erased) + "\n")
	})
	cmd.Long = lang.CLIAuditEraseLong.In(a.lang)
	return cmd
}

// recordDecision records a decision that was made at a terminal and stored in a
// file. The row comes right after the change: a process that is killed in between
// leaves the change without a row. With a server as store, the change is in rows
// and its audit row in the same transaction, so nothing is written here. It returns
// no error, because the decision is made; a failure is printed.
func (a *app) recordDecision(ctx context.Context, action, subject, digest string) {
	at, err := a.locateStore()
	if err == nil && at.file == "" {
		return
	}
	var store *state.Store
	if err == nil {
		store, err = a.openStore(ctx)
	}
	if err == nil {
		row := &state.AuditRow{Kind: state.AuditDecision, Action: action, Subject: a.secrets.Redact(subject), Status: "ok", Principal: a.userName(), PrincipalKind: terminalKind}
		if digest != "" { // as in the rows of a server
			row.Payload = &state.AuditPayload{Salt: []byte(rand.Text()), Result: jsonx.Text(map[string]string{"digest": digest})}
		}
		err = store.Audit(ctx, row)
	}
	if err != nil {
		a.complain(lang.CLIAuditNotWritten.In(a.lang, visible(err.Error())))
	}
}

// recordConsent records a decision about a bundle, which need not be the one at
// hand, in the store of that bundle.
func (a *app) recordConsent(bundle, action, digest string) {
	bundle = absolutePath(bundle)
	if bundle == absolutePath(a.folder(nil)) {
		a.recordDecision(context.Background(), action, bundle, digest)
		return
	}
	other := &app{
		environment: a.environment, output: a.output, secrets: a.secrets, colour: a.colour, lang: a.lang,
		bundle: bundle, stateRoot: a.stateRoot, store: a.store, ownStore: a.ownStore,
	}
	other.recordDecision(context.Background(), action, bundle, digest)
	other.closeStore()
}
