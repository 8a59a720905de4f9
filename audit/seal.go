package audit

import (
	"context"
	"errors"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// hostToken returns the token of this host's lease, or an error if the lease is
// not valid now: no handler may start then.
func (r *Recorder) hostToken(ctx context.Context) (string, error) {
	lease, err := r.store.Lease(ctx)
	if err != nil {
		return "", err
	}
	if !lease.Valid() {
		return "", state.ErrLeaseLost
	}
	return lease.Token(), nil
}

// sealEvery is how often new rows are sealed.
const sealEvery = time.Second

// sealLoop writes seals until the recorder is closed.
func (r *Recorder) sealLoop(ctx context.Context) {
	ticker := time.NewTicker(sealEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			r.seal(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (r *Recorder) seal(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, commitTime)
	defer cancel()
	n, err := r.store.SealAudit(ctx)
	r.seals.Add(int64(n))
	if err != nil && !errors.Is(err, context.Canceled) {
		r.failed("audit rows were not sealed", err)
	}
}
