// Package modelserver is a model that follows a script, for tests of programs
// that speak with one: agents, and the command-line clients of other people.
//
// It answers on loopback in the forms of OpenAI (chat completions and
// responses), Anthropic (messages) and Gemini (generateContent), streamed or
// not. Which turn of the script comes next is read from the conversation
// itself, by the results of tools in it, so that a repeated request gets the
// same answer and requests beside the conversation do not disturb it.
package modelserver
