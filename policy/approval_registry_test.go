package policy_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
)

// manager is an approval manager that answers by a function.
type manager func(policy.ApprovalRequest) (bool, error)

func (m manager) Request(_ context.Context, r policy.ApprovalRequest) (bool, error) { return m(r) }

func fileTools() (*gongu.Registry, *int, error) {
	registry, writes := gongu.NewRegistry(nil), new(int)
	read := gongu.Tool{Name: "read_file", Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK("text") }}
	write := gongu.Tool{Name: "write_file", Invoke: func(context.Context, gongu.Call) gongu.Result { *writes++; return gongu.OK("written") }}
	return registry, writes, registry.Add(read, write)
}

// The story of seed 004: files are read at once, and written after a person has
// said yes.
func ExampleApprovalRegistry() {
	inner, _, err := fileTools()
	if err != nil {
		fmt.Println(err)
		return
	}
	asked := manager(func(r policy.ApprovalRequest) (bool, error) {
		fmt.Println(r.ToolName, string(r.Input), r.Description)
		return string(r.Input) == `{"path":"notes.txt"}`, nil
	})
	registry := policy.NewApprovalRegistry(inner, asked, []string{"write_file"}, &policy.ApprovalOptions{Lang: "ko"})
	for i, call := range []gongu.Call{
		{Name: "read_file"},
		{Name: "write_file", Args: []byte(`{"path":"notes.txt"}`)},
		{Name: "write_file", Args: []byte(`{"path":"/etc/passwd"}`)},
	} {
		call.ID = fmt.Sprint(i + 1)
		result := registry.Dispatch(context.Background(), call)
		if result.Failed() {
			fmt.Println(result.ToolCallID, result.Error.Message)
			continue
		}
		fmt.Println(result.ToolCallID, string(result.Output))
	}
	// Output:
	// 1 "text"
	// write_file {"path":"notes.txt"} write_file 실행을 승인하시겠습니까?
	// 2 "written"
	// write_file {"path":"/etc/passwd"} write_file 실행을 승인하시겠습니까?
	// 3 사용자가 실행을 거부했습니다
}

// P8: an error or no manager denies, a person's no rejects, and nothing runs.
func TestP8_ApprovalRegistry(t *testing.T) {
	for name, c := range map[string]struct {
		m    policy.ApprovalManager
		code string
		runs int
	}{
		"yes":        {manager(func(policy.ApprovalRequest) (bool, error) { return true, nil }), "", 1},
		"no":         {manager(func(policy.ApprovalRequest) (bool, error) { return false, nil }), gongu.CodeRejected, 0},
		"error":      {manager(func(policy.ApprovalRequest) (bool, error) { return true, errors.New("no answer") }), gongu.CodeDenied, 0},
		"no manager": {nil, gongu.CodeDenied, 0},
		"panic":      {manager(func(policy.ApprovalRequest) (bool, error) { panic("x") }), gongu.CodePanic, 0},
	} {
		inner, writes, err := fileTools()
		if err != nil {
			t.Fatal(err)
		}
		registry := policy.NewApprovalRegistry(inner, c.m, []string{"write_file"}, nil)
		result := registry.Dispatch(t.Context(), gongu.Call{Name: "write_file"})
		code := ""
		if result.Error != nil {
			code = result.Error.Code
		}
		if code != c.code || *writes != c.runs {
			t.Errorf("%s: code %q, %d runs", name, code, *writes)
		}
		if other := registry.Dispatch(t.Context(), gongu.Call{Name: "read_file"}); other.Failed() {
			t.Errorf("%s: read_file: %+v", name, other.Error)
		}
	}
}
