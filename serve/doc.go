// Package serve serves the tools of a host over MCP, on streamable HTTP and
// stdio, in both eras of the protocol at one address.
//
//	s, err := serve.New(serve.Options{Backend: h})
//	if err != nil { … }
//	http.Handle("/mcp", authenticated(s.MCP()))
//
// Clients of 2026-07-28 (the modern era) send self-contained requests; clients
// of 2025-11-25 and older (legacy) begin a session. Both see the same tools. A
// message is scanned once and decoded only where needed: arguments and results
// are forwarded byte for byte.
//
// One list or one call is one step of the agent that the path names. A step may
// use what the agent's catalog, the principal and the owner of the server all
// allow; everything else does not exist for the client.
//
// # Asking the client
//
// A tool that asks a person or a model (gongu.Context.Elicit and Sample) waits
// for the answer. The server sends the question within the call in a session.
// In the modern era it answers with a result that asks for input, and the call
// waits in memory for the client's next request, or it becomes a task.
package serve
