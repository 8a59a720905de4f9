package mcpclient

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestTold: each reason has its code for a model, in both languages.
func TestTold(t *testing.T) {
	some := errors.New("because")
	for _, tc := range []struct {
		e          Error
		repeatable bool
		code       string
	}{
		{Error{Reason: ReasonConfig, Err: some}, false, gongu.CodeUnavailable},
		{Error{Reason: ReasonConnect, Err: some}, false, gongu.CodeUnavailable},
		{Error{Reason: ReasonClosed, Err: some}, false, gongu.CodeUnavailable},
		{Error{Reason: ReasonAuth, Err: some}, false, gongu.CodeUnavailable},
		{Error{Reason: ReasonResting, Err: some}, false, gongu.CodeUnavailable},
		{Error{Reason: ReasonBusy, Err: some}, false, gongu.CodeUnavailable},
		{Error{Reason: ReasonTimeout, Err: some}, false, gongu.CodeUnavailable}, // no connection in time
		{Error{Reason: ReasonTimeout, Err: context.DeadlineExceeded}, false, gongu.CodeTimeout},
		{Error{Reason: ReasonTimeout, Sent: true, Err: some}, false, gongu.CodeTimeout},
		{Error{Reason: ReasonCancelled, Sent: true, Err: some}, false, gongu.CodeCancelled},
		{Error{Reason: ReasonBroken, Sent: true, Err: some}, false, gongu.CodeOutcomeUnknown},
		{Error{Reason: ReasonBroken, Sent: true, Err: some}, true, gongu.CodeUnavailable},
		{Error{Reason: ReasonBroken, Err: some}, false, gongu.CodeUnavailable},
		{Error{Reason: ReasonTooLarge, Sent: true, Err: some}, false, gongu.CodeOutputTooLarge},
		{Error{Reason: ReasonProtocol, Sent: true, Err: some}, false, gongu.CodeTool},
		{Error{Reason: ReasonRemote, Sent: true, Err: &jsonrpc.Error{Code: -1, Message: "because"}}, false, gongu.CodeTool},
	} {
		tc.e.Server = "srv"
		for _, l := range []lang.Lang{lang.English, lang.Korean} {
			got := tc.e.toolError(l, tc.repeatable)
			if got.Code != tc.code || !strings.Contains(got.Message, "srv") || strings.Contains(got.Message, "%!") {
				t.Errorf("%s %v: %+v", tc.e.Reason, tc.e.Sent, got)
			}
		}
	}
}
