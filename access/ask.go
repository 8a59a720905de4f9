package access

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/pin"
)

const (
	// maxAsked bounds the arguments that a question shows: a person must see all
	// of what the call would do.
	maxAsked = 8 << 10
	// minDecision is the shortest time in which a person can read a question and
	// decline. A client that declines earlier did so without asking one.
	minDecision = 300 * time.Millisecond
)

// AskGuard returns a guard that asks a person before a call of a tool in the
// principal's Ask. It asks through the client of the call, and only one that is
// attended: another client may answer for the model. Where no person can be
// asked, it rejects the call.
func AskGuard(language string) gongu.Guard {
	l := lang.Of(language)
	return gongu.Guard{Name: "ask", Check: func(ctx context.Context, a *gongu.Attempt) *gongu.Error {
		if a.Principal == nil || a.DryRun || !a.Matches(a.Principal.Ask) {
			return nil
		}
		return askPerson(ctx, a, l)
	}}
}

func askPerson(ctx context.Context, a *gongu.Attempt, l lang.Lang) *gongu.Error {
	elicit := a.Context().Caller.Elicit
	switch {
	case !a.Principal.Attended:
		return denied(lang.AskNotAttended.In(l, a.Call.Name, a.Principal.Name), lang.AskNotAttendedHint.In(l))
	case elicit == nil:
		return denied(lang.AskNoWay.In(l, a.Call.Name), lang.AskNoWayHint.In(l))
	case len(a.Call.Args) > maxAsked:
		return denied(lang.AskTooLong.In(l, a.Call.Name, len(a.Call.Args), maxAsked), lang.AskTooLongHint.In(l))
	}
	question, err := question(lang.AskCall.In(l, a.Call.Name, pin.Visible(string(a.Call.Args))), l)
	if err != nil {
		return denied(err.Error(), lang.AskNoWayHint.In(l))
	}
	var answer json.RawMessage
	began := time.Now()
	err = a.Await(ctx, func(ctx context.Context) (err error) {
		answer, err = elicit(ctx, "", question)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return &gongu.Error{Code: gongu.CodeCancelled, Message: ctx.Err().Error()}
	case err != nil:
		return denied(lang.AskFailed.In(l, a.Call.Name, err), lang.AskNoWayHint.In(l))
	case agreed(answer):
		a.Note("approved", "client says: "+a.Principal.Name)
		return nil
	case time.Since(began) < minDecision:
		return denied(lang.AskNoWay.In(l, a.Call.Name), lang.AskNoWayHint.In(l))
	}
	return &gongu.Error{Code: gongu.CodeRejected}
}

func denied(message, suggestion string) *gongu.Error {
	return &gongu.Error{Code: gongu.CodeDenied, Message: message, Suggestion: suggestion}
}

// question returns the parameters of an elicitation with one required field.
func question(message string, l lang.Lang) (json.RawMessage, error) {
	type object = map[string]any
	return jsonx.Marshal(object{"message": message, "requestedSchema": object{
		"type": "object", "required": []string{"answer"},
		"properties": object{"answer": object{
			"type": "string", "title": lang.AskField.In(l), "enum": []string{"yes", "no"},
		}},
	}})
}

// agreed reports whether an answer is a yes.
func agreed(raw json.RawMessage) bool {
	var answer struct {
		Action  string `json:"action"`
		Content struct {
			Answer string `json:"answer"`
		} `json:"content"`
	}
	return json.Unmarshal(raw, &answer) == nil && answer.Action == "accept" && answer.Content.Answer == "yes"
}
