package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"
)

// stdioPlayer is a client on a pair of pipes. Each line of a step is a line of
// the wire; after one that wants an answer everything is shown up to the answer,
// or up to a question of the server. "& " before a line waits for nothing, and
//
//	read count           shows the next messages
//	drain                shuts the server down, and shows what is still said
//
// stand for themselves, as do change, tell and release of [httpPlayer].
type stdioPlayer struct {
	t      testing.TB
	stage  *stage
	record *record
	vars   vars
	in     io.WriteCloser
	out    *io.PipeReader
	lines  *bufio.Reader
}

func newStdioPlayer(t testing.TB, s *stage, rec *record) *stdioPlayer {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.server.ServeStdio(context.Background(), inR, outW)
		_ = inR.Close()
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		_, _ = io.Copy(io.Discard, outR)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &stdioPlayer{t: t, stage: s, record: rec, in: inW, out: outR, lines: bufio.NewReader(outR)}
}

func (p *stdioPlayer) play(in string) string {
	p.t.Helper()
	// Only to end a test that hangs.
	defer time.AfterFunc(20*time.Second, func() { _ = p.out.CloseWithError(context.DeadlineExceeded) }).Stop()
	out := ""
	for line := range strings.Lines(in) {
		line = strings.TrimSpace(line)
		first, rest, _ := strings.Cut(line, " ")
		switch {
		case first == "read":
			count, _ := strconv.Atoi(rest)
			for range count {
				shown, _ := p.read()
				out += shown
			}
		case first == "drain":
			out += p.drain()
		case first == "&":
			p.write(rest)
		case p.stage.happen(p.t, line):
		default:
			for waiting := p.write(line); waiting; {
				shown, isNotification := p.read()
				out += shown
				waiting = isNotification
			}
		}
	}
	return out
}

// write sends a line and reports whether it wants an answer.
func (p *stdioPlayer) write(line string) bool {
	p.t.Helper()
	line = p.vars.expand(line)
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
	var msg struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal([]byte(line), &msg) != nil {
		return true // whatever it is, it is wrong
	}
	p.record.add(true, []byte(line))
	return msg.Method != "" && msg.ID != nil
}

func (p *stdioPlayer) read() (shown string, isNotification bool) {
	p.t.Helper()
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatalf("%s: %v", p.record.step, err)
	}
	return p.show(line)
}

func (p *stdioPlayer) show(line string) (shown string, isNotification bool) {
	p.t.Helper()
	var got struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		p.t.Fatalf("%s: %q: %v", p.record.step, line, err)
	}
	p.record.add(false, []byte(strings.TrimSpace(line)))
	p.vars.keep(line)
	return fold([]byte(p.vars.scrub(line)), "") + "\n", got.Method != "" && got.ID == nil
}

func (p *stdioPlayer) drain() string {
	p.t.Helper()
	drained := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		drained <- p.stage.server.Drain(ctx)
	}()
	out := ""
	for {
		line, err := p.lines.ReadString('\n')
		if err != nil {
			break
		}
		shown, _ := p.show(line)
		out += shown
	}
	if err := <-drained; err != nil {
		p.t.Error(err)
	}
	return out
}

var _ player = (*stdioPlayer)(nil)
