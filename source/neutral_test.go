package source_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/pin"
)

// What a person accepted although it hides something is shown with it in
// plain sight.
func TestHiddenTextIsShown(t *testing.T) {
	a := newFake("a")
	a.put("x", "Does\u200b x.")
	s := newBench(t, time.Minute, a)
	s.manager.Load(t.Context())
	if result := s.call("a__x"); !result.Failed() || result.Error.Code != gongu.CodeQuarantined {
		t.Fatalf("%+v", result)
	}
	book, err := pin.Open(filepath.Join(s.dir, "gongu.lock"), filepath.Join(s.dir, "cache"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := book.Accept(t.Context(), s.manager.Launches(), "x"); err != nil {
		t.Fatal(err)
	}
	if err := s.manager.Recall(); err != nil {
		t.Fatal(err)
	}
	if tool, ok := s.registry.Get("a__x"); !ok || tool.Description != "Does[U+200B] x." {
		t.Errorf("%v %q", ok, tool.Description)
	}
}
