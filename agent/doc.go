// Package agent is what an agent's turns are made of: the conversation, the
// pipeline of middleware around turns, steps and tool calls, and the extensions
// that hook into it. The loop that asks a model drives these parts; they work,
// and are tested, without one.
package agent
