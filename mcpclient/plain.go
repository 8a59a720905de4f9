package mcpclient

import "bytes"

// plainJSON takes out of a file what editors of settings allow and JSON does
// not: a byte order mark, comments, and a comma before a closing bracket. What
// is taken out becomes spaces, so that positions stay.
func plainJSON(raw []byte) []byte {
	out := bytes.TrimPrefix(bytes.Clone(raw), []byte("\xef\xbb\xbf"))
	comma := -1 // a comma after which nothing has come yet
	for i := 0; i < len(out); i++ {
		switch b := out[i]; {
		case b == '"':
			i = endOfText(out, i)
			comma = -1
		case b == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		case b == ',':
			comma = i
		case (b == '}' || b == ']') && comma >= 0:
			out[comma] = ' '
			comma = -1
		case b > ' ':
			comma = -1
		}
	}
	return out
}

// endOfText is the index of the quote that closes the text that begins at i.
func endOfText(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// blankComment overwrites a comment and returns the index of its last byte.
func blankComment(raw []byte, i int) int {
	end := len(raw)
	if raw[i+1] == '/' {
		if n := bytes.IndexByte(raw[i:], '\n'); n >= 0 {
			end = i + n
		}
	} else if n := bytes.Index(raw[i+2:], []byte("*/")); n >= 0 {
		end = i + 2 + n + 2
	}
	for ; i < end; i++ {
		raw[i] = ' '
	}
	return end - 1
}
