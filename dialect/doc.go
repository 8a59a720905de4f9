// Package dialect writes tools and results in the forms that model providers
// and protocols read, and takes arguments back from them.
//
// Everything here is a pure function of its arguments. [Declare] turns a tool
// into a declaration, [DeclareAll] makes the whole tools value of a request,
// [Arguments] undoes on the way in what a declaration added, and
// [EncodeResult] turns a result into the block or message that answers a call.
//
// No dialect changes a tool's name or description. Where the tool's own schema
// is accepted it is passed on byte for byte. Where it is not, it is lowered to
// what the dialect knows, and every rule that did not survive is listed as a
// [Loss]; a bound that a parameter lost is described in that parameter's
// description. A declaration is a help for the model only: arguments are
// always checked against the tool's own schema.
//
// # Rich content
//
// A result can hold text, images, audio, resources and links to resources.
// MCP carries all of them as they are. The others carry what they have a form
// for; the rest becomes a line that names the type, the MIME type and the size.
//
//	                 image                  audio  PDF resource  text resource
//	anthropic        png, jpeg, gif, webp   line   yes           text
//	openai (chat)    line                   line   line          text
//	openai-responses png, jpeg, gif, webp   line   yes           text
//	gemini           png, jpeg, webp        line   yes           text
//	aisdk            yes                    yes    any type      text
//	plain            line                   line   line          text
//
// A tool message of OpenAI's chat API holds text alone, as does the content of
// plain; the media parts of a Gemini function response need a model that reads
// them; an AI SDK error holds text alone.
package dialect
