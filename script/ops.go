package script

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// operationFunc is work of the host that takes its time. It runs on a
// goroutine of its own.
type operationFunc func(ctx context.Context, c *call, text string) (string, error)

// operations are what a script can start. A map for each call would cost more
// than most of them.
var operations = map[string]operationFunc{
	"readText":  onFile(readText),
	"readBytes": onFile(readBytes),
	"exists":    onFile(exists),
	"write":     onFile(writeFile),
	"mkdir":     onFile(makeDir),
	"mkdtemp":   onFile(makeTemp),
	"readdir":   onFile(readDir),
	"stat":      onFile(statFile),
	"remove":    onFile(remove),
	"rename":    onFile(rename),
	"copy":      onFile(copyFile),
	"spawn":     spawn,
	"fetch":     fetch,
	"agents":    agents,
}

// explain writes an error for the script that caused it.
func (w *worker) explain(err error) string { return explain(w.module.engine.lang, w.workdir(), err) }

func (c *call) explain(err error) string { return explain(c.module.engine.lang, c.workdir(), err) }

func explain(l lang.Lang, workdir string, err error) string {
	if e, ok := errors.AsType[*toldError](err); ok {
		return e.text
	}
	if e, ok := errors.AsType[*fileError](err); ok {
		code, message := fileFault(l, workdir, e)
		return hostFault("Error", code, message)
	}
	if e, ok := errors.AsType[*gongu.Error](err); ok {
		if raw, err := json.Marshal(e); err == nil {
			return string(raw)
		}
	}
	if e, ok := errors.AsType[*urlError](err); ok {
		return hostFault("TypeError", "ERR_INVALID_URL", e.Error())
	}
	if e, ok := errors.AsType[*hostError](err); ok {
		return hostFault(e.name, e.code, e.message)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return hostFault("AbortError", "ABORT_ERR", "The operation was aborted.")
	}
	return hostFault("Error", "", err.Error())
}

// hostError is an error with the name and code that scripts know it by.
type hostError struct{ name, code, message string }

func (e *hostError) Error() string { return e.message }

// agents asks the runtime about other agents.
func agents(ctx context.Context, c *call, text string) (string, error) {
	var args struct {
		Operation string          `json:"operation"`
		Params    json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return "", err
	}
	answer, err := AskAgents(ctx, c.module.engine.lang, c.context.Runtime, args.Operation, args.Params)
	return string(answer), err
}
