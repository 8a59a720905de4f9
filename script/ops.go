package script

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/jsurl"
	"github.com/gongu-ai/gongu/internal/lang"
)

// operationFunc is an operation of the host that runs on its own goroutine.
type operationFunc func(ctx context.Context, c *call, text string) (string, error)

// operations are the operations that a script can start. The map is shared,
// because a map for each call would cost more than most operations.
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
	"spawn":     withArgs(spawn),
	"fetch":     withArgs(fetch),
	"agents":    withArgs(agents),
}

// withArgs returns an operation whose argument is JSON.
func withArgs[A any](run func(context.Context, *call, A) (string, error)) operationFunc {
	return func(ctx context.Context, c *call, text string) (string, error) {
		args, err := decode[A](text)
		if err != nil {
			return "", err
		}
		return run(ctx, c, args)
	}
}

// decode reads the JSON of an argument.
func decode[A any](text string) (args A, err error) {
	err = json.Unmarshal([]byte(text), &args)
	return args, err
}

// explain encodes an error for the script.
func (w *worker) explain(err error) string { return explain(w.module.engine.lang, w.workdir(), err) }

func (c *call) explain(err error) string { return explain(c.module.engine.lang, c.workdir(), err) }

func explain(l lang.Lang, workdir string, err error) string {
	if e, ok := errors.AsType[*hostAnswerError](err); ok {
		return e.text
	}
	if e, ok := errors.AsType[*fileError](err); ok {
		code, message := fileFault(l, workdir, e)
		return hostFault("Error", code, message)
	}
	if e, ok := errors.AsType[*gongu.Error](err); ok {
		return string(jsonx.Text(e))
	}
	if e, ok := errors.AsType[*jsurl.Error](err); ok {
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

// hostError is an error with the name and code that scripts expect.
type hostError struct{ name, code, message string }

func (e *hostError) Error() string { return e.message }

type agentsArgs struct {
	Operation string          `json:"operation"`
	Params    json.RawMessage `json:"params"`
}

// agents calls the agent runtime.
func agents(ctx context.Context, c *call, args agentsArgs) (string, error) {
	answer, err := AskAgents(ctx, c.module.engine.lang, c.context.Runtime, args.Operation, args.Params)
	return string(answer), err
}
