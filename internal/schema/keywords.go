package schema

// form is what the value of a keyword has to look like.
type form uint8

const (
	formIgnored form = iota // default, and what no draft defines
	formText
	formFlag
	formList
	formCount
	formNumber
	formType
	formEnum
	formConst
	formPattern
	formRequired
	formProperties
	formAdditional
	formItems
	formDialect
	formReference
	formIdentity
	// The forms below need the full validator.
	formSchema
	formSchemaList
	formSchemaMap
	formPatternMap
	formDependencies
	formDependentNames
	formOpaque
)

// keywordForm returns the form of a keyword of any draft. The form is checked
// even if the keyword belongs to another draft than the schema's; the fast path
// is then off, so that the full validator decides its meaning.
func keywordForm(key string) form {
	switch key {
	case "type":
		return formType
	case "description", "title", "format", "$comment", "contentEncoding", "contentMediaType":
		return formText
	case "properties":
		return formProperties
	case "required":
		return formRequired
	case "enum":
		return formEnum
	case "const":
		return formConst
	case "items":
		return formItems
	case "additionalProperties":
		return formAdditional
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return formNumber
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		return formCount
	case "pattern":
		return formPattern
	case "readOnly", "writeOnly", "deprecated", "uniqueItems", "$recursiveAnchor":
		return formFlag
	case "examples":
		return formList
	case "$schema":
		return formDialect
	case "$ref", "$dynamicRef", "$recursiveRef":
		return formReference
	case "$id", "$anchor", "$dynamicAnchor":
		return formIdentity
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalItems",
		"unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return formSchema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return formSchemaList
	case "$defs", "definitions", "dependentSchemas":
		return formSchemaMap
	case "patternProperties":
		return formPatternMap
	case "dependencies":
		return formDependencies
	case "dependentRequired":
		return formDependentNames
	case "$vocabulary":
		return formOpaque
	}
	return formIgnored
}

// kindName names the kind of a JSON value by its first byte.
func kindName(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// typesByName are the types of JSON Schema.
var typesByName = map[string]typeSet{
	"string": typeString, "object": typeObject, "integer": typeInteger, "number": typeNumber,
	"boolean": typeBoolean, "array": typeArray, "null": typeNull,
}

// foreignType returns JSON Schema's name for the types of other languages.
func foreignType(name string) (string, bool) {
	switch name {
	case "str", "String", "STRING", "text", "char", "varchar":
		return "string", true
	case "int", "Integer", "INTEGER", "int32", "int64", "long":
		return "integer", true
	case "float", "Float", "double", "Double", "Number", "NUMBER", "decimal", "float32", "float64":
		return "number", true
	case "bool", "Bool", "Boolean", "BOOLEAN":
		return "boolean", true
	case "list", "List", "tuple", "Array", "ARRAY", "set":
		return "array", true
	case "dict", "Dict", "map", "Map", "Object", "OBJECT", "struct":
		return "object", true
	case "None", "NoneType", "nil", "Null", "NULL", "undefined":
		return "null", true
	}
	return "", false
}
