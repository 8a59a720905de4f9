package rawjson_test

import (
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// The member is found wherever it stands, and only in the outermost object,
// however the pieces are cut.
func TestMemberFinder(t *testing.T) {
	big := `"` + strings.Repeat(`x\"id\":3,`, 100) + `"`
	for text, id := range map[string]int64{
		`{"jsonrpc":"2.0","id":7,"result":` + big + `}`:                     7,
		`{"result":{"id":1,"a":[{"id":2}],"b":` + big + `}, "id" : 42 }`:    42,
		`{"result":` + big + `,"id":"7"}`:                                   0,
		`{"result":` + big + `}`:                                            0,
		`{"id":-5,"result":` + big + `}`:                                    -5,
		`{"error":{"message":` + big + `},"id":9,"jsonrpc":"2.0","x":[[]]}`: 9,
	} {
		for _, size := range []int{1, 7, 10_000} {
			find := rawjson.MemberFinder{Name: "id"}
			for rest := []byte(text); len(rest) > 0; {
				n := min(size, len(rest))
				find.Write(rest[:n])
				rest = rest[n:]
			}
			if got := find.Int(); got != id {
				t.Errorf("%.60s in pieces of %d: %d, want %d", text, size, got, id)
			}
		}
	}
}
