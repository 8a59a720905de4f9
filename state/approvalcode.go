package state

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
)

// The calls of an approval are stored as parts, each with its length before it: for
// each call the JSON of what is short, and then its bytes as they are. Lists of
// approvals are long and previews are large; base64 in JSON takes ten times as long
// to read.

// parts returns the bytes of a call that are stored beside its JSON.
func (c *ApprovalCall) parts() []*[]byte { return []*[]byte{&c.Args, &c.Preview, &c.Parameters} }

// encodeCalls returns calls as they are stored.
func encodeCalls(calls []ApprovalCall) ([]byte, error) {
	var out []byte
	add := func(part []byte) {
		out = binary.AppendUvarint(out, uint64(len(part)))
		out = append(out, part...)
	}
	for _, c := range calls {
		var large [][]byte
		for _, p := range c.parts() {
			large = append(large, *p)
			*p = nil
		}
		short, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		add(short)
		for _, part := range large {
			add(part)
		}
	}
	return out, nil
}

var errBadCalls = errors.New("the calls of an approval are damaged")

// decodeCalls reads what encodeCalls returned.
func decodeCalls(raw []byte) ([]ApprovalCall, error) {
	var calls []ApprovalCall
	take := func() ([]byte, error) {
		size, n := binary.Uvarint(raw)
		if n <= 0 || size > uint64(len(raw)-n) {
			return nil, errBadCalls
		}
		part := raw[n : n+int(size)]
		raw = raw[n+int(size):]
		return part, nil
	}
	for len(raw) > 0 {
		short, err := take()
		if err != nil {
			return nil, err
		}
		var c ApprovalCall
		if err := json.Unmarshal(short, &c); err != nil {
			return nil, errors.Join(errBadCalls, err)
		}
		for _, p := range c.parts() {
			part, err := take()
			if err != nil {
				return nil, err
			}
			if len(part) > 0 {
				*p = bytes.Clone(part)
			}
		}
		calls = append(calls, c)
	}
	return calls, nil
}
