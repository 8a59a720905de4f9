package lang

// Errors of the extensions of an agent.
var (
	HostNoExtension     = Text{"there is no builtin:%s; there are %s", "builtin:%s은(는) 없습니다. 있는 것: %s"}
	HostNoExtensionHint = Text{"Correct spec.entry of the Extension.", "Extension의 spec.entry를 고치세요."}
	HostExtensionHint   = Text{"Correct the module; `gongu validate` and the place in the message help.", "모듈을 고치세요. `gongu validate`와 메시지의 위치가 도움이 됩니다."}
	HostRequiredTool    = Text{"Agent %s requires the tool %q, which it does not have.", "에이전트 %s에 필요한 도구 %q이(가) 없습니다."}
	HostRequiredNear    = Text{"Did you mean %s?", "%s을(를) 찾으셨나요?"}
	HostRequiredHint    = Text{"Add it to spec.tools, or an extension that registers it, or take it out of spec.requiredTools.", "spec.tools에 추가하거나, 그 도구를 등록하는 Extension을 추가하거나, spec.requiredTools에서 빼세요."}
	HostStepSkipped     = Text{"The step was ended by a middleware of %s before anything was done in it.", "%s의 미들웨어가 아무 일도 하기 전에 step을 끝냈습니다."}
	HostEverything      = Text{"the bundle", "번들"}
)
