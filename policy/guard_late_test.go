package policy_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
)

// held is an attended client that shows a form which no one answers.
func held(closed chan<- struct{}) (*gongu.Principal, gongu.Caller) {
	return &gongu.Principal{Name: "kim", Kind: "stdio", Attended: true}, gongu.Caller{
		Elicit: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			closed <- struct{}{}
			return nil, ctx.Err()
		},
	}
}

// P6: a form without an answer ends after two minutes. The call is denied with the
// id of an approval and the command for it, and passes once after that.
func TestP6FormWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, closed := guarded(t, nil), make(chan struct{}, 2)
		principal, caller := held(closed)
		ctx, began := as(t.Context(), principal, caller), time.Now()
		result := b.x.Call(ctx, wipeDisk)
		if took := time.Since(began); took < policy.ConnectionLife || took > policy.ConnectionLife+5*time.Second {
			t.Errorf("it took %s", took)
		}
		<-closed
		a := b.pending(1)[0]
		if codeOf(result) != gongu.CodeDenied || b.ran.Load() != 0 || !strings.Contains(result.Error.Message, "in time") ||
			!strings.Contains(result.Error.Message, a.ID) || !strings.Contains(result.Error.Suggestion, "gongu approvals approve "+a.ID) {
			t.Fatalf("%+v", result.Error)
		}
		time.Sleep(policy.PermitLife / 2)
		b.decide(a, policy.Answer{Approve: true})
		if passed := b.x.Call(ctx, wipeDisk); codeOf(passed) != "" || b.ran.Load() != 1 {
			t.Errorf("%+v", passed.Error)
		}
		if once := b.x.Call(ctx, wipeDisk); codeOf(once) != gongu.CodeDenied || b.ran.Load() != 1 {
			t.Errorf("%+v", once.Error)
		}
	})
}

// P6, P7: while a client shows a form, an answer at a terminal ends the wait, and the
// form is withdrawn.
func TestP7TerminalEndsAForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, closed := guarded(t, nil), make(chan struct{}, 1)
		principal, caller := held(closed)
		results := make(chan gongu.Result)
		go func() { results <- b.x.Call(as(t.Context(), principal, caller), wipeDisk) }()
		synctest.Wait()
		b.decide(b.pending(1)[0], policy.Answer{Approve: true})
		if result := <-results; codeOf(result) != "" || b.ran.Load() != 1 {
			t.Errorf("%+v", result.Error)
		}
		<-closed
	})
}
