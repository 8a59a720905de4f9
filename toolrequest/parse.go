package toolrequest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

// broken reports a text that is not a valid queue.
type broken struct{ reason lang.Message }

func (b *broken) Error() string { return b.reason.In(lang.English) }

// parser reads the text of a queue.
type parser struct {
	place string
	text  []byte
	dec   *jsontext.Decoder
	seen  map[string]bool
	// number counts the entries from 1, for messages.
	number int
}

// byteOrderMark is written by some editors at the start of a text.
const byteOrderMark = "\uFEFF"

// parse reads a queue. A text that is not JSON, or has entries that are not
// requests, is a *broken error. Other JSON values and later formats are an
// *Error: such a file must not be replaced.
func parse(text []byte, place string) ([]*entry, error) {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &broken{lang.RequestBadEmpty.With()}
	}
	p := &parser{place: place, text: text, seen: map[string]bool{}}
	p.dec = jsontext.NewDecoder(bytes.NewBuffer(text))
	if p.dec.PeekKind() == '[' {
		return p.list()
	}
	whole, err := p.dec.ReadValue()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, p.syntax(err)
	}
	for _, name := range []string{"format", "version"} {
		if mark := rawjson.Member(whole, name); isNewer(mark) {
			return nil, newerFormat(place, string(mark))
		}
	}
	return nil, lang.NewError(ErrBroken, lang.RequestNoQueue.With(place), lang.RequestOtherFile.With())
}

// end wants nothing more to follow.
func (p *parser) end() error {
	_, err := p.dec.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return errors.New("more follows after the end")
	}
	return err
}

func newerFormat(place, format string) *Error {
	return lang.NewError(ErrNewer, lang.RequestNewer.With(place, shortened(format)), lang.RequestNewerHint.With())
}

// isNewer takes only numbers for marks: a person may use the word otherwise.
func isNewer(mark []byte) bool {
	n, err := strconv.ParseFloat(string(mark), 64)
	return err == nil && n > 1
}

func (p *parser) syntax(err error) *broken {
	offset := p.dec.InputOffset()
	detail := err.Error()
	if bad, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = bad.ByteOffset
		if bad.Err != nil {
			detail = bad.Err.Error()
		}
	}
	return &broken{lang.RequestBadText.With(p.line(offset), detail)}
}

func (p *parser) line(offset int64) int {
	return 1 + bytes.Count(p.text[:min(int(offset), len(p.text))], []byte("\n"))
}

// list reads the entries of an array. A later format wins over a flaw: what we
// do not know is not ours to call broken.
func (p *parser) list() ([]*entry, error) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.syntax(err)
	}
	var entries []*entry
	var flaw *broken
	for p.dec.PeekKind() != ']' {
		p.number++
		e, err := p.entry()
		if found, ok := errors.AsType[*flawed](err); ok {
			if flaw == nil {
				flaw = &found.broken
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.syntax(err)
	}
	if err := p.end(); err != nil {
		return nil, p.syntax(err)
	}
	if flaw != nil {
		return nil, flaw
	}
	return entries, nil
}

// flawed is an entry that is JSON but not a request. Reading can go on.
type flawed struct{ broken }

func (p *parser) flawed(reason lang.Message) error { return &flawed{broken{reason}} }

func (p *parser) entry() (*entry, error) {
	value, err := p.dec.ReadValue()
	if err != nil {
		return nil, p.syntax(err)
	}
	end := p.dec.InputOffset()
	start := end - int64(len(value))
	e := &entry{raw: p.text[start:end]}
	if value.Kind() != '{' {
		return nil, p.flawed(lang.RequestBadEntry.With(p.line(start), p.number))
	}
	if format := rawjson.Member(e.raw, "format"); isNewer(format) {
		return nil, newerFormat(p.place, string(format))
	}
	err = rawjson.Members(e.raw, func(name, value json.RawMessage) error {
		f := field{rawjson.Text(name), value}
		if want := e.take(f); want != (lang.Text{}) {
			return p.flawed(lang.RequestBadField.With(p.line(start), f.name, p.number, want.With()))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e, p.complete(e, start)
}

// complete checks what every request must have.
func (p *parser) complete(e *entry, start int64) error {
	for _, need := range []struct{ name, value string }{{"id", e.ID}, {"name", e.Name}, {"status", string(e.Status)}} {
		if need.value == "" {
			return p.flawed(lang.RequestNoField.With(p.line(start), p.number, need.name))
		}
	}
	switch {
	case !legalID(e.ID):
		return p.flawed(lang.RequestBadID.With(p.line(start), p.number, shortened(e.ID)))
	case p.seen[e.ID]:
		return p.flawed(lang.RequestTwice.With(p.line(start), p.number, e.ID))
	case !e.Status.known():
		return lang.NewError(ErrNewer, lang.RequestNewerStatus.With(p.place, e.ID, shortened(string(e.Status))), lang.RequestStatusHint.With())
	}
	p.seen[e.ID] = true
	return nil
}

// legalID also takes the ids of other systems.
func legalID(id string) bool {
	return len(id) <= 64 && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// take keeps a field, or says what it should have been. null is as good as
// nothing.
func (e *entry) take(f field) (want lang.Text) {
	switch f.name {
	case "id":
		return takeText(f.value, &e.ID)
	case "name":
		return takeText(f.value, &e.Name)
	case "description":
		return takeText(f.value, &e.Description)
	case "rationale":
		return takeText(f.value, &e.Rationale)
	case "status":
		return takeText(f.value, (*string)(&e.Status))
	case "reviewer":
		return takeText(f.value, &e.Reviewer)
	case "reason":
		return takeText(f.value, &e.Reason)
	case "agent":
		// Older files may have another value here, which is kept.
		if takeText(f.value, &e.Agent) != (lang.Text{}) {
			e.extra = append(e.extra, f)
		}
	case "principal":
		if takeText(f.value, &e.Principal) != (lang.Text{}) {
			e.extra = append(e.extra, f) // likewise
		}
	case "suggested_params":
		if json.Unmarshal(f.value, &e.SuggestedParams) != nil {
			return lang.RequestAListOfText
		}
		if len(e.SuggestedParams) == 0 {
			e.SuggestedParams = nil
		}
	case "created_at":
		return takeTime(f.value, &e.CreatedAt)
	case "reviewed_at":
		return takeTime(f.value, &e.ReviewedAt)
	case "proposal":
		if string(f.value) != "null" {
			e.Proposal = compact(f.value)
		}
	default:
		e.extra = append(e.extra, f)
	}
	return lang.Text{}
}

func takeText(raw []byte, target *string) lang.Text {
	switch raw[0] {
	case '"':
		*target = rawjson.Text(raw)
	case 'n':
	default:
		return lang.RequestAText
	}
	return lang.Text{}
}

func takeTime(raw []byte, target *time.Time) lang.Text {
	var text string
	if takeText(raw, &text) != (lang.Text{}) {
		return lang.RequestATime
	}
	if text == "" {
		return lang.Text{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return lang.RequestATime
	}
	*target = moment(t)
	return lang.Text{}
}
