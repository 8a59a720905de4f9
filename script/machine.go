package script

import (
	"errors"
	"fmt"
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

// entryNames returns the names of the entries in the shim.
func entryNames() [entryCount]string {
	return [entryCount]string{"invoke", "settle", "abort", "reset", "load", "extension", "enter", "giveUp"}
}

// callbacks are the host functions that the shim calls.
type callbacks struct {
	// now runs an operation that returns at once.
	now func(op, text string) string
	// begin starts an operation whose result follows as an event. It returns ""
	// or the error for the script.
	begin func(id int, op, text string) string
}

// The reasons for which a VM stops by itself. The texts are the engine's.
var (
	errInterrupted = errors.New("interrupted")
	errMemory      = errors.New("out of memory")
)

// stopCause returns the reason for which the VM stopped if an exception reports
// one, or nil.
func stopCause(name, message string) error {
	if name != "InternalError" {
		return nil
	}
	for _, cause := range []error{errInterrupted, errMemory} {
		if message == cause.Error() {
			return cause
		}
	}
	return nil
}

// thrown is an exception of the script that the engine reports.
type thrown struct {
	name, message, stack string
	// line and column are set for syntax errors.
	line, column int
}

func (t *thrown) Error() string { return t.name + ": " + t.message }

// quickVM is one VM. It belongs to one goroutine. Others may call interrupt and
// kill, and only through [worker.interrupt], which makes sure that the VM is not
// closed meanwhile.
type quickVM struct {
	vm      *quickjs.VM
	entries [entryCount]quickjs.Value
	bound   bool
}

// newQuickVM creates a VM with limits. The callbacks are nil for a VM that only
// compiles.
func newQuickVM(memory, stack int, back *callbacks) (*quickVM, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("create a VM: %w", err)
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
		return nil, fmt.Errorf("create a VM: %w", err)
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

// run evaluates compiled code.
func (q *quickVM) run(code []byte) error {
	value, err := q.vm.EvalBytecodeValue(code)
	if err != nil {
		return plainError(err)
	}
	value.Free()
	return nil
}

// bind looks up the entries after the shim has run.
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

// jobs runs the pending promise jobs.
func (q *quickVM) jobs() error {
	_, err := q.vm.ExecutePendingJobs()
	if err == nil {
		return nil
	}
	err = plainError(err)
	if errors.Is(err, errInterrupted) || errors.Is(err, errMemory) {
		return err
	}
	// A job that throws has rejected its promise already. The engine runs a
	// limited number of jobs at a time; the next call runs the others.
	return nil
}

// limit sets the time limit of each following entry.
func (q *quickVM) limit(d time.Duration) {
	_ = q.vm.SetEvalTimeout(max(d, 1)) // it always returns nil
}

// interrupt stops the script that runs; an entry that begins later clears it. It
// sets an atomic flag, which the library allows from any goroutine.
func (q *quickVM) interrupt() { q.vm.Interrupt() }

// kill stops a script that survives interrupts: it sets the stack limit of a
// running VM to one slot, so that every further function call fails. The VM
// cannot be used again.
//
// It is needed because an interrupt does not stop recursive async functions: each
// of them turns the interrupt into a rejection, and its caller goes on. Without
// kill, the tests named T3 lose VMs; with it they lose none but those that stay
// inside one operation of the engine.
//
// It is the only write to a running VM beside Interrupt. It cannot be made on the
// VM's goroutine: the engine's only callback in between, the interrupt handler,
// belongs to the library. From another goroutine it is safe for these reasons:
//   - JS_SetMaxStackSize stores two aligned words, stack_size and the unused
//     stack_limit. It allocates nothing and touches no other state.
//   - The engine never writes these words while a script runs. It loads
//     stack_size once for each function call, so it sees the old value or the new
//     one, and both are valid limits. A word-sized load sees a value that was
//     stored: the Go memory model guarantees that much for a race.
//   - The new limit only makes calls throw, as the limit does anyway, and the VM is
//     discarded afterwards.
//   - [worker.interrupt] holds the worker's lock and has checked that the call is
//     still served; the owner gives that up, under the lock, before it closes the
//     VM. So the words are never written after they were freed.
func (q *quickVM) kill() {
	q.vm.Interrupt()
	q.vm.SetMaxStackSize(1)
}

func (q *quickVM) close() {
	if q.bound {
		for i := range q.entries {
			q.entries[i].Free()
		}
	}
	_ = q.vm.Close() // it always returns nil
}

// plainError converts an error of the library.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*quickjs.Error](err)
	if !ok {
		if err.Error() == "OOM" { // the library has no error value for it
			return errMemory
		}
		return err
	}
	if cause := stopCause(e.Name, e.Message); cause != nil {
		return cause
	}
	if e.Error() == "" { // there was no memory for the text
		return errMemory
	}
	return &thrown{name: e.Name, message: e.Message, stack: e.Stack, line: e.LineNumber, column: e.ColumnNumber}
}
