package main

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/schema"
)

const floorName = "floor"

// checkedBefore is how gongu.Func decodes as well: what jsonx.Object has
// refused is not looked for again.
var checkedBefore = strict.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// newFloor is the work that no tool system can leave out, in a straight line:
// strict decode, the same validator, bind, the function, encode. There is no
// catalog, no timeout, no goroutine, no recover.
func newFloor(context.Context) (contestant, error) {
	checker, err := schema.Compile([]byte(noteSchema), nil)
	if err != nil {
		return contestant{}, err
	}
	prepare := func(args []byte) caller {
		return func(ctx context.Context) (answer, error) {
			object, problem := jsonx.Object(args, 4<<20)
			if problem != nil {
				return answer{}, problem
			}
			if failure := checker.Check(object); failure != nil {
				return answer{}, errRefused
			}
			var in note
			if err := strict.Unmarshal(object, &in, checkedBefore); err != nil {
				return answer{}, err
			}
			out, err := echo(ctx, in)
			if err != nil {
				return answer{}, err
			}
			raw, err := encode(out)
			return answer{raw: raw}, err
		}
	}
	return contestant{
		name: floorName, refuses: true, prepare: prepare,
		note: "strict decode, validate, bind, call, encode, written directly",
	}, nil
}

// encode writes JSON as gongu does: "<" stays "<", and the encoder is kept,
// because making one costs as much as a small output.
func encode(v any) ([]byte, error) {
	pooled, ok := encoders.Get().(*encoder)
	if !ok {
		pooled = newEncoder()
	}
	defer encoders.Put(pooled)
	pooled.buf.Reset()
	if err := pooled.enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(pooled.buf.Bytes(), []byte("\n"))), nil
}

type encoder struct {
	buf bytes.Buffer
	enc *json.Encoder
}

var encoders sync.Pool

func newEncoder() *encoder {
	e := &encoder{}
	e.enc = json.NewEncoder(&e.buf)
	e.enc.SetEscapeHTML(false)
	return e
}
