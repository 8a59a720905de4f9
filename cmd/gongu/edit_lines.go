package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gongu-ai/gongu/edit"
	"github.com/gongu-ai/gongu/internal/lang"
)

// editRequest is a line of gongu edit --jsonl.
type editRequest struct {
	Before      *string `json:"before"`
	Old         *string `json:"old"`
	New         *string `json:"new"`
	ReplaceAll  bool    `json:"replace_all"`
	NearLine    int     `json:"near_line"`
	ExpectedSHA string  `json:"expected_sha"`
}

// editAnswer is the line that follows.
type editAnswer struct {
	OK    bool    `json:"ok"`
	After *string `json:"after,omitempty"`
	Error string  `json:"error,omitempty"`
	Code  string  `json:"code,omitempty"`
	Tier  string  `json:"tier,omitempty"`
	// US is the time of the edit itself, in microseconds.
	US int64 `json:"us"`
}

// editLines answers requests, a line each, until there are no more.
func (a *app) editLines(ctx context.Context) error {
	in := bufio.NewReaderSize(a.stdin, 1<<20)
	for ctx.Err() == nil {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := a.writeJSONLine(a.answerEdit(ctx, line)); err != nil {
				return fmt.Errorf("print the result: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.New(lang.CLIStdinFailed.In(a.lang, err))
		}
	}
	return ctx.Err()
}

func (a *app) answerEdit(ctx context.Context, line []byte) editAnswer {
	var request editRequest
	err := json.Unmarshal(line, &request)
	if err == nil && (request.Before == nil || request.Old == nil || request.New == nil) {
		err = errors.New(string(firstBytes(line, 60)))
	}
	if err != nil {
		return editAnswer{Error: lang.CLIEditNotJSON.In(a.lang, err)}
	}
	content := []byte(*request.Before)
	began := time.Now()
	out := edit.Apply(ctx, content, *request.Old, *request.New, &edit.Options{
		ReplaceAll: request.ReplaceAll, NearLine: request.NearLine, ExpectedSHA: request.ExpectedSHA,
	})
	answer := editAnswer{OK: out.OK, US: time.Since(began).Microseconds()}
	if !out.OK {
		answer.Code, answer.Error = string(out.Code), out.Message(a.lang)
		return answer
	}
	after := string(out.Content)
	answer.After, answer.Tier = &after, out.Tier.String()
	return answer
}

func firstBytes(text []byte, n int) []byte { return text[:min(len(text), n)] }
