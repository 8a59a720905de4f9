// Package mcpclient brings the tools of MCP servers into gongu.
//
// A [Client] uses one server, over the pipes of a child process or over HTTP,
// in both eras of the protocol: the sessions of 2025-11-25 and older, and the
// single requests of 2026-07-28. It connects at the first use, once for all
// concurrent callers, and again after a failure. A server that fails, is slow or
// sends invalid messages costs its callers an error with a reason, within a time
// limit, and does not affect other servers.
//
// Payloads are raw JSON from end to end. [Client.Tools] gives the definitions
// as gongu tools with the bytes they came in, [Client.Request] passes any
// method through, and unknown members, the order of keys and _meta survive.
//
// The wire is built on the Transport and Connection of the official SDK and on
// its authorization. Sessions, eras and calls are implemented here, because a
// client that many callers share must not re-encode what it passes on, and one
// invalid answer must not end the calls of others.
//
// A [Group] holds several servers, lists them in parallel and reports the status
// of each.
package mcpclient
