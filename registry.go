package gongu

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/schema"
)

// RegistryOptions configure a registry. Nil and zero values mean the defaults.
type RegistryOptions struct {
	// Logger logs replaced tools and schema warnings (default slog.Default).
	Logger *slog.Logger
	// Base makes the registry an overlay: it has the current tools of Base and
	// its own. Names of Base can only be added with Override. Adding and
	// removing tools does not change Base. If a name of the overlay is added to
	// Base later, the overlay's tool hides it.
	Base *Registry
}

// Registry holds every tool that can be executed. It is safe for concurrent use.
// Readers do not block: each reads an immutable snapshot, which a writer
// replaces as a whole.
type Registry struct {
	*store
	// allow narrows a view; nil is the whole registry.
	allow map[string]struct{}
}

// store is the state that a registry and all its views share.
type store struct {
	current atomic.Pointer[snapshot]
	write   sync.Mutex
	// combined is the last state of an overlay with its base.
	combined atomic.Pointer[snapshot]
	logger   *slog.Logger
	// checkers caches compiled schemas by their text, so that a source that
	// lists the same tools again compiles nothing.
	checkers map[Schema]*schema.Checker
}

// snapshot is one state of the registry. It never changes once published.
type snapshot struct {
	revision uint64
	order    []*entry // by registration; a replaced tool keeps its place
	byName   *names
	domains  []Domain // as declared
	// superseded is closed when the next snapshot is in place.
	superseded chan struct{}
	// own and base are the parts of an overlay's combined state, which has
	// neither order nor superseded.
	own, base *snapshot
	// below is the registry that own tools are an overlay of, or nil.
	below *Registry
}

// entry is a registered tool with values derived from it.
type entry struct {
	tool    Tool
	domain  string // the group that discovery tools list the tool under
	digest  [sha256.Size]byte
	checker *schema.Checker
	// slot is held while a serial tool runs, across replacements of it.
	slot chan struct{}
	// tokens caches Tool.Tokens; 0 until the first use.
	tokens atomic.Int64
}

// cost returns Tool.Tokens, computed once.
func (e *entry) cost() int {
	if known := e.tokens.Load(); known != 0 {
		return int(known)
	}
	cost := e.tool.Tokens()
	e.tokens.Store(int64(cost))
	return cost
}

var errReadOnly = errors.New("this is a restricted view of a registry: add to the registry itself")

// NewRegistry returns an empty registry.
func NewRegistry(opts *RegistryOptions) *Registry {
	if opts == nil {
		opts = &RegistryOptions{}
	}
	s := &store{logger: opts.Logger, checkers: make(map[Schema]*schema.Checker)}
	if s.logger == nil {
		s.logger = slog.Default()
	}
	s.current.Store(&snapshot{below: opts.Base, byName: namesOf(nil), superseded: make(chan struct{})})
	return &Registry{store: s}
}

// Add registers tools, all or none. A tool replaces one of the same name only
// if it has the same owner; see [Registry.Override].
func (r *Registry) Add(tools ...Tool) error {
	return r.put(tools, putOptions{})
}

// Override is Add without the owner rule: it also replaces tools of other
// sources.
func (r *Registry) Override(tools ...Tool) error {
	return r.put(tools, putOptions{override: true})
}

// Replace atomically makes tools the whole set of a source: new ones are added,
// changed ones replaced, missing ones removed. On an error the old set stays.
// Tools without a source get this one.
func (r *Registry) Replace(source Source, tools ...Tool) error {
	tools = slices.Clone(tools)
	for i := range tools {
		if tools[i].Source == (Source{}) {
			tools[i].Source = source
		}
	}
	return r.ReplaceAll([]Source{source}, tools...)
}

// ReplaceAll is Replace for several sources in one step. The source of each tool
// must be one of them. The tools keep the order given, at the position of the
// first tool that these sources had before.
func (r *Registry) ReplaceAll(sources []Source, tools ...Tool) error {
	owners := make(map[string]struct{}, len(sources))
	for _, source := range sources {
		owners[source.orGo().Identity()] = struct{}{}
	}
	for i := range tools {
		owner := tools[i].Source.orGo().Identity()
		if _, ok := owners[owner]; !ok {
			return fmt.Errorf("replace: tool %q belongs to %s, which is none of the sources replaced", tools[i].Name, owner)
		}
	}
	return r.put(tools, putOptions{replace: owners})
}

type putOptions struct {
	override bool
	replace  map[string]struct{} // owners whose other tools are removed
}

func (r *Registry) put(tools []Tool, opts putOptions) error {
	if r.allow != nil {
		return errReadOnly
	}
	if len(tools) == 0 && opts.replace == nil {
		return nil
	}
	entries, err := r.prepare(tools)
	if err != nil {
		return err
	}
	r.write.Lock()
	defer r.write.Unlock()
	old := r.current.Load()
	if !opts.override {
		if err := r.checkOwners(old, entries, &opts); err != nil {
			return err
		}
	}
	r.publish(old, old.successor(r.merge(old.order, entries, &opts)))
	return nil
}

