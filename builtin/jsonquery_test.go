package builtin_test

import "testing"

// TestJSONQuery is case 137.
func TestJSONQuery(t *testing.T) {
	const query = "json-query__query"
	runCalls(t, []call{
		{name: "nested", tool: query, args: `{"data":"{\"a\":{\"b\":{\"c\":42}}}","path":"a.b.c"}`, output: `{"path":"a.b.c","found":true,"value":42}`},
		{name: "bracket", tool: query, args: `{"data":"{\"a\":{\"b\":[7,8]}}","path":"a.b[1]"}`, output: `{"path":"a.b[1]","found":true,"value":8}`},
		{name: "leading dot, index as step", tool: query, args: `{"data":"{\"a\":{\"b\":[7,8]}}","path":".a.b.0"}`, output: `{"path":".a.b.0","found":true,"value":7}`},
		{name: "root array", tool: query, args: `{"data":"[{\"name\":\"Ann\"}]","path":"[0].name"}`, output: `{"path":"[0].name","found":true,"value":"Ann"}`},
		{name: "as jq writes it", tool: query, args: `{"data":"{\"a\":[[5]]}","path":".a.[0][0]"}`, output: `{"path":".a.[0][0]","found":true,"value":5}`},
		{name: "whole data by default", tool: query, args: `{"data":" [1] "}`, output: `{"path":".","found":true,"value":[1]}`},
		{name: "key with a dot", tool: query, args: `{"data":"{\"a\":{\"b.c\":1}}","path":"a[b.c]"}`, output: `{"path":"a[b.c]","found":true,"value":1}`},
		{name: "Korean key", tool: query, args: `{"data":"{\"도구\":{\"이름\":\"망치\"}}","path":"도구.이름"}`, output: `{"path":"도구.이름","found":true,"value":"망치"}`},
		{name: "numeric key", tool: query, args: `{"data":"{\"0\":\"zero\"}","path":"0"}`, output: `{"path":"0","found":true,"value":"zero"}`},
		{name: "null is found", tool: query, args: `{"data":"{\"a\":null}","path":"a"}`, output: `{"path":"a","found":true,"value":null}`},
		{name: "escaped key", tool: query, args: `{"data":"{\"\\u0061\":1}","path":"a"}`, output: `{"path":"a","found":true,"value":1}`},

		{name: "missing", tool: query, args: `{"data":"{\"a\":1}","path":"b.c"}`, output: `{"path":"b.c","found":false,"value":null}`},
		{name: "past the end", tool: query, args: `{"data":"[1]","path":"[1]"}`, output: `{"path":"[1]","found":false,"value":null}`},
		{name: "negative index", tool: query, args: `{"data":"[1]","path":"[-1]"}`, output: `{"path":"[-1]","found":false,"value":null}`},
		{name: "index with a zero before", tool: query, args: `{"data":"[1]","path":"[00]"}`, output: `{"path":"[00]","found":false,"value":null}`},
		{name: "index of a string", tool: query, args: `{"data":"\"abc\"","path":"0"}`, output: `{"path":"0","found":false,"value":null}`},
		{name: "length of an array", tool: query, args: `{"data":"[1]","path":"length"}`, output: `{"path":"length","found":false,"value":null}`},
		{name: "constructor (W14)", tool: query, args: `{"data":"{}","path":"constructor"}`, output: `{"path":"constructor","found":false,"value":null}`},
		{name: "__proto__ (W14)", tool: query, args: `{"data":"{}","path":"__proto__"}`, output: `{"path":"__proto__","found":false,"value":null}`},
		{name: "own __proto__", tool: query, args: `{"data":"{\"__proto__\":1}","path":"__proto__"}`, output: `{"path":"__proto__","found":true,"value":1}`},

		{name: "large integer", tool: query, args: `{"data":"{\"id\":12345678901234567890123}","path":"id"}`, output: `{"path":"id","found":true,"value":12345678901234567890123}`},
		{name: "digits and order are kept", tool: query, args: `{"data":"{\"b\": 1.50, \"a\": 1e400, \"t\": \"<&>\"}"}`, output: `{"path":".","found":true,"value":{"b":1.50,"a":1e400,"t":"<&>"}}`},

		{name: "key named $", tool: query, args: `{"data":"{\"$\":{\"a\":1}}","path":"$.a"}`, output: `{"path":"$.a","found":true,"value":1}`},
		{name: "JSONPath", tool: query, args: `{"data":"{\"a\":[1]}","path":"$.a[0]"}`, message: `'path' starts at the data itself, so leave out the "$": .a[0]`},
		{name: "JSONPath of a list", tool: query, args: `{"data":"[1]","path":"$[0]"}`, message: `'path' starts at the data itself, so leave out the "$": .[0]`},
		{name: "unclosed", tool: query, args: `{"data":"{}","path":"a[0"}`, message: `'path' has a "[" without "]" at character 2`},
		{name: "empty step", tool: query, args: `{"data":"{}","path":"가..b"}`, message: `'path' has an empty step at character 2; write keys as a.b[0]`},
		{name: "dot at the end", tool: query, args: `{"data":"{}","path":"a."}`, message: `'path' has an empty step at character 2; write keys as a.b[0]`},
		{name: "empty bracket", tool: query, args: `{"data":"{}","path":"[]"}`, message: `'path' has an empty step at character 1; write keys as a.b[0]`},
		{name: "stray", tool: query, args: `{"data":"{}","path":"a[0]b"}`, message: `'path' has "b" at character 5 where "." or "[" was expected`},
		{name: "quotes", tool: query, args: `{"data":"{}","path":"a['b']"}`, message: `'path' has quotes at character 3; write keys in brackets without them: a[b.c]`},

		{name: "no data", tool: query, args: `{"data":""}`, message: "'data' must be a non-empty string"},
		{name: "blank data", tool: query, args: `{"data":" \n"}`, message: "'data' must be a non-empty string"},
		{name: "broken data", tool: query, args: `{"data":"{a:1}"}`, message: "'data' must be valid JSON text: not valid JSON near byte 1"},
		{name: "two values", tool: query, args: `{"data":"1 2"}`, message: "'data' must be valid JSON text: more text follows the JSON value at byte 1"},
		{name: "key twice", tool: query, args: `{"data":"{\"a\":{\"b\":1,\"b\":2}}"}`, message: "'data' must be valid JSON text: a.b: the same property is given twice"},
	})
}

