package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/pin"
)

// object is a part of the document. Encoding sorts its keys, so that the
// document is always the same.
type object = map[string]any

// documents makes the OpenAPI document in each language.
func documents(routes []route, version string) (map[lang.Lang][]byte, error) {
	made := map[lang.Lang][]byte{}
	for _, l := range []lang.Lang{lang.English, lang.Korean} {
		d := &documenter{lang: l, schemas: object{}}
		doc, err := d.document(routes, version)
		if err != nil {
			return nil, err
		}
		if made[l], err = encode(doc); err != nil {
			return nil, fmt.Errorf("encode the document: %w", err)
		}
	}
	return made, nil
}

type documenter struct {
	lang    lang.Lang
	schemas object
}

func (d *documenter) document(routes []route, version string) (object, error) {
	paths := object{}
	for i := range routes {
		r := &routes[i]
		operation, err := d.operation(r)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		item, ok := paths[r.path].(object)
		if !ok {
			item = object{}
			paths[r.path] = item
		}
		item[strings.ToLower(r.method)] = operation
	}
	if _, err := d.ref(shapeOf[problem]("Problem")); err != nil {
		return nil, err
	}
	return object{
		"openapi":           "3.1.0",
		"jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
		"info": object{
			"title": "gongu", "version": version, "description": lang.APIAbout.In(d.lang),
			"license": object{"name": "Apache 2.0", "identifier": "Apache-2.0"},
		},
		"servers":  []any{object{"url": Prefix}},
		"security": []any{object{"bearer": []any{}}, object{}},
		"paths":    paths,
		"components": object{
			"schemas": d.schemas,
			"securitySchemes": object{
				"bearer":     object{"type": "http", "scheme": "bearer", "description": lang.APISchemeBearer.In(d.lang)},
				manageScheme: object{"type": "http", "scheme": "bearer", "description": lang.APISchemeManage.In(d.lang)},
			},
		},
	}, nil
}

// manageScheme is the right that operations for people need.
const manageScheme = "manage"

func (d *documenter) operation(r *route) (object, error) {
	reply, err := d.ref(r.reply)
	if err != nil {
		return nil, err
	}
	answer := object{
		"description": lang.APIReplyOK.In(d.lang),
		"content":     object{r.media(): object{"schema": reply}},
	}
	responses := object{"200": answer}
	if r.later != nil {
		later, err := d.ref(*r.later)
		if err != nil {
			return nil, err
		}
		responses["202"] = object{
			"description": lang.APIReplyLater.In(d.lang), "content": object{r.media(): object{"schema": later}},
			"headers": object{"Location": object{"schema": object{"type": "string"}}},
		}
	}
	if r.list {
		answer["headers"] = object{"ETag": object{"schema": object{"type": "string"}}}
		responses["304"] = object{"description": lang.APIReplySame.In(d.lang)}
	}
	d.problems(r, responses)
	operation := object{"operationId": r.id, "summary": r.summary.In(d.lang), "responses": responses}
	if r.access == AccessDecide || r.access == AccessManage {
		operation["security"] = []any{object{manageScheme: []any{}}}
	}
	if parameters := d.parameters(r); len(parameters) > 0 {
		operation["parameters"] = parameters
	}
	if r.body != nil {
		body, err := d.ref(*r.body)
		if err != nil {
			return nil, err
		}
		operation["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": body}}}
	}
	return operation, nil
}

// media returns the content type of the replies.
func (r *route) media() string {
	if r.stream {
		return "text/event-stream"
	}
	return "application/json"
}

// codes returns all problem codes of a route.
func (r *route) codes() []string {
	codes := append([]string{CodeInvalid, CodeForbidden, CodeBusy, CodeInternal}, r.problems...)
	if r.body != nil {
		codes = append(codes, CodeTooLarge, CodeMediaType)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func (d *documenter) problems(r *route, responses object) {
	for _, code := range r.codes() {
		kind := kinds[code]
		responses[strconv.Itoa(kind.status)] = object{
			"description": kind.title.In(d.lang),
			"content":     object{"application/problem+json": object{"schema": object{"$ref": "#/components/schemas/Problem"}}},
		}
	}
	// The handler that authenticates requests answers this.
	responses[strconv.Itoa(http.StatusUnauthorized)] = object{"description": lang.APIReplyNoToken.In(d.lang)}
}

func (d *documenter) parameters(r *route) []any {
	var parameters []any
	for _, p := range r.params {
		schema := object{"type": "string"}
		if p.number {
			schema = object{"type": "integer", "minimum": 1}
		}
		if p.choices != nil {
			schema["enum"] = p.choices
		}
		in := "query"
		if r.inPath(p) {
			in = "path"
		}
		parameters = append(parameters, object{
			"name": p.name, "in": in, "required": p.required, "description": p.about.In(d.lang), "schema": schema,
		})
	}
	return parameters
}

// ref puts the schema of a type among the components.
func (d *documenter) ref(s shape) (object, error) {
	if _, known := d.schemas[s.name]; !known {
		schema, err := schemaOf(s.typ)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", s.name, err)
		}
		d.schemas[s.name] = schema
	}
	return object{"$ref": "#/components/schemas/" + s.name}, nil
}

// schemaOf makes a schema from a Go type. Raw JSON is anything.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	text := &jsonschema.Schema{Type: "string"}
	return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[gongu.Schema]():    {},
		reflect.TypeFor[pin.Severity]():    text,
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		// A type inside of itself has to be a reference.
		reflect.TypeFor[[]CallTree](): {Type: "array", Items: &jsonschema.Schema{Ref: "#/components/schemas/" + callTreeName}},
	}})
}

// fieldsOf returns the members that a body may have.
func fieldsOf(t reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
