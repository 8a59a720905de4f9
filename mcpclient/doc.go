// Package mcpclient brings the tools of MCP servers into gongu.
//
// A [Client] speaks with one server, over the pipes of a child process or over
// HTTP, in both eras of the protocol: the sessions of 2025-11-25 and older, and
// the single requests of 2026-07-28. It connects at the first use, once for all
// who ask at the same time, and again after a failure. A server that is dead,
// slow or lying costs its callers an error with a reason, within a limit, and
// nobody else anything.
//
// Payloads are raw JSON from end to end. [Client.Tools] gives the definitions
// as gongu tools with the bytes they came in, [Client.Request] passes any
// method through, and unknown members, the order of keys and _meta survive.
//
// The wire is built on the Transport and Connection of the official SDK and on
// its authorization; sessions, eras and calls are our own, because a client
// that many callers share must not judge or re-encode what it passes on, and
// must not let one bad answer end the calls of others.
//
// A [Group] holds several servers, loads them side by side and says how each of
// them is.
package mcpclient