func TestJSONPick(t *testing.T) {
	const pick = "json-query__pick"
	runCalls(t, []call{
		{name: "some keys (case 137)", tool: pick, args: `{"data":"{\"a\":1,\"b\":2,\"c\":3}","keys":["a","c"]}`, output: `{"keys":["a","c"],"result":{"a":1,"c":3}}`},
		{name: "order asked for", tool: pick, args: `{"data":"{\"a\":1,\"b\":2}","keys":["b","a"]}`, output: `{"keys":["b","a"],"result":{"b":2,"a":1}}`},
		{name: "absent and inherited keys", tool: pick, args: `{"data":"{\"a\":null}","keys":["a","x","constructor"]}`, output: `{"keys":["a","x","constructor"],"result":{"a":null}}`},
		{name: "asked for twice", tool: pick, args: `{"data":"{\"a\":1}","keys":["a","a"]}`, output: `{"keys":["a","a"],"result":{"a":1}}`},
		{name: "quoted key", tool: pick, args: `{"data":"{\"a\\\"b\":1}","keys":["a\"b"]}`, output: `{"keys":["a\"b"],"result":{"a\"b":1}}`},
		{name: "nothing", tool: pick, args: `{"data":"{\"a\":1}","keys":[]}`, output: `{"keys":[],"result":{}}`},
		{name: "large integer", tool: pick, args: `{"data":"{\"a\":9007199254740993}","keys":["a"]}`, output: `{"keys":["a"],"result":{"a":9007199254740993}}`},
		{name: "array", tool: pick, args: `{"data":"[1]","keys":["a"]}`, message: "'data' must be a JSON object"},
		{name: "number as key", tool: pick, args: `{"data":"{}","keys":[1]}`, message: "Invalid arguments for tool 'json-query__pick': args.keys[0]: expected string but got integer"},
	})
}

func TestJSONCount(t *testing.T) {
	const count = "json-query__count"
	runCalls(t, []call{
		{name: "array (case 137)", tool: count, args: `{"data":"{\"items\":[1,2,3,4,5]}","path":"items"}`, output: `{"path":"items","count":5,"type":"array"}`},
		{name: "object", tool: count, args: `{"data":"{\"a\":1,\"b\":{}}"}`, output: `{"path":".","count":2,"type":"object"}`},
		{name: "characters", tool: count, args: `{"data":"\"공구👍\""}`, output: `{"path":".","count":3,"type":"string"}`},
		{name: "escaped characters", tool: count, args: `{"data":"\"\\ud83d\\udc4d\\n\""}`, output: `{"path":".","count":2,"type":"string"}`},
		{name: "number", tool: count, args: `{"data":"-1.5"}`, output: `{"path":".","count":1,"type":"number"}`},
		{name: "boolean", tool: count, args: `{"data":"false"}`, output: `{"path":".","count":1,"type":"boolean"}`},
		{name: "null", tool: count, args: `{"data":"null"}`, output: `{"path":".","count":0,"type":"null"}`},
		{name: "missing", tool: count, args: `{"data":"{}","path":"a"}`, output: `{"path":"a","count":0,"type":"missing"}`},
		{name: "bad path", tool: count, args: `{"data":"{}","path":"a["}`, message: `'path' has a "[" without "]" at character 2`},
	})
}

func TestJSONFlatten(t *testing.T) {
	const flatten = "json-query__flatten"
	runCalls(t, []call{
		{name: "one level (case 137)", tool: flatten, args: `{"data":"[[1,2],[3,[4,5]]]","depth":1}`, output: `{"depth":1,"count":4,"result":[1,2,3,[4,5]]}`},
		{name: "default depth", tool: flatten, args: `{"data":"[[1,[2]]]"}`, output: `{"depth":1,"count":2,"result":[1,[2]]}`},
		{name: "all levels", tool: flatten, args: `{"data":"[1,[2,[3,[4]]]]","depth":100}`, output: `{"depth":100,"count":4,"result":[1,2,3,4]}`},
		{name: "whole number with a point", tool: flatten, args: `{"data":"[[1]]","depth":1.0}`, output: `{"depth":1,"count":1,"result":[1]}`},
		{name: "no level", tool: flatten, args: `{"data":"[[1]]","depth":0}`, output: `{"depth":0,"count":1,"result":[[1]]}`},
		{name: "arrays in objects stay", tool: flatten, args: `{"data":"[{\"a\":[1]}]"}`, output: `{"depth":1,"count":1,"result":[{"a":[1]}]}`},
		{name: "empty", tool: flatten, args: `{"data":"[[],[]]"}`, output: `{"depth":1,"count":0,"result":[]}`},
		{name: "object", tool: flatten, args: `{"data":"{}"}`, message: "'data' must be a JSON array"},
	})
}
