package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// rootURL names the schema inside the compiler. It is absolute, so that the
// compiler never derives a file path, and nothing answers at it.
const rootURL = "mem:///schema"

// program is one compiled copy of a schema with its own work meter.
type program struct {
	root  *jsonschema.Schema
	meter *meter
	// types spells the type lists in the schema's own order, by location.
	types map[string]string
}

// compileProgram runs the full compiler. The compiler is not ours and has been
// seen to panic on odd numbers, hence the recover.
func compileProgram(source string, opts *Options) (p *program, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("schema cannot be compiled: %v", r)
		}
	}()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("schema is not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // no file, no http, nothing
	c.UseRegexpEngine(patternEngine)
	if opts.Draft7 {
		c.DefaultDraft(jsonschema.Draft7)
	}
	if err := c.AddResource(rootURL, doc); err != nil {
		return nil, fmt.Errorf("schema cannot be compiled: %w", err)
	}
	docs := map[string]any{rootURL: doc}
	if err := addResources(c, opts.Resources, docs); err != nil {
		return nil, err
	}
	root, err := c.Compile(rootURL)
	if err != nil {
		return nil, compileError(err)
	}
	return instrument(c, root, docs)
}

// addResources gives the compiler the documents that the caller named.
func addResources(c *jsonschema.Compiler, resources map[string][]byte, docs map[string]any) error {
	for url, raw := range resources {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return fmt.Errorf("resource %s is not JSON: %w", url, err)
		}
		var exists *jsonschema.ResourceExistsError
		if err := c.AddResource(url, doc); err != nil && !errors.As(err, &exists) {
			return fmt.Errorf("resource %s cannot be used: %w", url, err)
		}
		docs[url] = doc
	}
	return nil
}

// compileError says in one line what the compiler found.
func compileError(err error) error {
	var invalid *jsonschema.SchemaValidationError
	var detail *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &detail) {
		for len(detail.Causes) > 0 {
			detail = detail.Causes[len(detail.Causes)-1]
		}
		text := detail.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		return problem(text).below(detail.InstanceLocation...)
	}
	var load *jsonschema.LoadURLError
	if errors.As(err, &load) {
		return fmt.Errorf("schema refers to %s, and nothing is fetched: put the definition into the schema itself ($defs)", load.URL)
	}
	return errors.New("schema cannot be compiled: " + strings.ReplaceAll(err.Error(), rootURL, ""))
}

// budgetExceeded is the private panic value of a meter that ran out.
type budgetExceeded struct{}

// check runs the validator within the budget for these arguments.
func (p *program) check(args []byte) *Failure {
	value, err := decode(args)
	if err != nil {
		return &Failure{Broken: fmt.Errorf("arguments are not JSON: %w", err)}
	}
	p.meter.reset(len(args))
	invalid, complete := p.validate(value)
	if !complete {
		return &Failure{TooComplex: true}
	}
	if invalid == nil {
		return nil
	}
	if hasCycle(invalid) {
		return &Failure{Broken: problem(textCycle)}
	}
	return &Failure{Issues: describe(invalid, value, p.types)}
}

// hasCycle finds the one kind of cycle that only shows at run time: a
// $dynamicRef that the path of the check has led back.
func hasCycle(e *jsonschema.ValidationError) bool {
	if _, ok := e.ErrorKind.(*kind.RefCycle); ok {
		return true
	}
	return slices.ContainsFunc(e.Causes, hasCycle)
}

// validate returns complete == false when the budget ended first.
func (p *program) validate(value any) (invalid *jsonschema.ValidationError, complete bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case budgetExceeded:
			invalid, complete = nil, false
		default:
			panic(r)
		}
	}()
	err := p.root.Validate(value)
	if err != nil && !errors.As(err, &invalid) {
		return nil, false // cannot happen: the validator has one error type
	}
	return invalid, true
}

// decode keeps numbers as they are written.
func decode(args []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var value any
	err := d.Decode(&value)
	return value, err
}
