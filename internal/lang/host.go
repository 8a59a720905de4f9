package lang

// What the host says about a bundle that it cannot run in full.
var (
	HostNoEngine     = Text{"%s cannot run: this build does not know the runtime %s.", "%s을(를) 실행할 수 없습니다. 이 빌드는 %s 런타임을 지원하지 않습니다."}
	HostNoEngineHint = Text{"Leave out spec.runtime: then the module runs in this process.", "spec.runtime을 지우면 모듈이 이 프로세스 안에서 실행됩니다."}
)
