package bundle

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// ValueSource is a value or the place to get it from.
type ValueSource struct {
	Value     *string    `json:"value" doc:"The value itself. Not for secrets."`
	ValueFrom *ValueFrom `json:"valueFrom" doc:"Where to get the value when it is needed."`
}

// ValueFrom names the place of a value.
type ValueFrom struct {
	Env       *string    `json:"env" rule:"nonempty" doc:"Name of an environment variable."`
	SecretRef *SecretRef `json:"secretRef" doc:"A key of a secret."`
}

// SecretRef names a key of a secret.
type SecretRef struct {
	Ref string `json:"ref" rule:"required" doc:"The secret, as Secret/name."`
	Key string `json:"key" rule:"required" doc:"The key in the secret."`
}

func (v *ValueSource) check(d *decoder, a at) {
	d.exactlyOne(a, "value", "valueFrom", lang.BundleHintValueFrom)
}

func (v *ValueFrom) check(d *decoder, a at) {
	d.exactlyOne(a, "env", "secretRef", lang.BundleHintValueFrom)
	if v.Env != nil && d.env != nil {
		if _, ok := d.env(*v.Env); !ok {
			d.warn(a.find("env"), CodeEnvMissing, "", lang.BundleEnvMissing.With(short(*v.Env)), lang.BundleHintEnv.With(short(*v.Env)))
		}
	}
}

func (s *SecretRef) check(d *decoder, a at) {
	if s.Ref != "" && !isSecretRef(s.Ref) {
		d.error(a.find("ref"), CodeInvalidRef, lang.BundleSecretRef.With(short(s.Ref)), lang.BundleHintSecretRef.With())
	}
}

func isSecretRef(ref string) bool {
	kind, name, ok := strings.Cut(ref, "/")
	return ok && kind == "Secret" && name != "" && !strings.Contains(name, "/")
}

// Resolve returns the value. The flag is false when an optional value is not
// set. Secrets are looked up by secret, which may be nil when there are none.
func (v *ValueSource) Resolve(env func(string) (string, bool), secret func(name, key string) (string, bool), required bool) (string, bool, error) {
	switch {
	case v == nil:
		if required {
			return "", false, errors.New("no value is given")
		}
		return "", false, nil
	case v.Value != nil:
		return *v.Value, true, nil
	case v.ValueFrom == nil:
		return "", false, errors.New("neither value nor valueFrom is given")
	case v.ValueFrom.Env != nil:
		if env != nil {
			if text, ok := env(*v.ValueFrom.Env); ok {
				return text, true, nil
			}
		}
		if required {
			return "", false, fmt.Errorf("environment variable %s is not set", *v.ValueFrom.Env)
		}
		return "", false, nil
	case v.ValueFrom.SecretRef != nil:
		return v.ValueFrom.SecretRef.resolve(secret, required)
	}
	return "", false, errors.New("valueFrom names neither env nor secretRef")
}

func (s *SecretRef) resolve(secret func(name, key string) (string, bool), required bool) (string, bool, error) {
	if !isSecretRef(s.Ref) {
		return "", false, fmt.Errorf("secretRef %q does not have the form Secret/name", s.Ref)
	}
	if secret != nil {
		if text, ok := secret(strings.TrimPrefix(s.Ref, "Secret/"), s.Key); ok {
			return text, true, nil
		}
	}
	if required {
		return "", false, fmt.Errorf("%s has no key %s", s.Ref, s.Key)
	}
	return "", false, nil
}

// Duration is a time such as 30s, 500ms or 2m.
type Duration time.Duration

func (t *Duration) fromNode(d *decoder, a at, _ rules) {
	text := a.value().Value
	parsed, err := time.ParseDuration(text)
	switch {
	case kindOf(a.node) != kindString || err != nil:
		d.error(a, CodeSchemaInvalid, lang.BundleDuration.With(short(text)), lang.BundleHintDuration.With())
	case parsed <= 0:
		d.error(a, CodeSchemaInvalid, lang.BundleDurationSign.With(short(text)), lang.BundleHintDuration.With())
	default:
		*t = Duration(parsed)
	}
}

// Command is a program and its arguments. A string is split into words without
// a shell.
type Command []string

func (c *Command) fromNode(d *decoder, a at, _ rules) {
	switch kindOf(a.node) {
	case kindString:
		text := a.value().Value
		words, err := splitWords(text)
		if err != nil {
			d.error(a, CodeSchemaInvalid, lang.BundleQuoting.With(short(text)), lang.BundleHintArgv.With())
			return
		}
		if strings.ContainsAny(text, "|;&$><`") {
			d.warn(a, CodeShellSyntax, "", lang.BundleShell.With(short(text)), lang.BundleHintShell.With(short(text)))
		}
		*c = words
	case kindArray:
		for i, child := range a.value().Content {
			item := a.index(i, child)
			if d.expect(item, kindString) {
				*c = append(*c, item.value().Value)
			}
		}
	default:
		d.error(a, CodeSchemaInvalid, lang.BundleType.With("array or string", kindOf(a.node)), lang.BundleHintArgv.With())
		return
	}
	if len(*c) == 0 || (*c)[0] == "" {
		d.error(a, CodeSchemaInvalid, lang.BundleEmpty.With(), lang.BundleHintArgv.With())
	}
}

// splitWords splits as a shell would, with quotes and backslashes and nothing
// else: no variables, no globs, no operators.
func splitWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	open, quote := false, rune(0)
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if open {
				words = append(words, word.String())
				word.Reset()
			}
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}
