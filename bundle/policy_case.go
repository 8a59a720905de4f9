package bundle

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/policy"
)

// PolicyTest is a file of cases for rules: documents of kind Policy, and one
// document with the cases.
type PolicyTest struct {
	// Rules are those of the file itself and of the files that it names.
	Rules []policy.Set `json:"-"`
	Files []string     `json:"policies" rule:"nonempty" doc:"Policy files whose rules are tested, relative to this file."`
	Tier  string       `json:"tier" rule:"enum=admin|user|bundle" doc:"Tier of these rules (default: user)."`
	// Bundle is absolute when it is set.
	Bundle string       `json:"bundle" rule:"nonempty" doc:"Bundle whose rules and tools count too, relative to this file."`
	Cases  []PolicyCase `json:"cases" rule:"required,min=1,unique=name" doc:"The cases."`
}

// PolicyCase is a call and what the rules must say about it.
type PolicyCase struct {
	Name      string          `json:"name" rule:"nonempty" doc:"Name of the case."`
	Tool      PolicyCaseTool  `json:"tool" rule:"required" doc:"Name of a tool of the bundle or of gongu, or the properties of one."`
	Args      json.RawMessage `json:"args" rule:"object" doc:"Arguments of the call."`
	Agent     string          `json:"agent" doc:"Name of the agent."`
	Principal PolicyCaller    `json:"principal" doc:"The caller: its kind, or its properties (default: agent)."`
	Mode      string          `json:"mode" rule:"enum=plan|default|edits|bypass" doc:"Permission mode."`
	Workdir   bool            `json:"workdir" doc:"The call changes only files inside its workdir."`
	Expect    string          `json:"expect" rule:"required,enum=allow|ask|deny" doc:"What must happen to the call."`
	Rule      string          `json:"rule" rule:"nonempty" doc:"The rule that must decide: its name, or tier/policy/name."`
	// Position is where the case is.
	Position Position `json:"-"`
}

// PolicyCaseTool is a tool by its name or its properties.
type PolicyCaseTool struct {
	Name   string      `json:"name" rule:"required" doc:"Full name."`
	Domain string      `json:"domain" doc:"Domain."`
	Source string      `json:"source" rule:"nonempty" doc:"Where it comes from, such as McpServer/github."`
	Hints  PolicyHints `json:"hints" doc:"Annotations."`
	// Described means that the case has the properties.
	Described bool `json:"-"`
}

// PolicyCaller is a caller by its kind or its properties.
type PolicyCaller struct {
	Kind     string `json:"kind" rule:"required,enum=cli|stdio|token|oidc|session|anonymous|agent" doc:"How the caller was authenticated."`
	Name     string `json:"name" doc:"Name of the caller."`
	Person   bool   `json:"person" doc:"The caller is a person."`
	Attended bool   `json:"attended" doc:"The client of the caller asks a person."`
}

func (t *PolicyCaseTool) fromNode(d *decoder, a at, _ rules) {
	if kindOf(a.node) == kindString {
		t.Name = a.value().Value
		d.checkText(a, t.Name, rules{nonempty: true})
		return
	}
	t.Described = true
	d.structure(a, reflect.ValueOf(t).Elem())
}

func (c *PolicyCaller) fromNode(d *decoder, a at, _ rules) {
	if kindOf(a.node) != kindString {
		d.structure(a, reflect.ValueOf(c).Elem())
		return
	}
	c.Kind = a.value().Value
	kinds := parseRules(reflect.TypeFor[PolicyCaller]().Field(0).Tag.Get("rule")).enum
	if !slices.Contains(kinds, c.Kind) {
		d.error(a, CodeSchemaInvalid, lang.BundleEnum.With(short(c.Kind)), choose(c.Kind, kinds))
	}
}

func (c *PolicyCase) check(_ *decoder, a at) { c.Position = a.position() }

// Principal returns the caller of a case.
func (c *PolicyCaller) Principal() *gongu.Principal {
	if c.Kind == "" {
		return &gongu.Principal{Kind: "agent"}
	}
	return &gongu.Principal{Kind: c.Kind, Name: c.Name, Person: c.Person, Attended: c.Attended}
}

// ReadPolicyTest reads a file of cases.
func ReadPolicyTest(path string, opts *Options) (*PolicyTest, Diagnostics, error) {
	raw, err := readPolicyFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", path, err)
	}
	if opts == nil {
		opts = &Options{}
	}
	l := newLoader(opts)
	l.policies = true
	docs, whole := parse(l.reporter, path, raw, &pkg{})
	var test *PolicyTest
	var policies []*Policy
	for _, doc := range docs {
		switch {
		case !sound(l.reporter, doc) || kindOf(doc.node) == kindNull:
		case field(doc.node, "kind") != nil:
			if p := l.policy(doc); p != nil {
				policies = append(policies, p)
			}
		case test != nil:
			l.error(doc, CodeSchemaInvalid, lang.PolicyTestTwice.With(), lang.PolicyHintTestTwice.With())
		default:
			test = &PolicyTest{}
			d := &decoder{reporter: l.reporter, owner: &Meta{}}
			d.structure(doc, reflect.ValueOf(test).Elem())
		}
	}
	if test == nil && whole {
		l.error(atFile(path), CodeSchemaInvalid, lang.PolicyTestNone.With(), lang.PolicyHintTestNone.With())
	}
	if l.list.HasErrors() {
		return nil, l.finish(), nil
	}
	return test, nil, test.complete(path, policies, opts)
}

// complete reads the files that the test names.
func (t *PolicyTest) complete(path string, policies []*Policy, opts *Options) error {
	for _, name := range t.Files {
		file := filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		raw, err := readPolicyFile(file)
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		more, diagnostics := ParsePolicies(file, raw, opts)
		if err := diagnostics.Err(); err != nil {
			return err
		}
		policies = append(policies, more...)
	}
	tiers := map[string]policy.Tier{"": policy.User, "admin": policy.Admin, "user": policy.User, "bundle": policy.Bundle}
	for _, p := range policies {
		t.Rules = append(t.Rules, p.Set(tiers[t.Tier]))
	}
	if t.Bundle != "" {
		t.Bundle = filepath.Join(filepath.Dir(path), filepath.FromSlash(t.Bundle))
	}
	return nil
}
