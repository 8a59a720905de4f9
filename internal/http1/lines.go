package http1

import (
	"net/http"
	"strings"
)

// plainLines reads the lines of a header, if all are plain. Take looks at each
// and says no to what is not; again means that there was one of this name.
func plainLines(lines string, take func(name, value string, again bool) bool) (http.Header, bool) {
	count := strings.Count(lines, "\r\n") + 1
	header := make(http.Header, count)
	values := make([]string, 0, count)
	for line := range strings.SplitSeq(lines, "\r\n") {
		name, value, found := strings.Cut(line, ":")
		if !found || !token(name) || !clean(value) {
			return nil, false
		}
		name, value = http.CanonicalHeaderKey(name), strings.Trim(value, " \t")
		before := header[name]
		if !take(name, value, before != nil) {
			return nil, false
		}
		values = append(values, value)
		if before == nil {
			header[name] = values[len(values)-1 : len(values) : len(values)]
		} else {
			header[name] = append(before, value)
		}
	}
	return header, true
}

// plainName refuses what decides about bodies and connections.
func plainName(name, value string, again bool) bool {
	switch name {
	case "Transfer-Encoding", "Trailer", "Upgrade", "Pragma":
		return false
	case "Connection":
		return strings.EqualFold(value, "keep-alive") && !again
	}
	return true
}
