// Package connect edits the settings files of programs that use MCP servers,
// such as Claude Code, Codex and VS Code. It moves the servers that a file
// lists into a bundle, replaces them by gongu, measures what that saves, and
// undoes the change.
//
// A change keeps every byte of the user's file that it is not about: comments,
// order and white space. Secrets never reach the bundle; the bundle refers to
// environment variables instead.
package connect
