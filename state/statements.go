package state

import (
	"bufio"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// Names of the engines.
const (
	engineSQLite   = "sqlite"
	enginePostgres = "postgres"
)

//go:embed statements.sql
var statementsFile string

// statement is one named statement in the dialect of an engine.
type statement struct {
	name    string
	text    string
	params  int
	dialect bool
}

// parseStatements reads the statements of one engine. A statement begins with
// "-- name: Name", or "-- name: Name [engine]" if it is only for that engine, and
// goes on to the next one.
func parseStatements(source, engine string) (map[string]*statement, error) {
	all := map[string]*statement{}
	var current *statement
	var body strings.Builder
	finish := func() error {
		if current == nil {
			return nil
		}
		current.text = translate(strings.TrimSuffix(strings.TrimSpace(body.String()), ";"), engine)
		if current.text == "" {
			return fmt.Errorf("state: statement %s is empty", current.name)
		}
		current.params = countParams(current.text)
		return nil
	}
	lines := bufio.NewScanner(strings.NewReader(source))
	for lines.Scan() {
		line := lines.Text()
		header, isHeader := strings.CutPrefix(line, "-- name: ")
		switch {
		case isHeader:
			if err := finish(); err != nil {
				return nil, err
			}
			name, of, dialect := strings.Cut(header, " [")
			name, of = strings.TrimSpace(name), strings.TrimSuffix(strings.TrimSpace(of), "]")
			if dialect && of != engineSQLite && of != enginePostgres {
				return nil, fmt.Errorf("state: statement %s names the engine %q", name, of)
			}
			current = &statement{name: name, dialect: dialect}
			body.Reset()
			if dialect && of != engine {
				continue
			}
			if all[name] != nil {
				return nil, fmt.Errorf("state: statement %s is there twice", name)
			}
			all[name] = current
		case strings.HasPrefix(strings.TrimSpace(line), "--"):
			// A comment, or the heading of a section.
		default:
			body.WriteString(line)
			body.WriteByte('\n')
		}
	}
	if err := finish(); err != nil {
		return nil, err
	}
	return all, lines.Err()
}

// translate changes what SQLite spells differently. Placeholders need nothing:
// its driver takes $1.
func translate(text, engine string) string {
	if engine == engineSQLite {
		return strings.ReplaceAll(text, "AS BYTEA)", "AS BLOB)")
	}
	return text
}

// countParams returns the highest placeholder.
func countParams(text string) int {
	highest := 0
	for {
		_, after, found := strings.Cut(text, "$")
		if !found {
			return highest
		}
		digits := 0
		for digits < len(after) && after[digits] >= '0' && after[digits] <= '9' {
			digits++
		}
		if n, err := strconv.Atoi(after[:digits]); err == nil {
			highest = max(highest, n)
		}
		text = after[digits:]
	}
}
