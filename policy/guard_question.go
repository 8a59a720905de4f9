package policy

import (
	"encoding/json"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/state"
)

// maxShown bounds the text of a question in a form: a person must see all of what
// the call would do.
const maxShown = 8 << 10

// QuestionText returns the question about an approval, for a person. Text from
// elsewhere in it is escaped.
func QuestionText(a *state.Approval, o TextOptions) string {
	l := lang.Of(o.Lang)
	var out strings.Builder
	if len(a.Calls) == 1 {
		out.WriteString(lang.GuardQuestion.In(l, terminal.Visible(a.Calls[0].Tool)))
	} else {
		out.WriteString(lang.GuardQuestionMany.In(l, terminal.Visible(a.Tool)))
	}
	for i := range a.Calls {
		c := &a.Calls[i]
		if len(a.Calls) > 1 {
			heading := lang.GuardCallOf
			if c.Approved {
				heading = lang.GuardDone
			}
			out.WriteString("\n" + heading.In(l, i+1, terminal.Visible(c.Tool)))
		}
		if c.Message != "" {
			out.WriteString("\n" + terminal.Visible(c.Message))
		}
		p, own := Preview{}, o
		if json.Unmarshal(c.Preview, &p) != nil || p.Kind == "" {
			p = Preview{Kind: KindCall}
		}
		own.Args = c.Args
		out.WriteString("\n" + strings.TrimRight(p.Text(own), "\n"))
	}
	return out.String()
}

// showable reports whether a form can show the whole question.
func (k *asking) showable() bool {
	_, fits := k.form(k.opened)
	return fits
}

// form returns the parameters of an elicitation with one required field. Fits is
// false if the question is too long for a form.
func (k *asking) form(found *state.Approval) (question json.RawMessage, fits bool) {
	message := QuestionText(found, TextOptions{Lang: k.o.Lang, Whole: true})
	if len(message) > maxShown {
		return nil, false
	}
	type object = map[string]any
	return jsonx.Text(object{"message": message, "requestedSchema": object{
		"type": "object", "required": []string{"answer"},
		"properties": object{"answer": object{
			"type": "string", "title": lang.GuardField.In(k.lang), "enum": []string{"yes", "no"},
		}},
	}}), true
}

// address returns the parameters of an elicitation that leads to the page of the
// approval.
func (k *asking) address(found *state.Approval) json.RawMessage {
	return jsonx.Text(map[string]any{
		"mode": "url", "elicitationId": found.ID, "url": k.o.URL(found.ID), "message": lang.GuardURLMessage.In(k.lang, found.Tool),
	})
}

// suspendedQuestion is what the client of a suspended call is asked, or nil.
func (k *asking) suspendedQuestion() json.RawMessage {
	for _, w := range k.ways {
		switch w {
		case wayForm:
			if question, fits := k.form(k.opened); fits {
				return question
			}
		case wayURL:
			return k.address(k.opened)
		}
	}
	return nil
}

// answerOf reads the answer to a form. It is neither yes nor no if the client sent
// the form back without an answer in it.
func answerOf(raw json.RawMessage) (yes, no bool) {
	var answer struct {
		Content struct {
			Answer string `json:"answer"`
		} `json:"content"`
	}
	switch actionOf(raw) {
	case "decline", "cancel":
		return false, true
	case "accept":
		if json.Unmarshal(raw, &answer) != nil {
			return false, false
		}
		return answer.Content.Answer == "yes", answer.Content.Answer == "no"
	}
	return false, false
}

func actionOf(raw json.RawMessage) string {
	var answer struct {
		Action string `json:"action"`
	}
	if json.Unmarshal(raw, &answer) != nil {
		return ""
	}
	return answer.Action
}
