package policy

import (
	"context"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
)

// joint is what the calls inside of one outermost call share: one approval that
// grows with each call that must be asked about. Such calls wait while the handler
// around them runs, so all of them are in this process.
type joint struct {
	owner string

	mu sync.Mutex
	id string // of the approval; "" if there is none
	// asks is the call that asks for all of them.
	asks *asking
	// fine are the parts with a yes that this outermost call has used.
	fine map[int]bool
	// finished are the calls that have ended, at most maxFinished, and running
	// those that have not.
	finished []string
	running  map[*gongu.Attempt]bool
}

// maxFinished bounds the list of calls that have ended.
const maxFinished = 100

// follow notes the end of a call that a handler made: after a restart, the caller
// of the outermost call must know what has happened.
func (g *guard) follow(a *gongu.Attempt) {
	j := g.jointOf(a)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.running[a] {
		return
	}
	j.running[a] = true
	a.OnEnd(func(r gongu.Result) {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.running, a)
		name := a.Call.Name
		if r.Error != nil {
			name += " (" + r.Error.Code + ")"
		}
		switch len(j.finished) {
		case maxFinished:
		case maxFinished - 1:
			j.finished = append(j.finished, "…")
		default:
			j.finished = append(j.finished, name)
		}
	})
}

// outermost returns the call that no handler made.
func outermost(a *gongu.Attempt) *gongu.Attempt {
	for a.Parent != nil {
		a = a.Parent
	}
	return a
}

// jointOf returns what the calls inside of an outermost call share.
func (g *guard) jointOf(a *gongu.Attempt) *joint {
	outer := outermost(a)
	g.mu.Lock()
	defer g.mu.Unlock()
	if j := g.joints[outer]; j != nil {
		return j
	}
	j := &joint{owner: ownerOf(outer), fine: map[int]bool{}, running: map[*gongu.Attempt]bool{}}
	g.joints[outer] = j
	outer.OnEnd(func(gongu.Result) {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.joints, outer)
	})
	return j
}

// openJoint opens the approval of the outermost call, or adds this call to it.
func (k *asking) openJoint(ctx context.Context) error {
	j := k.jointOf(k.a)
	j.mu.Lock()
	defer j.mu.Unlock()
	k.call.Finished = slices.Clone(j.finished)
	if j.id != "" {
		if joined, err := k.join(ctx, j); joined || err != nil {
			return err
		}
	}
	if err := k.openAs(ctx, state.WaitConnection, ConnectionLife); err != nil || !k.h.mine {
		k.joint = nil // it is the approval of an identical call
		return err
	}
	k.joint = j
	j.id, j.fine = k.opened.ID, map[int]bool{}
	return nil
}

// join adds the call to the approval. False means that the approval has ended.
func (k *asking) join(ctx context.Context, j *joint) (bool, error) {
	found, err := k.o.Store.GetApproval(ctx, j.id)
	if err != nil {
		return false, err
	}
	if found.State == state.ApprovalApproved {
		used, done, err := k.o.Store.UseApproval(ctx, j.id, j.owner)
		if err != nil {
			return false, err
		}
		found = used
		if done {
			j.mark(used)
		}
	}
	if found.State != state.ApprovalPending && (found.State != state.ApprovalUsed || found.Owner != j.owner) {
		return false, nil
	}
	joined, err := k.o.Store.JoinApproval(ctx, j.id, k.call, ConnectionLife)
	if err != nil {
		return false, err
	}
	k.joint, k.opened, k.waits, k.h.mine, k.h.index = j, joined, true, false, len(joined.Calls)-1
	return true, nil
}

// mark notes the parts that a used yes covers.
func (j *joint) mark(used *state.Approval) {
	for i := range used.Calls {
		if used.Calls[i].Approved {
			j.fine[i] = true
		}
	}
}

// has reports whether an approval is that of the outermost call.
func (j *joint) has(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.id == id
}

// use lets one part run. The yes is used once for all parts that it covers.
func (j *joint) use(ctx context.Context, k *asking) (again bool, refusal *gongu.Error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fine[k.h.index] {
		return false, nil
	}
	used, done, err := k.o.Store.UseApproval(ctx, j.id, j.owner)
	switch {
	case err != nil:
		return false, k.storeFailed(err)
	case !done:
		k.h.yes = nil
		return true, nil
	}
	j.mark(used)
	if !j.fine[k.h.index] {
		return false, k.refuse(lang.GuardAskedOften.In(k.lang, k.a.Call.Name), "")
	}
	return k.confirmed(ctx, used)
}

// leads reports whether a call asks for all. The first one that waits does.
func (j *joint) leads(k *asking) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.asks == nil {
		j.asks = k
	}
	return j.asks == k
}

// leave lets another call ask for all.
func (j *joint) leave(k *asking) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.asks == k {
		j.asks = nil
	}
}
