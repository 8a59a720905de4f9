// Package serve puts a host on the wire: MCP over streamable HTTP and stdio,
// in both eras of the protocol, on one address.
//
//	s, err := serve.New(serve.Options{Backend: h})
//	if err != nil { … }
//	http.Handle("/mcp", gate(s.MCP()))
//
// Clients of 2026-07-28 send single requests that say everything themselves;
// clients of 2025-11-25 and older begin a session. Both see the same tools. A
// message is scanned once and taken apart only where that is needed: arguments
// and results are passed on as the bytes they came in.
//
// One list or one call is one step of the agent whose path it came in on. What
// a step may use is what the agent's catalog, the token and the owner of the
// server all allow; everything else does not exist for the client.
//
// # Asking the client
//
// A tool that asks a person or a model (gongu.Context.Elicit and Sample) just
// waits for the answer. How the question travels is the server's matter: within
// the call in a session, as a result that asks for input in the modern era,
// where the call waits in memory until the client comes again, or as a task.
package serve
