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
)

// broken is a text that is no queue, though it should be one.
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
	fields []field // room that the entries share
}

// byteOrderMark is what some editors put in front of a text.
const byteOrderMark = "\uFEFF"

// parse reads a queue. A text that is no JSON, or has entries that are no
// requests, gives *broken. JSON of another kind and later formats are refused
// with *Error, which means hands off.
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
	if whole.Kind() == '{' {
		if format, newer := formatOf(text); newer {
			return nil, newerFormat(place, format)
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

// formatOf looks for a mark of a later format in an object.
func formatOf(object []byte) (format string, newer bool) {
	var marks map[string]json.RawMessage
	if json.Unmarshal(object, &marks) != nil {
		return "", false
	}
	for _, name := range []string{"format", "version"} {
		if mark, ok := marks[name]; ok && isNewer(mark) {
			return string(mark), true
		}
	}
	return "", false
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

// flawed is an entry that is JSON and no request. The next can be read.
type flawed struct{ broken }

func (p *parser) flawed(reason lang.Message) error { return &flawed{broken{reason}} }

func (p *parser) entry() (*entry, error) {
	if p.dec.PeekKind() != '{' {
		value, err := p.dec.ReadValue()
		if err != nil {
			return nil, p.syntax(err)
		}
		return nil, p.flawed(lang.RequestBadEntry.With(p.line(p.dec.InputOffset()-int64(len(value))), p.number))
	}
	fields, raw, err := p.object()
	if err != nil {
		return nil, p.syntax(err)
	}
	start := p.dec.InputOffset() - int64(len(raw))
	for _, f := range fields {
		if f.name == "format" && isNewer(f.value) {
			return nil, newerFormat(p.place, string(f.value))
		}
	}
	e := &entry{raw: raw}
	for _, f := range fields {
		if want := e.take(f); want != (lang.Text{}) {
			return nil, p.flawed(lang.RequestBadField.With(p.line(start), f.name, p.number, want.With()))
		}
	}
	return e, p.complete(e, start)
}

// object reads the fields of the next value. They share the bytes of the text.
func (p *parser) object() (fields []field, raw []byte, err error) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, nil, err
	}
	start := p.dec.InputOffset() - 1
	p.fields = p.fields[:0]
	for p.dec.PeekKind() != '}' {
		name, err := p.dec.ReadValue()
		if err != nil {
			return nil, nil, err
		}
		f := field{name: textOf(name)}
		value, err := p.dec.ReadValue()
		if err != nil {
			return nil, nil, err
		}
		end := p.dec.InputOffset()
		f.value = p.text[end-int64(len(value)) : end]
		p.fields = append(p.fields, f)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, nil, err
	}
	return p.fields, p.text[start:p.dec.InputOffset()], nil
}

// textOf reads a JSON string that is known to be one.
func textOf(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return string(quoted)
	}
	return string(text)
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
		// Files are older than this field: what somebody else put there stays.
		if takeText(f.value, &e.Agent) != (lang.Text{}) {
			e.extra = append(e.extra, f)
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
		*target = textOf(raw)
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
