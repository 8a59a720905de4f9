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

// Func makes a tool from a Go function. The schema of the arguments is derived
// from In, a struct or a map. Fields are named by their json tag; those without
// omitempty are required. Further tags add to the schema:
//
//	City string `json:"city" jsonschema:"the city to look up"`
//	Unit string `json:"unit,omitempty" enum:"celsius,fahrenheit"`
//	Note string `json:"note" required:"false"`
//
// The output is Out as JSON. fn can return an [Error] to describe a failure, and
// Out can be a [Result] with images and other content. [Registry.Add] returns
// an error if a type has no schema.
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
			tool.Output = "" // a tool may have no output schema
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

// checkedBefore skips checks that the executor has made: arguments have no
// duplicate names and are valid UTF-8.
var checkedBefore = strict.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// bindError returns the error for an argument that fits the schema but not the
// Go type, such as a number that is too large.
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

// describesOutput reports whether the JSON of a type is an object, which clients
// expect of an output schema.
func describesOutput(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[Result]() {
		return false
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
}

// schemaOf returns the schema of a type as it is read or, if written, encoded.
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

// applyTags applies the tags enum and required, which the library does not have.
// It also removes the null that the library allows for every slice and map, and
// for a written pointer that is omitted when nil.
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
