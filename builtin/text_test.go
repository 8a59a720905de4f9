package builtin_test

import "testing"

// The tables of this file are case 138.

func TestReplace(t *testing.T) {
	const replace = "text-transform__replace"
	runCalls(t, []call{
		{name: "first", tool: replace, args: `{"text":"hello world hello","search":"hello","replacement":"hi"}`, output: `{"original":"hello world hello","result":"hi world hello","replacements":1}`},
		{name: "all", tool: replace, args: `{"text":"aaa","search":"a","replacement":"b","all":true}`, output: `{"original":"aaa","result":"bbb","replacements":3}`},
		{name: "removed by default", tool: replace, args: `{"text":"a-b-c","search":"-","all":true}`, output: `{"original":"a-b-c","result":"abc","replacements":2}`},
		{name: "not there", tool: replace, args: `{"text":"abc","search":"x","replacement":"y","all":true}`, output: `{"original":"abc","result":"abc","replacements":0}`},
		{name: "no patterns", tool: replace, args: `{"text":"a.b","search":".","replacement":"$&"}`, output: `{"original":"a.b","result":"a$&b","replacements":1}`},
		{name: "overlapping", tool: replace, args: `{"text":"aaa","search":"aa","replacement":"b","all":true}`, output: `{"original":"aaa","result":"ba","replacements":1}`},
		{name: "empty text", tool: replace, args: `{"text":"","search":"a"}`, output: `{"original":"","result":"","replacements":0}`},
		{name: "empty search", tool: replace, args: `{"text":"abc","search":""}`, message: "'search' must be a non-empty string"},
	})
}

func TestSlice(t *testing.T) {
	const slice = "text-transform__slice"
	runCalls(t, []call{
		{name: "both ends", tool: slice, args: `{"text":"hello world","start":6,"end":11}`, output: `{"original":"hello world","result":"world","start":6,"end":11,"length":5}`},
		{name: "negative start", tool: slice, args: `{"text":"hello world","start":-5}`, output: `{"original":"hello world","result":"world","start":-5,"end":11,"length":5}`},
		{name: "negative end", tool: slice, args: `{"text":"hello","end":-1}`, output: `{"original":"hello","result":"hell","start":0,"end":-1,"length":4}`},
		{name: "far outside", tool: slice, args: `{"text":"abc","start":-1e30,"end":1e30}`, output: `{"original":"abc","result":"abc","start":-1e+30,"end":1e+30,"length":3}`},
		{name: "end before start", tool: slice, args: `{"text":"abc","start":2,"end":1}`, output: `{"original":"abc","result":"","start":2,"end":1,"length":0}`},
		{name: "no position", tool: slice, args: `{"text":"abc"}`, output: `{"original":"abc","result":"abc","start":0,"end":3,"length":3}`},
		{name: "characters, not bytes", tool: slice, args: `{"text":"공구👍상자","start":1,"end":3}`, output: `{"original":"공구👍상자","result":"구👍","start":1,"end":3,"length":2}`},
		{name: "whole number with a point", tool: slice, args: `{"text":"abc","start":1.0}`, output: `{"original":"abc","result":"bc","start":1,"end":3,"length":2}`},
		{name: "fraction", tool: slice, args: `{"text":"abc","start":1.5}`, message: "Invalid arguments for tool 'text-transform__slice': args.start: expected integer but got number"},
	})
}