// merge returns the tools after a write: a replaced tool keeps its position, new
// ones follow.
func (r *Registry) merge(old, given []*entry, opts *putOptions) []*entry {
	if opts.replace != nil {
		return mergeSet(old, given, opts)
	}
	fresh := make(map[string]*entry, len(given))
	for _, e := range given {
		fresh[e.tool.Name] = e
	}
	order := make([]*entry, 0, len(old)+len(given))
	for _, before := range old {
		after, replaced := fresh[before.tool.Name]
		if !replaced {
			order = append(order, before)
			continue
		}
		after.succeed(before)
		order = append(order, after)
		delete(fresh, before.tool.Name)
		r.logger.Warn("tool replaced", "tool", after.tool.Name, "owner", after.tool.Source.Identity(), "before", before.tool.Source.Identity())
	}
	for _, e := range given {
		if _, added := fresh[e.tool.Name]; added {
			order = append(order, e)
		}
	}
	return order
}

// mergeSet inserts the tools of sources at the position of the first one that
// they had before, in the order given: lists must not depend on which source
// answered first.
func mergeSet(old, given []*entry, opts *putOptions) []*entry {
	before := make(map[string]*entry, len(given))
	order := make([]*entry, 0, len(old)+len(given))
	at := -1
	for _, e := range old {
		if !opts.drops(e) {
			order = append(order, e)
			continue
		}
		before[e.tool.Name] = e
		if at < 0 {
			at = len(order)
		}
	}
	for _, e := range given {
		if earlier, ok := before[e.tool.Name]; ok {
			e.succeed(earlier)
		}
	}
	if at < 0 {
		at = len(order)
	}
	return slices.Insert(order, at, given...)
}

// drops reports whether the owner of a tool is replaced.
func (o *putOptions) drops(e *entry) bool {
	_, gone := o.replace[e.tool.Source.Identity()]
	return gone
}

// succeed takes over the slot of the tool that it replaces.
func (e *entry) succeed(before *entry) {
	if e.slot != nil && before.slot != nil {
		e.slot = before.slot
	}
}

// prepare validates and compiles the tools without holding the write lock. It
// distributes a large batch over the processors.
func (r *Registry) prepare(tools []Tool) ([]*entry, error) {
	seen := make(map[string]struct{}, len(tools))
	for i := range tools {
		if _, twice := seen[tools[i].Name]; twice {
			return nil, fmt.Errorf("tool %q: name: is given twice in one batch", tools[i].Name)
		}
		seen[tools[i].Name] = struct{}{}
	}
	entries := make([]*entry, len(tools))
	bulk := len(tools) > bulkAdd
	prepareRange := func(from, to int) error {
		for i := from; i < to; i++ {
			var err error
			if entries[i], err = r.prepareOne(tools[i].clone(), bulk); err != nil {
				return fmt.Errorf("tool %q: %w", tools[i].Name, err)
			}
		}
		return nil
	}
	if !bulk {
		return entries, prepareRange(0, len(tools))
	}
	// Read once: it may change meanwhile.
	shares := runtime.GOMAXPROCS(0)
	failures := make([]error, shares)
	var group sync.WaitGroup
	for i := range shares {
		from, to := len(tools)*i/shares, len(tools)*(i+1)/shares
		group.Go(func() { failures[i] = prepareRange(from, to) })
	}
	group.Wait()
	return entries, cmp.Or(failures...)
}

func (r *Registry) prepareOne(tool Tool, bulk bool) (*entry, error) {
	tool.Source = tool.Source.orGo()
	if err := checkTool(&tool); err != nil {
		return nil, err
	}
	checker, err := r.checkerFor(tool.Parameters, bulk)
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	if !checker.ObjectRoot() {
		return nil, errors.New(`parameters: root must have "type": "object"; wrap the value in an object property`)
	}
	for _, warning := range checker.Warnings() {
		r.logger.Warn("tool schema", "tool", tool.Name, "warning", warning)
	}
	return newEntry(tool, checker), nil
}

func newEntry(tool Tool, checker *schema.Checker) *entry {
	e := &entry{tool: tool, domain: placeOf(&tool), digest: tool.fingerprint(), checker: checker}
	if tool.Limits.Serial {
		e.slot = make(chan struct{}, 1)
	}
	return e
}

const (
	// bulkAdd is the batch size above which schemas get only the cheap checks
	// and are compiled in full at the first call.
	bulkAdd = 64
	// maxDescription is the maximum size of a title, description or domain, so
	// that one tool cannot fill a model's context.
	maxDescription = 64 << 10
)

