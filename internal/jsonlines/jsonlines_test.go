package jsonlines

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/search"
)

func collect(answers *[]any) Write {
	return func(answer any) error {
		*answers = append(*answers, answer)
		return nil
	}
}

// Each line has one answer, in order; a blank line of a search has none.
func TestAnswers(t *testing.T) {
	var answers []any
	in := strings.NewReader("{\"query\":\"x\"}\n\n{}\n")
	if err := Searches(t.Context(), in, collect(&answers), &search.Index{}, lang.English); err != nil || len(answers) != 2 {
		t.Errorf("%v, %v", answers, err)
	}
	answers = nil
	in = strings.NewReader("{\"before\":\"a\",\"old\":\"a\",\"new\":\"b\"}\nnot json")
	if err := Edits(t.Context(), in, collect(&answers), lang.English); err != nil || len(answers) != 2 {
		t.Fatalf("%v, %v", answers, err)
	}
	first, second := answers[0].(editAnswer), answers[1].(editAnswer)
	if !first.OK || *first.After != "b" || second.OK || !strings.Contains(second.Error, "JSON") {
		t.Errorf("%+v, %+v", first, second)
	}
}

func TestAnswersEnd(t *testing.T) {
	var answers []any
	err := Searches(t.Context(), strings.NewReader(strings.Repeat("a", MaxSearch+1)), collect(&answers), &search.Index{}, lang.English)
	if _, ok := errors.AsType[*ReadError](err); !ok || !errors.Is(err, bufio.ErrTooLong) {
		t.Errorf("a long line: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = Edits(ctx, strings.NewReader("{}\n"), collect(&answers), lang.English)
	if !errors.Is(err, context.Canceled) || len(answers) > 0 {
		t.Errorf("a cancelled run: %v, %v", answers, err)
	}
	full := errors.New("disk full")
	err = Edits(t.Context(), strings.NewReader("{}\n"), func(any) error { return full }, lang.English)
	if !errors.Is(err, full) {
		t.Errorf("a failed write: %v", err)
	}
}
