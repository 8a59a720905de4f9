package audit

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/state"
)

// entry is a row on its way to the store. The caller copies what the writer
// redacts and hashes later; bytes that are too many to be copied are hashed at
// once.
type entry struct {
	row            state.AuditRow
	started        time.Time
	took           time.Duration
	params, output gongu.Schema
	salt           []byte
	args, result   kept
	size           int
}

// kept is what an entry holds of the arguments or of a result.
type kept struct {
	there  bool
	parts  [][]byte // copies of all bytes, or of the first
	size   int64
	most   int    // how many bytes of each part are shown if cut is true
	digest []byte // set when parts are not all
	cut    bool   // only the beginning is shown
	isErr  bool
}

const (
	saltBytes = 16
	// copyBytes is how much is copied for the writer although not all of it is
	// shown: a copy takes a fraction of the time that a digest takes, and the
	// caller waits for it.
	copyBytes = 256 << 10
)

func (e *entry) makeSalt() {
	if e.salt == nil {
		e.salt = make([]byte, saltBytes)
		rand.Read(e.salt) // never fails
	}
}

// keepArgs copies arguments.
func (e *entry) keepArgs(args json.RawMessage, limit int) { e.keep(&e.args, limit, args) }

// keepResult copies a result: output, content and metadata, or the error.
func (e *entry) keepResult(r gongu.Result, limit int) {
	if r.Error == nil {
		e.keep(&e.result, limit, r.Output, r.Content, r.Meta)
		return
	}
	e.result.isErr = true
	e.keep(&e.result, limit, []byte(r.Error.Code), []byte(r.Error.Message), r.Output, r.Content)
}

func (e *entry) keep(k *kept, limit int, parts ...[]byte) {
	k.there = true
	for _, part := range parts {
		k.size += int64(len(part))
	}
	if k.size > int64(max(limit, 0)) {
		// More than is shown, so that no secret is cut where it is shown.
		k.cut, k.most = true, max(limit, 0)/len(parts)
	}
	if k.cut && k.size > copyBytes {
		e.makeSalt()
		k.digest = digestParts(e.salt, parts)
		for i, part := range parts {
			parts[i] = part[:min(len(part), k.most)]
		}
	}
	total := 0
	for _, part := range parts {
		total += len(part)
	}
	whole := make([]byte, 0, total)
	k.parts = parts
	for i, part := range parts {
		from := len(whole)
		whole = append(whole, part...)
		k.parts[i] = whole[from:len(whole):len(whole)]
	}
	e.size += total
}

// digestParts is the digest of arguments (one part) or of a result.
func digestParts(salt []byte, parts [][]byte) []byte {
	h := sha256.New()
	h.Write(salt)
	if len(parts) > 1 {
		writeParts(h, parts)
	} else {
		h.Write(parts[0])
	}
	return h.Sum(nil)
}

// writeParts writes each part after its length, so that no two lists of parts
// look alike.
func writeParts(h hash.Hash, parts [][]byte) {
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write(part)
	}
}

// finish makes the digests and the payload of the row. It is the expensive part,
// and runs once.
func (e *entry) finish(r *redactor) {
	e.makeSalt()
	row := &e.row
	row.Duration = e.took.Microseconds()
	payload := &state.AuditPayload{Salt: e.salt}
	if e.args.there {
		row.ArgsSize, row.ArgsDigest = e.args.size, e.args.sum(e.salt)
		payload.Args = e.args.shown(func(parts [][]byte) []byte { return r.redact(parts[0], e.params) })
	}
	if e.result.there {
		row.ResultSize, row.ResultDigest = e.result.size, e.result.sum(e.salt)
		payload.Result = e.result.shown(func(parts [][]byte) []byte { return e.showResult(r, parts) })
	}
	row.Payload = payload
	for _, text := range []*string{&row.CallID, &row.ParentID, &row.Tool, &row.Code, &row.Principal, &row.Agent, &row.Instance} {
		*text = r.secrets.Redact(*text)
	}
}

func (k *kept) sum(salt []byte) []byte {
	if k.digest != nil {
		return k.digest
	}
	return digestParts(salt, k.parts)
}

// shown returns the redacted payload, or the beginning of one that is too large.
func (k *kept) shown(redact func([][]byte) []byte) []byte {
	if !k.cut {
		return redact(k.parts)
	}
	if k.most == 0 {
		return nil
	}
	begins := make([][]byte, len(k.parts))
	for i, part := range k.parts {
		begins[i] = part[:min(len(part), k.most)]
	}
	text := redact(begins)
	return jsonx.Text(cutPayload{Truncated: true, Bytes: k.size, Preview: string(bytes.ToValidUTF8(text[:min(len(text), previewBytes)], []byte("\uFFFD")))})
}

// cutPayload is kept of arguments and results that are too large.
type cutPayload struct {
	Truncated bool   `json:"truncated"`
	Bytes     int64  `json:"bytes"`
	Preview   string `json:"preview"`
}

// showResult returns the output alone, or an object of the parts that there are.
func (e *entry) showResult(r *redactor, parts [][]byte) []byte {
	redacted := func(i int) []byte { return r.redact(parts[i], e.output) }
	if !e.result.isErr && len(parts[1]) == 0 && len(parts[2]) == 0 {
		return redacted(0)
	}
	names := []string{"output", "content", "_meta"}
	out := []byte{'{'}
	add := func(name string, value []byte) {
		if len(value) == 0 {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), name...), `":`...), value...)
	}
	if e.result.isErr {
		text := withoutShapes(jsonx.Text(map[string]string{"code": string(parts[0]), "message": string(parts[1])}))
		add("error", []byte(r.secrets.Redact(string(text))))
		parts, names = parts[2:], names[:2]
	}
	for i, name := range names {
		add(name, redacted(i))
	}
	return append(out, '}')
}

// writeEntries writes the rows of finished entries.
func writeEntries(ctx context.Context, tx *state.Tx, entries []*entry) error {
	now, err := tx.Now(ctx)
	if err != nil {
		return err
	}
	rows := make([]*state.AuditRow, len(entries))
	for i, e := range entries {
		if !e.started.IsZero() {
			e.row.Started = now - time.Since(e.started).Microseconds()
		}
		rows[i] = &e.row
	}
	return tx.Audit(ctx, rows...)
}
