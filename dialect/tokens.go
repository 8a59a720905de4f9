package dialect

// EstimateTokens guesses how many tokens a model needs to read this many bytes
// of JSON, as [gongu.Tool.Tokens] does.
func EstimateTokens(bytes int) int { return (bytes + 3) / 4 }
