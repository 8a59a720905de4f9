package gongu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// Func makes a tool from a Go function. The schema of the arguments comes from
// In, a struct or a map. Fields are named by their json tag; those without
// omitempty are required. More is said by tags:
//
//	City string `json:"city" jsonschema:"the city to look up"`
//	Unit string `json:"unit,omitempty" enum:"celsius,fahrenheit"`
//	Note string `json:"note" required:"false"`
//
// The output is Out as JSON. Return an [Error] to say more about a failure, or
// make Out a [Result] to answer with images and other content. What is wrong
// with the types is reported by [Registry.Add].
func Func[In, Out any](name, description string, fn func(ctx context.Context, in In) (Out, error)) Tool {
	tool := Tool{Name: name, Description: description, Source: Source{Type: "go"}}
	parameters, err := schemaOf(reflect.TypeFor[In](), false)
	if err != nil {
		tool.err = fmt.Errorf("parameters: %w", err)
		return tool
	}
	tool.Parameters = parameters
	if out := reflect.TypeFor[Out](); describesOutput(out) {
		if tool.Output, err = schemaOf(out, true); err != nil {
			tool.Output = "" // an output nobody described is still an output
		}
	}
	if fn == nil {
		return tool
	}
	tool.Invoke = func(ctx context.Context, call Call) Result {
		var in In
		if err := strict.Unmarshal(call.Args, &in, checkedBefore); err != nil {
			return Fail(bindError(call.Name, err))
		}
		out, err := fn(ctx, in)
		if err != nil {
			return Fail(err)
		}
		if result, ok := any(out).(Result); ok {
			return result
		}
		return OK(out)
	}
	return tool
}

// checkedBefore saves looking again for what the executor has refused: its
// arguments have no duplicate names and are valid UTF-8.
var checkedBefore = strict.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// bindError says which argument the Go type could not take, such as a number
// too large for it. The schema has already passed.
func bindError(name string, err error) *Error {
	path, issue := "args", err.Error()
	if semantic, ok := errors.AsType[*strict.SemanticError](err); ok {
		for token := range semantic.JSONPointer.Tokens() {
			path = jsonx.Join(path, token)
		}
		issue = fmt.Sprintf("%s does not fit %v", semantic.JSONValue, semantic.GoType)
	}
	return &Error{
		Code:    CodeInvalidArgs,
		Message: fmt.Sprintf("Invalid arguments for tool '%s': %s: %s", name, path, issue),
		cause:   err,
	}
}

// describesOutput holds for types whose JSON is an object, which is what
// readers of output schemas expect.
func describesOutput(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[Result]() {
		return false
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
}

// schemaOf is the schema of a type, as it is read or, of an output, written.
func schemaOf(t reflect.Type, written bool) (Schema, error) {
	inferred, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		return "", err
	}
	if inferred.Type != "object" {
		return "", fmt.Errorf("%v must be a struct or a map with string keys", t)
	}
	if err := applyTags(inferred, t, written); err != nil {
		return "", err
	}
	raw, err := json.Marshal(inferred)
	if err != nil {
		return "", fmt.Errorf("%v: %w", t, err)
	}
	return Schema(raw), nil
}

// applyTags adds what the library has no tags for: enum and required. It also
// takes back the null it allows for every slice and map, which no model needs,
// and for a written pointer that is left out when it is nil.
func applyTags(s *jsonschema.Schema, t reflect.Type, written bool) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if s.Items != nil {
			return applyTags(s.Items, t.Elem(), written)
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			return applyTags(s.AdditionalProperties, t.Elem(), written)
		}
	case reflect.Struct:
		return applyFieldTags(s, t, written)
	}
	return nil
}

func applyFieldTags(s *jsonschema.Schema, t reflect.Type, written bool) error {
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		property := s.Properties[name]
		if property == nil {
			continue
		}
		switch field.Type.Kind() {
		case reflect.Slice, reflect.Map:
			dropNull(property)
		case reflect.Pointer:
			if written && strings.Contains(options, "omit") {
				dropNull(property)
			}
		}
		if values := field.Tag.Get("enum"); values != "" {
			if err := applyEnum(property, values); err != nil {
				return fmt.Errorf("field %s: %w", field.Name, err)
			}
		}
		switch field.Tag.Get("required") {
		case "true":
			if !slices.Contains(s.Required, name) {
				s.Required = append(s.Required, name)
			}
		case "false":
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
		}
		if err := applyTags(property, field.Type, written); err != nil {
			return err
		}
	}
	return nil
}

func dropNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && slices.Contains(s.Types, "null") {
		i := slices.IndexFunc(s.Types, func(name string) bool { return name != "null" })
		s.Type, s.Types = s.Types[i], nil
	}
}

// applyEnum reads the values of the tag as the type of the field.
func applyEnum(s *jsonschema.Schema, values string) error {
	for value := range strings.SplitSeq(values, ",") {
		if s.Type == "string" {
			s.Enum = append(s.Enum, value)
			continue
		}
		var parsed any
		if err := json.Unmarshal([]byte(value), &parsed); err != nil {
			return fmt.Errorf("enum: %q is no value of type %s", value, s.Type)
		}
		s.Enum = append(s.Enum, parsed)
	}
	return nil
}
