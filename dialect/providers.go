package dialect

import "encoding/json"

const pdf = "application/pdf"

// textBlock returns the text part that three providers share.
func textBlock(kind, text string) json.RawMessage {
	var o object
	return o.string("type", kind).string("text", text).bytes()
}

// onlyText reports whether all of a result is one text.
func onlyText(blocks []block) bool { return len(blocks) == 1 && blocks[0].isText() }

func (e *encoding) anthropic() json.RawMessage {
	var o object
	o.string("type", "tool_result").string("tool_use_id", e.result.ToolCallID)
	blocks := e.allBlocks()
	if onlyText(blocks) {
		o.string("content", blocks[0].text)
	} else {
		var parts []json.RawMessage
		for _, b := range blocks {
			if b.isText() && b.text == "" {
				continue // the API refuses an empty text block
			}
			parts = append(parts, e.anthropicBlock(b))
		}
		o.raw("content", array(parts...))
	}
	if e.failed {
		o.flag("is_error", true)
	}
	return o.bytes()
}

func (e *encoding) anthropicBlock(b block) json.RawMessage {
	kind := ""
	switch {
	case b.hasMedia("image/png", "image/jpeg", "image/gif", "image/webp"):
		kind = "image"
	case b.hasMedia(pdf):
		kind = "document"
	default:
		return textBlock("text", b.asText(e.lang))
	}
	var o, source object
	source.string("type", "base64").string("media_type", b.mimeType).string("data", b.data)
	return o.string("type", kind).raw("source", source.bytes()).bytes()
}

func (e *encoding) responses() json.RawMessage {
	var o object
	o.string("type", "function_call_output").string("call_id", e.result.ToolCallID)
	blocks := e.allBlocks()
	if onlyText(blocks) {
		return o.string("output", blocks[0].text).bytes()
	}
	var parts []json.RawMessage
	for _, b := range blocks {
		parts = append(parts, e.responsesPart(b))
	}
	return o.raw("output", array(parts...)).bytes()
}

func (e *encoding) responsesPart(b block) json.RawMessage {
	var o object
	switch {
	case b.hasMedia("image/png", "image/jpeg", "image/gif", "image/webp"):
		return o.string("type", "input_image").string("image_url", b.dataURL()).bytes()
	case b.hasMedia(pdf):
		return o.string("type", "input_file").string("filename", b.filename()).string("file_data", b.dataURL()).bytes()
	}
	return textBlock("input_text", b.asText(e.lang))
}

func (b block) dataURL() string { return "data:" + b.mimeType + ";base64," + b.data }

func (b block) filename() string {
	if b.name == "" {
		return "file"
	}
	return b.name
}

// gemini answers with a part. JSON stays JSON in it, because a function
// response is an object anyway.
func (e *encoding) gemini() json.RawMessage {
	var o, response, inner object
	var media []json.RawMessage
	var texts []block
	for _, b := range e.allBlocks() {
		if !b.hasMedia("image/png", "image/jpeg", "image/webp", pdf) {
			texts = append(texts, b)
			continue
		}
		var part, blob object
		blob.string("mimeType", b.mimeType).string("data", b.data)
		media = append(media, part.raw("inlineData", blob.bytes()).bytes())
	}
	switch {
	case e.failed:
		inner.string("error", joined(texts, e.lang))
	case onlyText(texts) && len(e.result.Output) > 0 && texts[0].text == outputText(e.result.Output):
		inner.raw("output", e.result.Output)
	default:
		inner.string("output", joined(texts, e.lang))
	}
	if e.result.ToolCallID != "" {
		response.string("id", e.result.ToolCallID)
	}
	response.string("name", e.result.ToolName).raw("response", inner.bytes())
	if len(media) > 0 {
		response.raw("parts", array(media...))
	}
	return o.raw("functionResponse", response.bytes()).bytes()
}

func (e *encoding) aisdk() json.RawMessage {
	var o, output object
	blocks := e.allBlocks()
	switch {
	case e.failed:
		output.string("type", "error-text").string("value", joined(blocks, e.lang))
	case len(e.blocks) == 0 && len(e.result.Output) > 0 && e.result.Output[0] != '"':
		output.string("type", "json").raw("value", e.result.Output)
	case onlyText(blocks):
		output.string("type", "text").string("value", blocks[0].text)
	default:
		var parts []json.RawMessage
		for _, b := range blocks {
			parts = append(parts, e.aisdkPart(b))
		}
		output.string("type", "content").raw("value", array(parts...))
	}
	o.string("type", "tool-result").string("toolCallId", e.result.ToolCallID).string("toolName", e.result.ToolName)
	return o.raw("output", output.bytes()).bytes()
}

func (e *encoding) aisdkPart(b block) json.RawMessage {
	var o object
	switch {
	case b.isImage():
		return o.string("type", "image-data").string("data", b.data).string("mediaType", b.mimeType).bytes()
	case b.data != "" && b.mimeType != "":
		o.string("type", "file-data").string("data", b.data).string("mediaType", b.mimeType)
		if b.name != "" {
			o.string("filename", b.name)
		}
		return o.bytes()
	}
	return textBlock("text", b.asText(e.lang))
}
