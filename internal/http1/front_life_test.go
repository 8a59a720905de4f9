package http1_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A handler that takes its time hears that its caller has left.
func TestFrontNoticesWhoLeaves(t *testing.T) {
	left := make(chan error, 1)
	f := startFront(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			left <- r.Context().Err()
		case <-time.After(30 * time.Second):
			left <- errors.New("it is not told")
		}
	}), nil)
	conn, _ := f.dial(t)
	send(t, conn, plainPost("/", "x"))
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What comes while somebody looks for the caller is the next request.
func TestFrontKeepsWhatComesEarly(t *testing.T) {
	begun, goOn := make(chan bool, 1), make(chan bool)
	f := startFront(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			begun <- true
			<-goOn
			if r.Context().Err() != nil {
				t.Error("the caller is still there")
			}
		}
		echo(w, r)
	}), nil)
	conn, in := f.dial(t)
	send(t, conn, plainPost("/slow", "a"))
	<-begun
	send(t, conn, plainPost("/next", "b"))
	time.Sleep(300 * time.Millisecond) // the look may have begun or not: the answers are the same
	goOn <- true
	for _, want := range []string{`front POST /slow localhost 1 "a" true true`, `front POST /next localhost 1 "b" true true`} {
		if _, got := receive(t, in); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	// A look that was ended in the middle leaves a good connection.
	send(t, conn, plainPost("/slow", "c"))
	<-begun
	time.Sleep(300 * time.Millisecond)
	goOn <- true
	receive(t, in)
	send(t, conn, plainPost("/next", "d"))
	if _, got := receive(t, in); got != `front POST /next localhost 1 "d" true true` {
		t.Error(got)
	}
}

// The context of a request ends with it.
func TestFrontContextEnds(t *testing.T) {
	contexts := make(chan context.Context, 1)
	f := startFront(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { contexts <- r.Context() }), nil)
	conn, in := f.dial(t)
	send(t, conn, plainPost("/", "x"))
	receive(t, in)
	select {
	case <-(<-contexts).Done():
	case <-time.After(30 * time.Second):
		t.Error("it does not end")
	}
}

// The times of the server hold: for the first request, between two, and for one
// that does not come to its end.
func TestFrontTimes(t *testing.T) {
	const short, long = 200 * time.Millisecond, time.Minute
	for name, tc := range map[string]struct {
		header, idle       time.Duration
		before, then, last string
	}{
		"first":   {short, long, "", "", ""},
		"between": {long, short, plainPost("/", "x"), "", ""},
		"half":    {short, long, plainPost("/", "x"), "POST / HTTP/1.1\r\nHo", "HTTP/1.1 400 "}, // as net/http says
	} {
		t.Run(name, func(t *testing.T) {
			f := startFront(t, echo, func(s *http.Server) { s.ReadHeaderTimeout, s.IdleTimeout = tc.header, tc.idle })
			conn, in := f.dial(t)
			if tc.before != "" {
				send(t, conn, tc.before)
				receive(t, in)
			}
			send(t, conn, tc.then)
			if rest, err := io.ReadAll(in); err != nil || !strings.HasPrefix(string(rest), tc.last) || tc.last == "" && len(rest) > 0 {
				t.Errorf("%q %v", rest, err)
			}
		})
	}
}

// A connection that was plain for long has its full time for a header.
func TestFrontTimeOfALateHeader(t *testing.T) {
	f := startFront(t, echo, func(s *http.Server) { s.ReadHeaderTimeout = 500 * time.Millisecond })
	conn, in := f.dial(t)
	for range 4 {
		send(t, conn, plainPost("/", "x"))
		receive(t, in)
		time.Sleep(200 * time.Millisecond) // longer in all than the first header may take
	}
	send(t, conn, "GET /late HTTP/1.1\r\n")
	time.Sleep(50 * time.Millisecond)
	send(t, conn, "Host: h\r\n\r\n")
	if _, got := receive(t, in); got != `server GET /late h 0 "" true true` {
		t.Error(got)
	}
}

