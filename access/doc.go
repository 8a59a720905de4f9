// Package access decides what a principal may see and use: agents, tools,
// the resources and prompts of sources, what belongs to a principal, and
// the decisions that are a person's. MCP, HTTP and the command line share this
// one rule. A host applies it inside each step, so that no caller can forget
// it.
//
// A nil *[gongu.Principal] is the program itself and may do everything. A nil
// *[Access] offers every tool.
package access
