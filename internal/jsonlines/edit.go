package jsonlines

import (
	"context"
	"encoding/json"
	"errors"
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

// MaxEdit is the longest request of [Edits], in bytes.
const MaxEdit = 256 << 20

// Edits answers requests for edits of texts until the input ends.
func Edits(ctx context.Context, in io.Reader, write Write, l lang.Lang) error {
	return answer(ctx, in, MaxEdit, write, func(line []byte) any { return answerEdit(ctx, line, l) })
}

func answerEdit(ctx context.Context, line []byte, l lang.Lang) editAnswer {
	var request editRequest
	err := json.Unmarshal(line, &request)
	if err == nil && (request.Before == nil || request.Old == nil || request.New == nil) {
		err = errors.New(string(line[:min(len(line), 60)]))
	}
	if err != nil {
		return editAnswer{Error: lang.CLIEditNotJSON.In(l, err)}
	}
	content := []byte(*request.Before)
	began := time.Now()
	out := edit.Apply(ctx, content, *request.Old, *request.New, &edit.Options{
		ReplaceAll: request.ReplaceAll, NearLine: request.NearLine, ExpectedSHA: request.ExpectedSHA,
	})
	answer := editAnswer{OK: out.OK, US: time.Since(began).Microseconds()}
	if !out.OK {
		answer.Code, answer.Error = string(out.Code), out.Message(l)
		return answer
	}
	after := string(out.Content)
	answer.After, answer.Tier = &after, out.Tier.String()
	return answer
}
