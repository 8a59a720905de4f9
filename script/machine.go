package script

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"modernc.org/quickjs"
)

// entry is a function of the shim that the host calls.
type entry int

const (
	entryInvoke entry = iota
	entrySettle
	entryAbort
	entryReset
	entryLoad
	entryExtension
	entryEnter
	entryGiveUp
	entryCount
)

// entryNames are their names in the shim.
func entryNames() [entryCount]string {
	return [entryCount]string{"invoke", "settle", "abort", "reset", "load", "extension", "enter", "giveUp"}
}

// callbacks is how a script reaches the host.
type callbacks struct {
	// now answers at once.
	now func(op, text string) string
	// begin starts work whose end is reported later. It returns the reason
	// when it cannot.
	begin func(id int, op, text string) string
}

// machine is one VM. Only kill may be called from a goroutine other than the
// one that the VM belongs to.
type machine interface {
	// run evaluates compiled code.
	run(code []byte) error
	// bind finds the entries, once the shim has run.
	bind() error
	call(fn entry, args ...any) (string, error)
	// jobs runs what promises have queued.
	jobs() error
	// limit bounds each of the following entries in time.
	limit(d time.Duration)
	// interrupt stops what runs, unless it is about to be entered.
	interrupt()
	// kill makes everything that the VM tries fail. It is then of no use.
	kill()
	close()
}

// The ways in which a VM stops by itself.
var (
	errInterrupted = errors.New("interrupted")
	errMemory      = errors.New("out of memory")
)

// thrown is an exception of the script, as the engine tells it.
type thrown struct {
	name, message, stack string
	// line is that of a syntax error.
	line, column int
}

func (t *thrown) Error() string { return t.name + ": " + t.message }

// quickVM is a machine of QuickJS.
type quickVM struct {
	vm      *quickjs.VM
	entries [entryCount]quickjs.Value
	bound   bool
}

var _ machine = (*quickVM)(nil)

// newQuickVM makes a VM with limits. Callbacks may be nil for one that only
// compiles.
func newQuickVM(memory, stack int, back *callbacks) (*quickVM, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("make a VM: %w", err)
	}
	vm.SetMemoryLimit(uintptr(memory))
	vm.SetMaxStackSize(uintptr(stack))
	q := &quickVM{vm: vm}
	if back == nil {
		return q, nil
	}
	err = errors.Join(
		vm.RegisterHostFunc("__gongu_host", func(args []any) (any, error) {
			return back.now(textAt(args, 0), textAt(args, 1)), nil
		}),
		vm.RegisterHostFunc("__gongu_start", func(args []any) (any, error) {
			if len(args) == 0 {
				return "", nil
			}
			id, _ := args[0].(int)
			return back.begin(id, textAt(args, 1), textAt(args, 2)), nil
		}),
	)
	if err != nil {
		q.close()
		return nil, fmt.Errorf("make a VM: %w", err)
	}
	return q, nil
}

func textAt(args []any, i int) string {
	if i >= len(args) {
		return ""
	}
	text, _ := args[i].(string)
	return text
}

func (q *quickVM) compile(source string) ([]byte, error) {
	code, err := q.vm.Compile(source, quickjs.EvalGlobal)
	return code, plainError(err)
}

func (q *quickVM) run(code []byte) error {
	value, err := q.vm.EvalBytecodeValue(code)
	if err != nil {
		return plainError(err)
	}
	value.Free()
	return nil
}

func (q *quickVM) bind() error {
	for i, name := range entryNames() {
		value, err := q.vm.EvalValue("__gongu_entries."+name, quickjs.EvalGlobal)
		if err != nil {
			return plainError(err)
		}
		q.entries[i] = value
	}
	q.bound = true
	value, err := q.vm.EvalValue("delete globalThis.__gongu_entries", quickjs.EvalGlobal)
	if err != nil {
		return plainError(err)
	}
	value.Free()
	return nil
}

func (q *quickVM) call(fn entry, args ...any) (string, error) {
	out, err := q.entries[fn].Call(quickjs.UndefinedValue, args...)
	if err != nil {
		return "", plainError(err)
	}
	text, _ := out.(string)
	return text, nil
}

func (q *quickVM) jobs() error {
	_, err := q.vm.ExecutePendingJobs()
	if err == nil {
		return nil
	}
	err = plainError(err)
	if errors.Is(err, errInterrupted) || errors.Is(err, errMemory) {
		return err
	}
	// A job that throws has told its promise. More jobs than are done in one
	// go are still there the next time.
	return nil
}

func (q *quickVM) limit(d time.Duration) {
	_ = q.vm.SetEvalTimeout(max(d, 1)) // it has no error to give
}

func (q *quickVM) interrupt() { q.vm.Interrupt() }

// kill takes memory and stack away from what runs. A single interrupt does not
// end a script whose async functions each turn it into a rejection that the
// next one catches; without room for another call, all of them end. The limits
// are words that the engine reads at each allocation and each call, so that
// writing them from outside is seen soon and harms nothing.
func (q *quickVM) kill() {
	q.vm.Interrupt()
	q.vm.SetMemoryLimit(1)
	q.vm.SetMaxStackSize(1)
}

func (q *quickVM) close() {
	if q.bound {
		for i := range q.entries {
			q.entries[i].Free()
		}
	}
	_ = q.vm.Close() // it has no error to give
}

// plainError takes the engine's own type out of an error.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*quickjs.Error](err)
	if !ok {
		if strings.Contains(err.Error(), "OOM") {
			return errMemory
		}
		return err
	}
	if e.Name == "InternalError" && e.Message == errInterrupted.Error() {
		return errInterrupted
	}
	if e.Name == "InternalError" && e.Message == errMemory.Error() || e.Error() == "" {
		return errMemory
	}
	return &thrown{name: e.Name, message: e.Message, stack: e.Stack, line: e.LineNumber, column: e.ColumnNumber}
}