// checkTool validates a tool. Its error names the field.
func checkTool(t *Tool) error {
	if t.err != nil {
		return t.err
	}
	if _, known := sourceKinds[t.Source.Type]; !known {
		return fmt.Errorf("source: type %q is none of go, config, extension, mcp, command, macro", t.Source.Type)
	}
	if err := checkToolName(t.Name, t.Source); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	if t.Invoke == nil {
		return errors.New("invoke: there is no handler")
	}
	for _, field := range [...]struct{ name, text string }{{"title", t.Title}, {"description", t.Description}, {"domain", t.Domain}} {
		if !utf8.ValidString(field.text) {
			return fmt.Errorf("%s: is not valid UTF-8", field.name)
		}
		if len(field.text) > maxDescription {
			return fmt.Errorf("%s: has %d bytes, at most %d are allowed", field.name, len(field.text), maxDescription)
		}
	}
	if t.Template != "" && (jsonx.Strict([]byte(t.Template)) != nil || t.Template[0] != '{') {
		return errors.New("template: is not a JSON object")
	}
	if t.Limits.ErrorMessage < 0 || t.Limits.Output < 0 {
		return errors.New("limits: errorMessage and output must not be negative")
	}
	if t.Output != "" {
		if err := schema.Bound([]byte(t.Output)); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
	return nil
}

// checkOwners refuses a tool whose name belongs to another source, unless that
// source is replaced in the same step.
func (s *store) checkOwners(old *snapshot, entries []*entry, opts *putOptions) error {
	for _, e := range entries {
		before := old.byName.find(e.tool.Name)
		if before == nil && old.below != nil {
			if below := old.below.find(e.tool.Name); below != nil {
				return fmt.Errorf("tool %q: name: belongs to %s in the base registry, so %s cannot replace it; choose another name or use Override", e.tool.Name, below.tool.Source.Identity(), e.tool.Source.Identity())
			}
		}
		if before == nil || opts.drops(before) {
			continue
		}
		if owner, ours := before.tool.Source.Identity(), e.tool.Source.Identity(); owner != ours {
			return fmt.Errorf("tool %q: name: belongs to %s, so %s cannot replace it; choose another name or use Override", e.tool.Name, owner, ours)
		}
	}
	return nil
}

// checkerFor compiles a schema once for all tools and versions that share it.
func (s *store) checkerFor(text Schema, bulk bool) (*schema.Checker, error) {
	text = text.OrAnyObject()
	s.write.Lock()
	checker, ok := s.checkers[text]
	s.write.Unlock()
	if ok {
		return checker, nil
	}
	compile := schema.Compile[Schema]
	if bulk {
		compile = schema.Lazy[Schema]
	}
	checker, err := compile(text, nil)
	if err != nil {
		return nil, err
	}
	s.write.Lock()
	defer s.write.Unlock()
	s.checkers[text] = checker
	return checker, nil
}

// Remove removes tools and returns how many it removed. It ignores unknown names
// and names of a base.
func (r *Registry) Remove(names ...string) int {
	if r.allow != nil {
		return 0
	}
	r.write.Lock()
	defer r.write.Unlock()
	old := r.current.Load()
	gone := make(map[string]struct{}, len(names))
	for _, name := range names {
		if old.byName.find(name) != nil {
			gone[name] = struct{}{}
		}
	}
	if len(gone) == 0 {
		return 0
	}
	order := slices.DeleteFunc(slices.Clone(old.order), func(e *entry) bool { _, ok := gone[e.tool.Name]; return ok })
	r.publish(old, old.successor(order))
	return len(gone)
}

// Domain declares a domain and its description. Domains are listed in the order
// of their first declaration; a second one changes the description.
func (r *Registry) Domain(name, description string) {
	if r.allow != nil {
		return
	}
	r.write.Lock()
	defer r.write.Unlock()
	old := r.current.Load()
	domains := declareDomain(slices.Clone(old.domains), Domain{Name: name, Description: description})
	next := *old
	next.revision, next.domains, next.superseded = old.revision+1, domains, make(chan struct{})
	r.publish(old, &next)
}

func declareDomain(domains []Domain, declared Domain) []Domain {
	i := slices.IndexFunc(domains, func(d Domain) bool { return d.Name == declared.Name })
	if i < 0 {
		return append(domains, declared)
	}
	domains[i].Description = declared.Description
	return domains
}

// publish must be called with the write lock held.
func (s *store) publish(old, next *snapshot) {
	s.current.Store(next)
	close(old.superseded)
	if len(s.checkers) > 2*len(next.order)+bulkAdd {
		s.sweepCheckers(next)
	}
}

// sweepCheckers removes schemas of removed tools from the cache.
func (s *store) sweepCheckers(live *snapshot) {
	kept := make(map[Schema]*schema.Checker, len(live.order))
	for _, e := range live.order {
		kept[e.tool.Parameters.OrAnyObject()] = e.checker
	}
	s.checkers = kept
}

// successor returns the next state, with these tools.
func (s *snapshot) successor(order []*entry) *snapshot {
	return &snapshot{
		revision:   s.revision + 1,
		order:      order,
		byName:     namesOf(order),
		domains:    s.domains,
		below:      s.below,
		superseded: make(chan struct{}),
	}
}
