package edit_test

import (
	"context"
	"fmt"

	"github.com/gongu-ai/gongu/edit"
	"github.com/gongu-ai/gongu/internal/lang"
)

// The model indented with blanks, the file with tabs.
func ExampleApply() {
	content := []byte("func main() {\n\tif ready {\n\t\tstart()\n\t}\n}\n")
	out := edit.Apply(context.Background(), content, "    if ready {\n        start()", "    if ready {\n        prepare()\n        start()", nil)
	fmt.Println(out.Message(lang.English))
	fmt.Print(out.Diff)
	// Output:
	// Edited lines 2-3 (match: indent).
	// @@ -1,5 +1,6 @@
	//  func main() {
	//  	if ready {
	// +		prepare()
	//  		start()
	//  	}
	//  }
}

// All edits are made, or none.
func ExampleApplyAll() {
	out := edit.ApplyAll(context.Background(), []byte("a = 1\nb = 2\n"), []edit.Edit{
		{Old: "a = 1", New: "a = 3"},
		{Old: "b = 5", New: "b = 4"},
	}, nil)
	fmt.Println(out.OK, out.Index, out.Code, out.Code.ErrorCode())
	fmt.Print(out.Candidates[0].Difference)
	// Output:
	// false 1 not_found E_EDIT_NOT_FOUND
	// - b = 5
	// + b = 2
}
