// Command load is the clients of the gateway benchmark. It reads one
// [job.Job] to a line and answers each with a line of [job.Result]. Clients
// and their connections live from job to job, so that a target is met as warm
// as a long-lived client would. It ends when its input does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/bench/gateway/job"
)

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	crews := crews{all: map[string]*crew{}}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var j job.Job
		if err := json.Unmarshal(lines.Bytes(), &j); err != nil {
			return fmt.Errorf("read a job: %w", err)
		}
		raw, err := json.Marshal(crews.work(ctx, j))
		if err != nil {
			return fmt.Errorf("write a result: %w", err)
		}
		if _, err := out.Write(append(raw, '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}

// patience is how long a job may take beyond its own time. An answer that
// comes later counts as an error.
const patience = 30 * time.Second

// work does one job.
func (c *crews) work(ctx context.Context, j job.Job) job.Result {
	warm, length := time.Duration(j.WarmMS)*time.Millisecond, time.Duration(j.MS)*time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, warm+length+patience)
	defer cancel()
	clients, err := c.clients(ctx, j)
	if err != nil {
		return job.Result{Errors: 1, Error: err.Error()}
	}
	logs := make([]log, len(clients))
	begin := time.Now()
	from, until := begin.Add(warm), begin.Add(warm+length)
	var group sync.WaitGroup
	for i, client := range clients {
		group.Go(func() { logs[i].fill(ctx, client, j, from, until) })
	}
	group.Wait()
	return sum(logs, time.Since(from))
}

// log is what one client did.
type log struct {
	took, first []float64
	all, errors int
	failure     error
	pages, size int
}

// maxErrors is when a client gives up: what fails that often is not measured.
const maxErrors = 5

func (l *log) fill(ctx context.Context, c client, j job.Job, from, until time.Time) {
	w := &worker{client: c, job: j}
	// Whatever takes longer than the job is still measured once.
	more := func(start time.Time) bool {
		return l.errors < maxErrors && (start.Before(until) || len(l.took) == 0 && l.errors == 0)
	}
	for start := time.Now(); more(start); {
		r, err := w.once(ctx, start)
		end := time.Now()
		l.all++
		if err != nil {
			l.errors++
			if l.failure == nil {
				l.failure = err
			}
		} else if !start.Before(from) {
			l.took = append(l.took, float64(end.Sub(start)))
			l.first = append(l.first, float64(r.first))
			l.pages, l.size = r.pages, r.size
		}
		start = end
	}
}

func sum(logs []log, span time.Duration) job.Result {
	var r job.Result
	var took, first []float64
	for _, l := range logs {
		r.All += l.all
		r.Errors += l.errors
		if l.failure != nil && r.Error == "" {
			r.Error = l.failure.Error()
		}
		if l.pages > 0 {
			r.Pages, r.Bytes = l.pages, l.size
		}
		took, first = append(took, l.took...), append(first, l.first...)
	}
	if r.Done = len(took); r.Done == 0 {
		return r
	}
	slices.Sort(took)
	slices.Sort(first)
	r.P50, r.P99 = took[r.Done/2], took[min(r.Done-1, r.Done*99/100)]
	r.Rate = float64(r.Done) / span.Seconds()
	r.FirstByte = first[r.Done/2]
	return r
}
