package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gongu-ai/gongu/internal/lang"
)

// ReadPolicies reads a policy file of the user or the administrator: documents
// of kind Policy. A file that does not exist has none. Diagnostics name the file
// by its path; when they have errors, no policy is returned.
func ReadPolicies(path string, opts *Options) ([]*Policy, Diagnostics, error) {
	raw, err := readPolicyFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the policy file %s: %w", path, err)
	}
	policies, list := ParsePolicies(path, raw, opts)
	return policies, list, nil
}

func readPolicyFile(path string) ([]byte, error) {
	// Before it is opened: opening a pipe would wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(raw) > maxFileBytes {
		return nil, errTooLarge
	}
	return raw, err
}

// ParsePolicies reads the text of a policy file; see [ReadPolicies].
func ParsePolicies(path string, raw []byte, opts *Options) ([]*Policy, Diagnostics) {
	if opts == nil {
		opts = &Options{}
	}
	l := newLoader(opts)
	l.policies = true
	docs, _ := parse(l.reporter, path, raw, &pkg{})
	var policies []*Policy
	for _, doc := range docs {
		if !sound(l.reporter, doc) {
			continue
		}
		if p := l.policy(doc); p != nil {
			policies = append(policies, p)
		}
	}
	list := l.finish()
	if list.HasErrors() {
		return nil, list
	}
	return policies, list
}

// policy reads one document of a policy file.
func (l *loader) policy(doc at) *Policy {
	if n := field(doc.node, "kind"); kindOf(doc.node) != kindNull && (n == nil || deref(n).Value != "Policy") {
		l.error(doc.find("kind"), CodeUnknownKind, lang.PolicyFileKind.With(), lang.PolicyHintFileKind.With())
		return nil
	}
	p, ok := l.decode(doc).(*Policy)
	if !ok {
		return nil
	}
	if other := l.index.add(p); other != nil {
		l.error(p.place.find("metadata", "name"), CodeDuplicateName,
			lang.BundleDuplicate.With(p.Identity(), other.Head().Position.File, other.Head().Position.Line), lang.BundleHintRename.With())
	}
	return p
}
