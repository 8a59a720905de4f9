package lang

import "testing"

// H4: the texts of the seed documents under ko, to the letter.
func TestH4_SeedTexts(t *testing.T) {
	for got, want := range map[string]string{
		MessageNotFound.In(Korean, "X"):        "알 수 없는 툴: X",
		MessageRejected.In(Korean):             "사용자가 실행을 거부했습니다",
		ApprovalPrompt.In(Korean, "X"):         "X 실행을 승인하시겠습니까?",
		EditNotFound.In(Korean, "첫 오십 글자"):     `편집 대상을 찾을 수 없습니다: "첫 오십 글자..."`,
		ReadFailed.In(Korean, "a.txt"):         "파일 읽기 실패: a.txt",
		FileMissing.In(Korean, "a.txt"):        "파일이 존재하지 않습니다: a.txt",
		RequestQueued.In(Korean):               "도구 요청이 등록되었습니다. 개발자 검토 후 추가됩니다.",
		SuggestNotInCatalog.In(Korean):         "Agent 구성의 spec.tools에 해당 도구를 추가하거나, step 미들웨어에서 동적으로 등록하세요.",
		SuggestTool.In(Korean):                 "입력 파라미터를 확인하세요.",
		MessageNotInCatalog.In(Korean, "a__b"): "Tool 'a__b' is not available in the current Tool Catalog.",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]Lang{"ko": Korean, "KO": Korean, "ko_KR.UTF-8": Korean, "ko-KR": Korean, "en": English, "en_US": English} {
		if got, ok := Parse(in); !ok || got != want {
			t.Errorf("Parse(%q) = %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{"", "fr", "C.UTF-8"} {
		if got, ok := Parse(in); ok || got != English {
			t.Errorf("Parse(%q) = %q, %v, want English as a guess", in, got, ok)
		}
	}
}

func TestMessage(t *testing.T) {
	m := IssueType.With("string", "integer")
	if got := m.In(English); got != "expected string but got integer" {
		t.Error(got)
	}
	if got := MessageInvalidArgs.With("t", IssueMissing.With()).In(Korean); got != "툴 't'의 인자가 올바르지 않습니다: 필수 속성이 없습니다" {
		t.Error(got)
	}
	if (Message{}).In(Korean) != "" || !(Message{}).IsZero() || m.IsZero() {
		t.Error("an empty message says something")
	}
}
