package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// note is what the measured tool takes and gives back: four properties, as
// many tools have.
type note struct {
	Title    string   `json:"title"`
	Priority int      `json:"priority"`
	Mode     string   `json:"mode"`
	Lines    []string `json:"lines"`
}

const (
	toolName        = "notes__echo"
	toolDescription = "Gives the note back as it is."
)

// noteSchema is given to every contestant that takes a schema as text.
const noteSchema = `{"type":"object","properties":{` +
	`"title":{"type":"string","description":"What the note is about","minLength":1},` +
	`"priority":{"type":"integer","minimum":0,"maximum":9},` +
	`"mode":{"type":"string","enum":["append","replace"]},` +
	`"lines":{"type":"array","items":{"type":"string"}}},` +
	`"required":["title","priority","mode","lines"],"additionalProperties":false}`

// echo is the tool itself, the same for all.
func echo(_ context.Context, in note) (note, error) { return in, nil }

// load is the arguments of the calls.
type load struct {
	name string
	args []byte
}

// loads are a small call and one of about 4 KB.
func loads() ([]load, error) {
	small := note{Title: "Tools for agents", Priority: 3, Mode: "append", Lines: []string{"one line", "and another one"}}
	large := small
	large.Lines = nil
	for i := range 40 {
		large.Lines = append(large.Lines, fmt.Sprintf("line %02d: %s", i, strings.Repeat("text of a note, ", 5)))
	}
	var all []load
	for _, l := range []struct {
		name string
		note note
	}{{"100 B", small}, {"4 KB", large}} {
		args, err := json.Marshal(l.note)
		if err != nil {
			return nil, err
		}
		all = append(all, load{l.name, args})
	}
	return all, nil
}

// answer is the JSON a contestant gave, in whichever form it has it: making
// one of the other would cost it an allocation that is not its own.
type answer struct {
	raw  []byte
	text string
}

// decode reads the answer back, to see that it is right.
func (a answer) decode() (note, error) {
	raw := a.raw
	if raw == nil {
		raw = []byte(a.text)
	}
	var out note
	err := json.Unmarshal(raw, &out)
	return out, err
}

// caller makes one call.
type caller func(ctx context.Context) (answer, error)

// contestant is one way to call the tool.
type contestant struct {
	name, note string
	// prepare gives the arguments the form the contestant takes them in and
	// returns what makes one call with them.
	prepare func(args []byte) caller
	// refuses says that arguments that break the schema get no answer.
	refuses bool
	close   func()
}

// contestants sets up every way, the floor first.
func contestants(ctx context.Context) ([]contestant, error) {
	var all []contestant
	for _, open := range []func(context.Context) (contestant, error){
		newFloor, newGongu, newGonguInline, newGonguReading, newGonguBare, newEino, newMCPGo, newGoSDK,
	} {
		c, err := open(ctx)
		if err != nil {
			closeAll(all)
			return nil, fmt.Errorf("set up a contestant: %w", err)
		}
		all = append(all, c)
	}
	return all, nil
}

func closeAll(all []contestant) {
	for _, c := range all {
		if c.close != nil {
			c.close()
		}
	}
}
