// Package schema checks the arguments of a tool call, as raw JSON bytes,
// against a JSON Schema. It is made for untrusted schemas and
// arguments: nothing is ever fetched, hostile schemas are refused in microseconds,
// every check has a work budget, and no goroutine is started.
//
// There are two ways to a verdict. The full validator understands all of
// 2020-12, 2019-09 and draft-07 and finds the words for what is wrong. The fast
// path walks the bytes without allocating, for the plain schemas that nearly
// all tools have, and only decides; the full validator confirms and explains
// each refusal.
package schema

import (
	"maps"
	"sync"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Options adjust how a schema is read. A nil *Options means the defaults.
type Options struct {
	// Draft7 reads a schema without $schema as draft-07, not as 2020-12.
	Draft7 bool
	// Resources are further documents that $ref may name, by absolute URL.
	// Nothing else is ever loaded. The documents must not be changed later.
	Resources map[string][]byte
}

// Failure says why arguments were refused.
type Failure struct {
	// Issues are in a fixed order: missing properties first, in the order of
	// the schema, then the others by their place in the arguments.
	Issues []Issue
	// TooComplex is set when the work budget ended before the check did.
	TooComplex bool
	// Broken is set when the schema itself turned out to be unusable, or when
	// the arguments were no JSON at all.
	Broken error
	// Required and Allowed are the names that the root of the schema demands
	// and knows, in the order of the schema.
	Required, Allowed []string
}

// Issue is one thing that is wrong, and where.
type Issue struct {
	Path    string // such as args.x[0].y
	Message lang.Message
}

// Checker checks arguments against one schema. It never changes for its
// callers and is safe for concurrent use.
type Checker struct {
	source   string
	options  Options
	fast     *fastNode
	warnings []string
	full     fullValidator

	objectRoot bool
}

// Compile reads a schema completely: everything that is wrong with it is found
// now.
func Compile[T ~string | ~[]byte](text T, opts *Options) (*Checker, error) {
	c, err := Lazy(text, opts)
	if err != nil {
		return nil, err
	}
	if err := c.full.prepare(c.source, &c.options); err != nil {
		return nil, err
	}
	return c, nil
}

// Lazy does what can be done in a few microseconds, which is to refuse hostile
// and plainly wrong schemas and to build the fast path. The full validator is
// compiled when a call first needs it.
func Lazy[T ~string | ~[]byte](text T, opts *Options) (*Checker, error) {
	c := &Checker{}
	if opts != nil {
		// A copy, because the checker outlives the call.
		c.options = Options{Draft7: opts.Draft7, Resources: maps.Clone(opts.Resources)}
	}
	found, err := inspect([]byte(text), string(text), &c.options, true)
	if err != nil {
		return nil, err
	}
	c.source, c.fast, c.warnings, c.objectRoot = found.source, found.fast, found.warnings, found.objectRoot
	return c, nil
}

// Check returns nil when the arguments satisfy the schema. They must be strict
// JSON: the caller has refused duplicate names, invalid UTF-8 and great depth.
func (c *Checker) Check(args []byte) *Failure {
	if c.fast != nil && c.fast.verdict(args) == fastValid {
		return nil
	}
	failure := c.full.check(c.source, &c.options, args)
	if failure != nil && failure.Broken == nil {
		failure.Required, failure.Allowed = rootNames(c.source)
	}
	return failure
}

// Err returns the error of a Lazy checker whose full compile has failed.
func (c *Checker) Err() error { return c.full.err() }

// ObjectRoot reports whether the root of the schema says "type": "object",
// which every model provider demands of parameters.
func (c *Checker) ObjectRoot() bool { return c.objectRoot }

// Fast reports whether the fast path was built.
func (c *Checker) Fast() bool { return c.fast != nil }

// Warnings tells what of the schema is not checked, such as a regular
// expression that would not run in linear time.
func (c *Checker) Warnings() []string { return append([]string(nil), c.warnings...) }

// fullValidator holds the compiled copies. Each copy has its own work meter and
// serves one check at a time; a further copy is compiled when all are busy.
type fullValidator struct {
	mu     sync.Mutex
	idle   []*program
	broken error
}

// maxIdle is how many compiled copies a checker keeps for later.
const maxIdle = 4

// prepare makes sure that one copy exists.
func (f *fullValidator) prepare(source string, opts *Options) error {
	p, err := f.take(source, opts)
	if err != nil {
		return err
	}
	f.give(p)
	return nil
}

// take returns a copy for exclusive use.
func (f *fullValidator) take(source string, opts *Options) (*program, error) {
	f.mu.Lock()
	if f.broken != nil {
		defer f.mu.Unlock()
		return nil, f.broken
	}
	if last := len(f.idle) - 1; last >= 0 {
		p := f.idle[last]
		f.idle = f.idle[:last]
		f.mu.Unlock()
		return p, nil
	}
	f.mu.Unlock()
	p, err := compileProgram(source, opts)
	if err != nil {
		f.mu.Lock()
		f.broken = err
		f.mu.Unlock()
	}
	return p, err
}

// give returns a copy after use.
func (f *fullValidator) give(p *program) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.idle) < maxIdle {
		f.idle = append(f.idle, p)
	}
}

func (f *fullValidator) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broken
}

// check decodes the arguments and runs one compiled copy.
func (f *fullValidator) check(source string, opts *Options, args []byte) *Failure {
	p, err := f.take(source, opts)
	if err != nil {
		return &Failure{Broken: err}
	}
	failure := p.check(args)
	f.give(p)
	return failure
}
