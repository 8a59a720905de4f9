package search

import "bytes"

// stem cuts the commonest endings off an English word, in place: plurals, -ing,
// -ed, a last e. It need not be right, only the same for the forms of one word;
// what it leaves apart, such as finance and financial, the families of words
// bring together (see parts).
func stem(w []byte) []byte {
	if len(w) < 4 || !isASCII(w) {
		return w
	}
	w = singular(w)
	for _, ending := range [...]string{"ing", "ed"} {
		if b, ok := bytes.CutSuffix(w, []byte(ending)); ok && len(b) >= 3 && bytes.ContainsAny(b, "aeiouy") {
			w = undouble(b)
			break
		}
	}
	if n := len(w) - 1; n >= 3 {
		switch w[n] {
		case 'e':
			w = w[:n]
		case 'y':
			w[n] = 'i' // as in the singular of stories
		}
	}
	return w
}

func isASCII(w []byte) bool {
	for _, c := range w {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// singular cuts the s of a plural, and leaves words that just end in one.
func singular(w []byte) []byte {
	n := len(w)
	if w[n-1] != 's' {
		return w
	}
	switch w[n-2] {
	case 's', 'u', 'i':
		return w
	}
	for _, ending := range [...]string{"ies", "sses", "xes", "ches", "shes"} {
		if n > 4 && bytes.HasSuffix(w, []byte(ending)) {
			return w[:n-2]
		}
	}
	return w[:n-1]
}

// undouble makes plan of plann(ing), but leaves sell and pass.
func undouble(w []byte) []byte {
	n := len(w) - 1
	if n >= 3 && w[n] == w[n-1] && w[n] != 'l' && w[n] != 's' && w[n] != 'z' {
		return w[:n]
	}
	return w
}

// stop reports whether a word carries no meaning: the glue of English, and
// the words that turn a wish into a request.
func stop(w []byte) bool {
	switch string(w) {
	case "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
		"be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
		"can", "cannot", "cant", "could", "did", "do", "does", "doing", "dont", "down", "during",
		"each", "few", "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers",
		"him", "his", "how", "i", "id", "if", "ill", "im", "in", "into", "is", "isnt", "it", "its", "itself", "ive",
		"just", "let", "lets", "like", "me", "more", "most", "my", "no", "nor", "not", "now",
		"of", "off", "on", "once", "only", "or", "other", "our", "ours", "out", "over", "own",
		"same", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
		"these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "very",
		"was", "we", "were", "what", "whats", "when", "where", "which", "while", "who", "whom", "why", "will",
		"with", "would", "you", "your", "youre", "yours",
		"get", "give", "help", "know", "need", "please", "show", "tell", "want":
		return true
	}
	return false
}
