package lang

// What the host says about a bundle that it cannot run in full.
var (
	HostNoEngine     = Text{"%s cannot run: this build has no engine for %s.", "%s을(를) 실행할 수 없습니다. 이 빌드에는 %s을(를) 실행할 엔진이 없습니다."}
	HostNoEngineHint = Text{"Use a tool with a built-in entry, such as builtin:bash, or a build that runs TypeScript.", "builtin:bash처럼 내장 entry를 쓰는 도구나 TypeScript를 실행할 수 있는 빌드를 사용하세요."}
)