func TestSplit(t *testing.T) {
	const split = "text-transform__split"
	runCalls(t, []call{
		{name: "delimiter", tool: split, args: `{"text":"a,b,c","delimiter":","}`, output: `{"delimiter":",","count":3,"parts":["a","b","c"]}`},
		{name: "lines by default", tool: split, args: `{"text":"a\nb\n"}`, output: `{"delimiter":"\n","count":3,"parts":["a","b",""]}`},
		{name: "maxParts", tool: split, args: `{"text":"a,b,c","delimiter":",","maxParts":2}`, output: `{"delimiter":",","count":2,"parts":["a","b"]}`},
		{name: "maxParts is more", tool: split, args: `{"text":"a,b","delimiter":",","maxParts":1e9}`, output: `{"delimiter":",","count":2,"parts":["a","b"]}`},
		{name: "characters", tool: split, args: `{"text":"공구👍","delimiter":""}`, output: `{"delimiter":"","count":3,"parts":["공","구","👍"]}`},
		{name: "empty text", tool: split, args: `{"text":"","delimiter":","}`, output: `{"delimiter":",","count":1,"parts":[""]}`},
	})
}

func TestJoin(t *testing.T) {
	const join = "text-transform__join"
	runCalls(t, []call{
		{name: "delimiter", tool: join, args: `{"parts":["x","y","z"],"delimiter":"-"}`, output: `{"delimiter":"-","count":3,"result":"x-y-z"}`},
		{name: "lines by default", tool: join, args: `{"parts":["a","b"]}`, output: `{"delimiter":"\n","count":2,"result":"a\nb"}`},
		{name: "numbers and booleans", tool: join, args: `{"parts":["a",1.50,12345678901234567890,true],"delimiter":" "}`, output: `{"delimiter":" ","count":4,"result":"a 1.50 12345678901234567890 true"}`},
		{name: "escapes", tool: join, args: `{"parts":["\u00e9","\""],"delimiter":""}`, output: `{"delimiter":"","count":2,"result":"é\""}`},
		{name: "nothing", tool: join, args: `{"parts":[]}`, output: `{"delimiter":"\n","count":0,"result":""}`},
		{name: "null", tool: join, args: `{"parts":[null]}`, message: "Invalid arguments for tool 'text-transform__join': args.parts[0]: expected string|number|boolean but got null"},
	})
}

func TestTrim(t *testing.T) {
	const trim = "text-transform__trim"
	runCalls(t, []call{
		{name: "both by default", tool: trim, args: `{"text":"  hello  "}`, output: `{"original":"  hello  ","result":"hello","mode":"both","trimmedLength":4}`},
		{name: "start", tool: trim, args: `{"text":"  a ","mode":"start"}`, output: `{"original":"  a ","result":"a ","mode":"start","trimmedLength":2}`},
		{name: "end", tool: trim, args: `{"text":"  a ","mode":"end"}`, output: `{"original":"  a ","result":"  a","mode":"end","trimmedLength":1}`},
		{name: "characters, not bytes", tool: trim, args: `{"text":"\ufeff\u3000공구\n"}`, output: `{"original":"` + "\ufeff\u3000" + `공구\n","result":"공구","mode":"both","trimmedLength":3}`},
		{name: "only space", tool: trim, args: `{"text":" \t"}`, output: `{"original":" \t","result":"","mode":"both","trimmedLength":2}`},
		{name: "empty text", tool: trim, args: `{"text":""}`, output: `{"original":"","result":"","mode":"both","trimmedLength":0}`},
	})
}

func TestCase(t *testing.T) {
	const toCase = "text-transform__case"
	runCalls(t, []call{
		{name: "upper", tool: toCase, args: `{"text":"hello","to":"upper"}`, output: `{"original":"hello","result":"HELLO","to":"upper"}`},
		{name: "lower", tool: toCase, args: `{"text":"HELLO","to":"lower"}`, output: `{"original":"HELLO","result":"hello","to":"lower"}`},
		{name: "one letter becomes two", tool: toCase, args: `{"text":"straße","to":"upper"}`, output: `{"original":"straße","result":"STRASSE","to":"upper"}`},
		{name: "final sigma", tool: toCase, args: `{"text":"ΟΔΟΣ","to":"lower"}`, output: `{"original":"ΟΔΟΣ","result":"οδος","to":"lower"}`},
		{name: "no case", tool: toCase, args: `{"text":"공구","to":"upper"}`, output: `{"original":"공구","result":"공구","to":"upper"}`},
	})
}
