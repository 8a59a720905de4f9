package serve_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// envelope is what tells messages apart.
type envelope struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Meta map[string]any `json:"_meta"`
	}
	Result json.RawMessage
	Error  json.RawMessage
}

func (e *envelope) isModern() bool {
	return e.Params.Meta["io.modelcontextprotocol/protocolVersion"] != nil
}

func open(t testing.TB, m played) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(m.raw, &e); err != nil {
		return envelope{} // params that are no object: of no interest here
	}
	return e
}

// covered are the things that transcripts show, such as "http legacy ping".
type covered map[string]bool

// cover goes through a transcript: a request counts when a result answers it,
// what the server says counts as it is.
func (c covered) cover(t testing.TB, messages []played) {
	transport, _, _ := strings.Cut(messages[0].file, "-")
	asked := map[string]string{}
	for _, m := range messages {
		e := open(t, m)
		era := "legacy"
		if e.isModern() {
			era = "modern"
		}
		switch {
		case m.sent && e.Method != "" && e.ID != nil:
			asked[string(e.ID)] = transport + " " + era + " " + e.Method
		case m.sent && e.Method != "":
			c[transport+" notified "+e.Method] = true
		case !m.sent && e.Method != "":
			c[transport+" said "+e.Method] = true
		case !m.sent && e.Result != nil:
			c[asked[string(e.ID)]] = true
			for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
				if strings.Contains(string(e.Result), `"input_required"`) && strings.Contains(string(e.Result), `"method":"`+method+`"`) {
					c[transport+" required "+method] = true
				}
			}
		}
	}
}

// TestTranscriptsCoverMethods fails when the server answers a method that no
// transcript shows answered, in an era and on a transport, or says something
// that none shows.
func TestTranscriptsCoverMethods(t *testing.T) {
	shown := covered{}
	for _, name := range transcripts(t) {
		shown.cover(t, playTranscript(t, name))
	}
	legacy, modern := newStage(t, "").server.ServedMethods()
	if len(legacy) < 10 || len(modern) < 10 {
		t.Fatalf("the server knows %q and %q", legacy, modern)
	}
	var want []string
	for _, transport := range []string{"http", "stdio"} {
		for _, method := range legacy {
			want = append(want, transport+" legacy "+method)
		}
		for _, method := range modern {
			want = append(want, transport+" modern "+method)
		}
		for _, method := range []string{
			"notifications/progress", "notifications/message", "notifications/tools/list_changed",
			"notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated",
			"notifications/subscriptions/acknowledged", "elicitation/create", "sampling/createMessage", "roots/list",
		} {
			want = append(want, transport+" said "+method)
		}
		want = append(want, transport+" notified notifications/initialized", transport+" notified notifications/cancelled",
			transport+" required elicitation/create")
	}
	want = append(want, "http required sampling/createMessage", "http required roots/list")
	for _, thing := range want {
		if !shown[thing] {
			t.Errorf("no transcript shows: %s", thing)
		}
	}
}

// The check can fail: a method without an answer is not covered.
func TestTranscriptsCoverMethodsCanFail(t *testing.T) {
	one := func(sent bool, raw string) played { return played{"http-x.txtar", "1", sent, json.RawMessage(raw)} }
	shown := covered{}
	shown.cover(t, []played{
		one(true, `{"id":1,"method":"a"}`), one(false, `{"id":1,"error":{}}`),
		one(true, `{"id":2,"method":"b"}`), one(false, `{"id":2,"result":{}}`),
	})
	if shown["http legacy a"] || !shown["http legacy b"] {
		t.Errorf("%v", shown)
	}
}