// Shutdown ends idle connections at once and lets running requests finish.
func TestFrontShutdown(t *testing.T) {
	begun, goOn := make(chan bool, 1), make(chan bool)
	f := startFront(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			begun <- true
			<-goOn
		}
		echo(w, r)
	}), nil)
	idle, idleIn := f.dial(t)
	send(t, idle, plainPost("/", "x"))
	receive(t, idleIn)
	busy, busyIn := f.dial(t)
	send(t, busy, plainPost("/slow", "y"))
	<-begun
	ended := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		ended <- errors.Join(f.server.Shutdown(ctx), f.front.Wait(ctx))
	}()
	if _, err := idleIn.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the idle connection: %v", err)
	}
	select {
	case err := <-ended:
		t.Errorf("it did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	goOn <- true
	if resp, got := receive(t, busyIn); got != `front POST /slow localhost 1 "y" true true` || !resp.Close {
		t.Errorf("%s, and says that it was the last one: %v", got, resp.Close)
	}
	if _, err := busyIn.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the busy connection: %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The end of Wait's context ends the waiting.
func TestFrontWaitGivesUp(t *testing.T) {
	begun, goOn := make(chan bool, 1), make(chan bool)
	f := startFront(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- true
		<-goOn
	}), nil)
	conn, _ := f.dial(t)
	send(t, conn, plainPost("/", "x"))
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := f.front.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	goOn <- true
}

// Whoever closes a connection, and how often, a running request is answered:
// the server takes the connection for an idle one.
func TestFrontCloseLetsFinish(t *testing.T) {
	begun, goOn := make(chan bool, 1), make(chan bool)
	f := startFront(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- true
		<-goOn
		echo(w, r)
	}), nil)
	conn, in := f.dial(t)
	send(t, conn, plainPost("/", "x"))
	<-begun
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if err := f.server.Close(); err != nil {
			t.Error(err)
		}
		if err := f.front.Wait(ended); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	goOn <- true
	if _, got := receive(t, in); got != `front POST / localhost 1 "x" true true` {
		t.Error(got)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection: %v", err)
	}
}

// A caller that does not take its answer has left.
func TestFrontNoticesWhoDoesNotRead(t *testing.T) {
	told := make(chan error, 1)
	f := startFront(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Error(err)
		}
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				break
			}
		}
		told <- r.Context().Err()
	}), nil)
	conn, _ := f.dial(t)
	send(t, conn, plainPost("/", "x"))
	if err := <-told; !errors.Is(err, context.Canceled) {
		t.Errorf("its context: %v", err)
	}
}

// The bytes of a body are those of the next request, which no handler may see.
func TestFrontBodyEnds(t *testing.T) {
	bodies := make(chan io.ReadCloser, 2)
	f := startFront(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { bodies <- r.Body }), nil)
	conn, in := f.dial(t)
	for _, body := range []string{"mine", "theirs"} {
		send(t, conn, plainPost("/", body))
		receive(t, in)
	}
	for range 2 {
		if got, err := io.ReadAll(<-bodies); len(got) > 0 || !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("%q %v", got, err)
		}
	}
}

// A server may have no limit for idle connections, or one limit for all.
func TestFrontOtherTimes(t *testing.T) {
	f := startFront(t, echo, func(s *http.Server) { s.ReadHeaderTimeout, s.IdleTimeout = 100*time.Millisecond, -1 })
	conn, in := f.dial(t)
	for range 2 {
		send(t, conn, plainPost("/", "x"))
		receive(t, in)
		time.Sleep(200 * time.Millisecond) // longer than a header may take
	}
	f = startFront(t, echo, func(s *http.Server) { s.ReadHeaderTimeout, s.IdleTimeout, s.ReadTimeout = 0, 0, 100*time.Millisecond })
	conn, in = f.dial(t)
	send(t, conn, "POST / HT")
	if _, err := io.ReadAll(in); err != nil {
		t.Errorf("half a request is waited for: %v", err)
	}
}

// Deadlines may be set from wherever, and a status that is none is a mistake of
// the handler.
func TestFrontOddHandlers(t *testing.T) {
	f := startFront(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/status" {
			w.WriteHeader(1000)
		}
		rc := http.NewResponseController(w)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { _ = rc.SetWriteDeadline(time.Now().Add(time.Minute)) })
		}
		group.Wait()
	}), nil)
	conn, in := f.dial(t)
	send(t, conn, plainPost("/deadlines", "x"))
	receive(t, in)
	send(t, conn, plainPost("/status", "x"))
	if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
		t.Errorf("%q %v", rest, err)
	}
}
