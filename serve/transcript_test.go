package serve_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A transcript is a conversation with a server, as a txtar archive. The file
// "server" names options of the server. Each file x.in is what the client does,
// and x.out what comes of it; GONGU_UPDATE_SCRIPTS=1 writes the latter anew.
// Long JSON is folded, and what differs each time has its name in capitals.
// How a client is written down is told at [httpPlayer] and [stdioPlayer].

const transcriptMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":`

// vars are what one answer gives and a later request uses.
type vars struct {
	session, state, task, cursor string
}

func (v *vars) expand(in string) string {
	return strings.NewReplacer(
		"$SESSION", v.session, "$STATE", v.state, "$TASK", v.task, "$CURSOR", v.cursor,
		"$META", `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}`,
		"$CAN", `"io.modelcontextprotocol/clientCapabilities"`,
		"$DEEP", strings.Repeat("[", 200)+strings.Repeat("]", 200),
		"$LARGE", strings.Repeat("x", 2000),
	).Replace(in)
}

var (
	statePattern = regexp.MustCompile(`"requestState":"([^"]*)"`)
	taskPattern  = regexp.MustCompile(`"taskId":"([^"]*)"`)
	nextPattern  = regexp.MustCompile(`"nextCursor":"([^"]*)"`)
	timePattern  = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)
	pointPattern = regexp.MustCompile(`sessionId=([0-9a-f]+)`)
)

// keep takes from an answer what later requests need.
func (v *vars) keep(answer string) {
	for pattern, into := range map[*regexp.Regexp]*string{
		statePattern: &v.state, taskPattern: &v.task, nextPattern: &v.cursor, pointPattern: &v.session,
	} {
		if m := pattern.FindStringSubmatch(answer); m != nil {
			*into = m[1]
		}
	}
}

// scrub hides what differs each time.
func (v *vars) scrub(out string) string {
	out = statePattern.ReplaceAllString(out, `"requestState":"STATE"`)
	out = taskPattern.ReplaceAllString(out, `"taskId":"TASK"`)
	out = nextPattern.ReplaceAllString(out, `"nextCursor":"CURSOR"`)
	out = timePattern.ReplaceAllString(out, `"TIME"`)
	if v.session != "" {
		out = strings.ReplaceAll(out, v.session, "SESSION")
	}
	return out
}

// player plays the steps of one transcript.
type player interface {
	play(in string) (out string)
}

// played is one message of a transcript, in the order of the wire.
type played struct {
	file, step string
	sent       bool
	raw        json.RawMessage
}

// record keeps the messages that were played.
type record struct {
	file, step string
	messages   []played
}

func (r *record) add(sent bool, raw []byte) {
	r.messages = append(r.messages, played{r.file, r.step, sent, bytes.Clone(raw)})
}

// TestTranscripts plays every step of the transcripts and compares what comes
// of it.
func TestTranscripts(t *testing.T) {
	for _, name := range transcripts(t) {
		t.Run(filepath.Base(name), func(t *testing.T) { playTranscript(t, name) })
	}
}

func transcripts(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/transcript/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	return files
}

func playTranscript(t testing.TB, name string) []played {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(raw)
	want := map[string]string{}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	rec := &record{file: filepath.Base(name)}
	s := newStage(t, want["server"])
	var p player
	if strings.HasPrefix(rec.file, "stdio") {
		p = newStdioPlayer(t, s, rec)
	} else {
		p = newHTTPPlayer(t, s, rec)
	}
	update := os.Getenv("GONGU_UPDATE_SCRIPTS") != ""
	next := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if f.Name == "server" {
			next.Files = append(next.Files, f)
		}
		step, isStep := strings.CutSuffix(f.Name, ".in")
		if !isStep {
			continue
		}
		rec.step = step
		got := p.play(strings.TrimSpace(string(f.Data)))
		if !update && got != want[step+".out"] {
			t.Errorf("%s:\n got %s\nwant %s", step, got, want[step+".out"])
		}
		next.Files = append(next.Files, f, txtar.File{Name: step + ".out", Data: []byte(got)})
		delete(want, step+".out")
	}
	for left := range want {
		if strings.HasSuffix(left, ".out") && !update {
			t.Errorf("%s: nothing asks for it", left)
		}
	}
	if update {
		if err := os.WriteFile(name, txtar.Format(next), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return rec.messages
}

// foldWidth is how long a line may be before its JSON is folded.
const foldWidth = 120

// fold writes JSON over as many lines as it needs, and changes nothing else.
func fold(raw []byte, indent string) string {
	raw = bytes.TrimSpace(raw)
	if len(indent)+len(raw) <= foldWidth || len(raw) == 0 || raw[0] != '{' && raw[0] != '[' || !json.Valid(raw) {
		return string(raw)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return string(raw)
	}
	var parts []string
	deeper := indent + "  "
	for dec.More() {
		key := ""
		if raw[0] == '{' {
			token, err := dec.Token()
			if err != nil {
				return string(raw)
			}
			key = string(mustJSON(token)) + ": "
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return string(raw)
		}
		parts = append(parts, deeper+key+fold(value, deeper))
	}
	last := map[byte]string{'{': "}", '[': "]"}[raw[0]]
	return string(raw[0]) + "\n" + strings.Join(parts, ",\n") + "\n" + indent + last
}

// compact undoes the folding of a request. What is no JSON stays as it is.
func compact(in string) string {
	var out bytes.Buffer
	if json.Compact(&out, []byte(in)) != nil {
		return in
	}
	return out.String()
}
