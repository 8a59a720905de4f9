package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/internal/stream"
)

const (
	// maxLine is the longest line of a worker.
	maxLine = 16 << 20
	// workerGrace is how long a worker may take to end when it is asked to.
	workerGrace = 500 * time.Millisecond
	// logWait is how long the log of a worker that ended is waited for.
	logWait = time.Second
)

// request is a line to the worker: a call, or the cancellation of one.
type request struct {
	ID     string          `json:"id,omitempty"`
	Name   string          `json:"name,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Cancel string          `json:"cancel,omitempty"`
}

// reply is a line of the worker: output or error end the call, log and
// progress tell of it.
type reply struct {
	ID       string          `json:"id"`
	Output   json.RawMessage `json:"output"`
	Error    json.RawMessage `json:"error"`
	Log      string          `json:"log"`
	Progress *struct {
		Done    float64 `json:"done"`
		Total   float64 `json:"total"`
		Message string  `json:"message"`
	} `json:"progress"`
}

// worker is a program that keeps running and serves calls side by side.
type worker struct {
	process *proc.Process
	ended   chan struct{} // closed when no reply will come any more

	// writing lets one line follow another.
	writing sync.Mutex

	mu      sync.Mutex
	last    int
	waiting map[string]chan reply
	broken  error // why it was given up
}

// take returns the worker, started when there is none.
func (s *Source) take(ctx context.Context) (*worker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the source is closed")
	}
	if s.worker != nil {
		select {
		case <-s.worker.ended:
			s.worker = nil
		default:
			return s.worker, nil
		}
	}
	dir, err := s.workdir(ctx)
	if err != nil {
		return nil, err
	}
	w, err := s.startWorker(ctx, dir)
	if err != nil {
		return nil, err
	}
	s.worker = w
	return w, nil
}

func (s *Source) startWorker(ctx context.Context, dir string) (*worker, error) {
	env, err := s.environ()
	if err != nil {
		return nil, err
	}
	process, err := proc.Start(proc.Spec{Argv: s.config.Call, Dir: dir, Env: env, Input: true, Sandbox: s.sandbox(ctx)})
	if err != nil {
		return nil, err
	}
	w := &worker{process: process, ended: make(chan struct{}), waiting: make(map[string]chan reply)}
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		s.logLines(process.Stderr)
	}()
	go w.listen(logged)
	return w, nil
}

// logLines logs what the worker writes to its standard error.
func (s *Source) logLines(stderr io.Reader) {
	said := &listener{tell: func(line string) {
		s.config.Logger.Info("a program said", "command", s.config.Name, "line", line)
	}}
	_, _ = io.Copy(&stream.Stream{Keep: 1 << 20, Tell: said.add}, stderr) // it ends with the worker
	said.flush()
}

// listen hands the replies to those who wait, until the program ends or writes
// something else than a reply. Logged is closed when its log has ended.
func (w *worker) listen(logged <-chan struct{}) {
	if err := w.readReplies(); !errors.Is(err, io.EOF) {
		w.giveUp(err)
	}
	_ = w.process.Kill() // and what it started
	<-w.process.Exited()
	// A process that left the group may hold the pipe of the log.
	select {
	case <-logged:
	case <-time.After(logWait):
	}
	w.process.Close()
	<-logged
	close(w.ended)
}

// readReplies delivers replies until the program ends, which is io.EOF, or
// breaks the protocol.
func (w *worker) readReplies() error {
	lines := stream.NewLines(w.process.Stdout, maxLine)
	for {
		line, err := lines.Next()
		if err != nil {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil || r.ID == "" {
			return errors.New(strconv.Quote(string(line[:min(len(line), 80)])))
		}
		w.deliver(r)
	}
}

func (w *worker) giveUp(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = err
}

// deliver never waits: a call has room for its last reply, and one for news.
func (w *worker) deliver(r reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	box, ok := w.waiting[r.ID]
	if !ok {
		return // the call was cancelled
	}
	if r.Log != "" || r.Progress != nil {
		select {
		case box <- r:
		default:
		}
		return
	}
	delete(w.waiting, r.ID)
	for {
		select {
		case box <- r:
			return
		default:
			<-box // news make room for the end
		}
	}
}

// send writes a line. A worker that does not read blocks only its callers, which
// have deadlines.
func (w *worker) send(r request) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	_, err = w.process.Stdin.Write(append(line, '\n'))
	return err
}

func (w *worker) begin() (id string, box chan reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	id, box = strconv.Itoa(w.last), make(chan reply, 16)
	w.waiting[id] = box
	return id, box
}

func (w *worker) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waiting, id)
}

// stop asks the program to end by closing its input, and then makes it.
func (w *worker) stop() {
	w.process.Stop(workerGrace, 0, workerGrace)
	<-w.ended
}

// callWorker makes one call.
func (s *Source) callWorker(ctx context.Context, name string, call gongu.Call) gongu.Result {
	w, err := s.take(ctx)
	if err != nil {
		return s.notRun(ctx, err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	id, box := w.begin()
	defer w.forget(id)
	sent := make(chan error, 1)
	go func() { sent <- w.send(request{ID: id, Name: name, Args: call.Args}) }()
	about := gongu.ContextOf(ctx)
	for {
		select {
		case r := <-box:
			if r.Log != "" {
				about.Log(ctx, slog.LevelInfo, r.Log)
			} else if r.Progress != nil {
				about.Progress(ctx, r.Progress.Done, r.Progress.Total, r.Progress.Message)
			} else {
				return s.workerAnswer(r)
			}
		case err := <-sent:
			if err != nil {
				// It may have closed its input and still run.
				_ = w.process.Kill()
				return s.workerEnded(w)
			}
			sent = nil
		case <-w.ended:
			select {
			case r := <-box:
				if r.Log == "" && r.Progress == nil {
					return s.workerAnswer(r)
				}
			default:
				return s.workerEnded(w)
			}
		case <-ctx.Done():
			return s.cancelCall(ctx, w, id)
		}
	}
}

// cancelCall sends the cancellation of a call. It kills a worker that does not
// read, which would block all later calls.
func (s *Source) cancelCall(ctx context.Context, w *worker, id string) gongu.Result {
	told := make(chan error, 1)
	go func() { told <- w.send(request{Cancel: id}) }()
	timer := time.NewTimer(workerGrace)
	defer timer.Stop()
	select {
	case <-told:
	case <-timer.C:
		_ = w.process.Kill()
	}
	return gongu.Fail(ctx.Err())
}

func (s *Source) workerEnded(w *worker) gongu.Result {
	<-w.ended
	w.mu.Lock()
	broken := w.broken
	w.mu.Unlock()
	program := filepath.Base(s.config.Call[0])
	if broken != nil {
		return gongu.Fail(&gongu.Error{Code: gongu.CodeUnavailable, Message: lang.CommandWorkerLine.In(s.lang, program, broken)})
	}
	return gongu.Fail(&gongu.Error{Code: gongu.CodeOutcomeUnknown, Message: lang.CommandWorkerGone.In(s.lang, program)})
}

// workerAnswer is the end of a call. An error is a text, or an object with a
// message and perhaps a suggestion.
func (s *Source) workerAnswer(r reply) gongu.Result {
	if len(r.Error) == 0 || string(r.Error) == "null" {
		if len(r.Output) == 0 {
			return gongu.OK(nil)
		}
		return gongu.Result{Status: gongu.StatusOK, Output: r.Output}
	}
	fault := &gongu.Error{Code: gongu.CodeTool, Name: ErrorName}
	var known struct {
		Message    string `json:"message"`
		Suggestion string `json:"suggestion"`
	}
	switch {
	case json.Unmarshal(r.Error, &fault.Message) == nil:
	case json.Unmarshal(r.Error, &known) == nil && known.Message != "":
		fault.Message, fault.Suggestion = known.Message, known.Suggestion
	default:
		fault.Message = string(r.Error)
	}
	return gongu.Result{Status: gongu.StatusError, Output: r.Output, Error: fault}
}
