// Package macro makes tools out of tools. A macro is a list of steps, each a
// call of another tool whose arguments may hold expressions in CEL:
//
//	{
//	  "name": "draw_my_chair",
//	  "description": "Draws a chair.",
//	  "parameters": {"type": "object", "properties": {"w": {"type": "number"}}, "required": ["w"]},
//	  "steps": [
//	    {"id": "seat", "tool": "draw_rect", "params": {"name": "seat", "x": 0, "y": 0, "width": "${params.w}", "height": 4}},
//	    {"id": "legs", "tool": "draw_rect", "forEach": "[0, params.w - 2]",
//	     "params": {"name": "leg_${index}", "x": "${item}", "y": 4, "width": 2, "height": 10}}
//	  ],
//	  "output": {"drawn": "${[steps.seat.output] + steps.legs.output}"}
//	}
//
// # Templates
//
// Params and output are JSON whose texts may hold ${expression}. A text that
// is nothing but one expression becomes the value with its type; otherwise the
// values are spliced into the text. $${ means the characters ${. A value
// of optional.none(), as params.?color gives without a color, leaves its field
// or item out.
//
// # Variables
//
// params are the arguments of the macro. steps.ID has the status ("ok",
// "error" or "skipped") of an earlier step, its output, and its error
// {message, code, name, suggestion} if it failed. item and index exist in a
// step with forEach, error in the output of onError. A field that is not there
// is an error, never null.
//
// # Numbers
//
// JSON has one kind of number and CEL has three that do not mix, so here they
// do: a whole number is an int and any other a double, whatever way it was
// written, and + - * / % take any two. Division is exact: 5 / 2 is 2.5 and
// 4 / 2 is 2. A whole result is written without a fraction.
//
// # Safety
//
// Each step goes through the executor and the catalog of the caller of the
// macro, under the name of its own tool, so a macro reaches nothing that its
// caller cannot reach and every guard sees every step. Names of tools cannot
// be computed. The work of expressions, the size of values, the number of step
// runs and the depth of macros in macros are bounded, the last three over all
// macros of one call together.
package macro
