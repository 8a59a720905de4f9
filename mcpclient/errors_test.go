package mcpclient

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/netguard"
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
			got := tc.e.told(l, tc.repeatable)
			if got.Code != tc.code || !strings.Contains(got.Message, "srv") || strings.Contains(got.Message, "%!") {
				t.Errorf("%s %v: %+v", tc.e.Reason, tc.e.Sent, got)
			}
		}
	}
}

// TestGuarded: what a server on the internet names as its authorization server
// must not be inside of our network.
func TestGuarded(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	server := &http.Server{Handler: http.NotFoundHandler()}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	for serverURL, reached := range map[string]bool{"https://mcp.example.com/mcp": false, "http://localhost:1/mcp": true, "http://127.0.0.1/": true} {
		resp, err := (&http.Client{Transport: guarded(serverURL)}).Get("http://" + listener.Addr().String())
		if err == nil {
			_ = resp.Body.Close()
		}
		if _, refused := errors.AsType[*netguard.Refused](err); refused == reached {
			t.Errorf("%s: %v", serverURL, err)
		}
	}
}
