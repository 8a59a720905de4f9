package lang

// Errors of the queue of tool requests.
var (
	RequestNameBad      = Text{"%q cannot be the name of a tool", "%q은(는) 도구 이름으로 쓸 수 없습니다"}
	RequestNameHint     = Text{"Use letters, digits, \"_\" and \"-\", at most 64 characters, and \"__\" only between a resource and its export.", "영문자, 숫자, \"_\", \"-\"만 64자까지 쓰고, \"__\"는 리소스와 내보내기 이름 사이에만 쓰세요."}
	RequestNameWrite    = Text{"Write %q.", "%q(으)로 쓰세요."}
	RequestMissing      = Text{"the request has no %s", "요청에 %s이(가) 없습니다"}
	RequestMissingHint  = Text{"Say in a sentence what the tool should do.", "도구가 무엇을 해야 하는지 한 문장으로 쓰세요."}
	RequestTooLong      = Text{"%s has %d characters, at most %d are allowed", "%s의 길이가 %d자입니다. 최대 %d자까지 쓸 수 있습니다"}
	RequestTooMany      = Text{"suggested_params has %d names, at most %d are allowed", "suggested_params에 이름이 %d개 있습니다. 최대 %d개까지 쓸 수 있습니다"}
	RequestNotText      = Text{"%s is not valid UTF-8", "%s이(가) 올바른 UTF-8이 아닙니다"}
	RequestShorten      = Text{"Say it in fewer words.", "더 짧게 쓰세요."}
	RequestParamEmpty   = Text{"suggested_params[%d] is empty", "suggested_params[%d]이(가) 비어 있습니다"}
	RequestParamHint    = Text{"Give the name of a parameter, or leave it out.", "매개변수 이름을 쓰거나 항목을 빼세요."}
	RequestProposalBad  = Text{"the proposal is not valid JSON: %s", "제안이 올바른 JSON이 아닙니다: %s"}
	RequestProposalBig  = Text{"the proposal has %d bytes, at most %d are allowed", "제안의 크기가 %d바이트입니다. 최대 %d바이트까지 쓸 수 있습니다"}
	RequestProposalHint = Text{"Propose a smaller tool: fewer steps, or several tools.", "단계를 줄이거나 여러 도구로 나누어 더 작은 도구를 제안하세요."}
	RequestBadJSONHint  = Text{"Send one JSON value without repeated keys.", "중복된 키가 없는 JSON 값 하나를 보내세요."}

	RequestUnknown       = Text{"there is no tool request %q", "도구 요청 %q이(가) 없습니다"}
	RequestDidYouMean    = Text{"Did you mean: %s?", "혹시 다음을 찾으셨나요: %s"}
	RequestListThem      = Text{"List the requests to see their ids.", "요청 목록에서 ID를 확인하세요."}
	RequestChanged       = Text{"request %s is not what was shown: it was %s and is %s now", "요청 %s이(가) 표시된 내용과 다릅니다: %s였고 지금은 %s입니다"}
	RequestChangedHint   = Text{"Nothing was decided. Look at it again: gongu requests show %s", "아무것도 결정하지 않았습니다. 다시 확인하세요: gongu requests show %s"}
	RequestClosed        = Text{"request %s is %s and cannot become %s", "요청 %s은(는) %s 상태여서 %s(으)로 바꿀 수 없습니다"}
	RequestClosedBy      = Text{"It was decided by %s at %s. If the tool is still needed, ask for it again.", "%s이(가) %s에 결정했습니다. 도구가 여전히 필요하면 다시 요청하세요."}
	RequestClosedAlready = Text{"It was decided already. If the tool is still needed, ask for it again.", "이미 결정된 요청입니다. 도구가 여전히 필요하면 다시 요청하세요."}
	RequestNoDecision    = Text{"%q is not a decision", "%q은(는) 결정이 아닙니다"}
	RequestDecisions     = Text{"Use approved, rejected or fulfilled.", "approved, rejected, fulfilled 중 하나를 쓰세요."}
	RequestNoStatus      = Text{"there is no status %q", "%q 상태는 없습니다"}
	RequestStatuses      = Text{"Use queued, approved, rejected or fulfilled.", "queued, approved, rejected, fulfilled 중 하나를 쓰세요."}
	RequestBadLimit      = Text{"limit cannot be %d", "limit 값으로 %d을(를) 쓸 수 없습니다"}
	RequestLimitHint     = Text{"Use a number from 1 to %d, or leave it out.", "1부터 %d까지의 수를 쓰거나 생략하세요."}
	RequestBadCursor     = Text{"invalid cursor %q", "커서가 올바르지 않습니다: %q"}
	RequestCursorHint    = Text{"Use next_cursor of the page before as it is, or leave it out to start at the oldest.", "이전 쪽의 next_cursor를 그대로 쓰거나, 생략해 가장 오래된 것부터 시작하세요."}

	RequestFull      = Text{"%d tool requests are waiting for review, which is the limit", "검토를 기다리는 도구 요청이 %d개로 한도에 도달했습니다"}
	RequestFullBytes = Text{"the tool requests in %s would take %d bytes, at most %d are allowed", "%s의 도구 요청이 %d바이트가 됩니다. 최대 %d바이트까지 쓸 수 있습니다"}
	RequestFullHint  = Text{"Continue with the available tools. A person can review the requests with: gongu requests list --status queued", "사용할 수 있는 도구로 계속하세요. 담당자는 다음 명령으로 요청을 검토할 수 있습니다: gongu requests list --status queued"}
	RequestNoIDs     = Text{"%s has the id %s, and there is none after it", "%s에 %s이(가) 있어 그다음 ID를 만들 수 없습니다"}
	RequestNoIDsHint = Text{"Give that request a smaller id by hand.", "그 요청의 ID를 더 작은 수로 직접 바꾸세요."}
)

// Errors of the file of the queue.
var (
	RequestUnreadable   = Text{"the tool requests in %s cannot be read: %v", "%s의 도구 요청을 읽을 수 없습니다: %v"}
	RequestUnwritable   = Text{"the tool requests in %s cannot be written, and nothing was changed: %v", "%s에 도구 요청을 쓸 수 없어 아무것도 바꾸지 않았습니다: %v"}
	RequestUnconfirmed  = Text{"the tool requests in %s were written, but the system did not confirm it: %v", "%s에 도구 요청을 썼지만 시스템이 저장을 확인해 주지 않았습니다: %v"}
	RequestRows         = Text{"the tool requests in %s cannot be reached, and nothing was changed: %v", "%s의 도구 요청에 접근할 수 없어 아무것도 바꾸지 않았습니다: %v"}
	RequestRowsHint     = Text{"Try again when the store answers. gongu state check, with the same --store, says what is wrong with it.", "저장소가 응답할 때 다시 시도하세요. 같은 --store로 gongu state check를 실행하면 문제를 알 수 있습니다."}
	RequestPlaceHint    = Text{"The folder must exist, be writable and have room. Name another file with --requests FILE.", "폴더가 있고 쓸 수 있으며 여유 공간이 있어야 합니다. --requests FILE로 다른 파일을 지정할 수 있습니다."}
	RequestReadHint     = Text{"Check the file and who may read it, or name another file with --requests FILE.", "파일과 읽기 권한을 확인하거나 --requests FILE로 다른 파일을 지정하세요."}
	RequestBusy         = Text{"the tool requests in %s are being changed by another process (%v)", "다른 프로세스가 %s의 도구 요청을 바꾸고 있습니다(%v)"}
	RequestBusyHint     = Text{"Nothing was changed. Try again in a moment.", "아무것도 바꾸지 않았습니다. 잠시 뒤 다시 시도하세요."}
	RequestIrregular    = Text{"%s is not a plain file", "%s은(는) 일반 파일이 아닙니다"}
	RequestTooBig       = Text{"%s has %d bytes, more than the %d that a queue may have", "%s의 크기가 %d바이트로, 최대 크기 %d바이트를 넘습니다"}
	RequestNoQueue      = Text{"%s is JSON, but not a list of tool requests", "%s에 JSON이 있지만 도구 요청 목록이 아닙니다"}
	RequestOtherFile    = Text{"The file was not changed. Name another file with --requests FILE.", "파일을 바꾸지 않았습니다. --requests FILE로 다른 파일을 지정하세요."}
	RequestNewer        = Text{"%s has format %s, but this version of gongu only supports format 1", "%s의 형식은 %s인데 이 버전의 gongu는 형식 1만 지원합니다"}
	RequestNewerStatus  = Text{"request %[2]s in %[1]s has the status %[3]q, which this gongu does not know", "%[1]s의 요청 %[2]s에 이 gongu가 모르는 상태 %[3]q이(가) 있습니다"}
	RequestNewerHint    = Text{"The file was not changed. Use a newer gongu.", "파일을 바꾸지 않았습니다. 더 새로운 gongu를 쓰세요."}
	RequestStatusHint   = Text{"The file was not changed. Use a newer gongu, or correct the status by hand: queued, approved, rejected or fulfilled.", "파일을 바꾸지 않았습니다. 더 새로운 gongu를 쓰거나 상태를 queued, approved, rejected, fulfilled 중 하나로 직접 고치세요."}
	RequestBroken       = Text{"the tool requests in %s are broken: %s", "%s의 도구 요청이 손상되었습니다: %s"}
	RequestBrokenHint   = Text{"Correct the file by hand, or move it to another place. The next tool request renames it, in the same folder, and starts a new file.", "파일을 직접 고치거나 다른 곳으로 옮기세요. 다음 도구 요청이 들어오면 같은 폴더에서 이름을 바꾸어 보관하고 새 파일을 시작합니다."}
	RequestSetAside     = Text{"%s was broken (%s). It is kept as %s, and a new queue was begun in its place.", "%s이(가) 손상되어 있었습니다(%s). %s(으)로 보관하고 그 자리에 새 요청 목록을 시작했습니다."}
	RequestSetAsideHint = Text{"Correct the broken file by hand and move its requests back.", "손상된 파일을 직접 고쳐 요청을 옮겨 넣으세요."}

	RequestBadText     = Text{"line %d: %s", "%d행: %s"}
	RequestBadEmpty    = Text{"the file is empty", "파일이 비어 있습니다"}
	RequestBadEntry    = Text{"line %d: entry %d is not an object", "%d행: %d번째 항목이 객체가 아닙니다"}
	RequestBadField    = Text{"line %d: %s of entry %d is not %s", "%[1]d행: %[3]d번째 항목의 %[2]s이(가) %[4]s이(가) 아닙니다"}
	RequestNoField     = Text{"line %d: entry %d has no %s", "%d행: %d번째 항목에 %s이(가) 없습니다"}
	RequestBadID       = Text{"line %d: entry %d has the id %q; use letters, digits, \"_\" and \"-\", at most 64", "%d행: %d번째 항목의 ID가 %q입니다. 영문자, 숫자, \"_\", \"-\"만 64자까지 쓰세요"}
	RequestTwice       = Text{"line %d: entry %d has the id %s, which another one has", "%d행: %d번째 항목의 ID %s을(를) 다른 항목도 씁니다"}
	RequestAText       = Text{"a text", "텍스트"}
	RequestATime       = Text{"a time such as 2026-01-31T09:30:00.000Z", "2026-01-31T09:30:00.000Z와 같은 시각"}
	RequestAListOfText = Text{"a list of texts", "텍스트 목록"}
)

// Texts of gongu requests.
var (
	CLIRequestsShort = Text{"Decide about the tools that models ask for", "모델이 요청한 도구를 검토합니다"}
	CLIRequestsLong  = Text{
		"Look at the tools that models asked for, and decide about them. The requests are\nin tool-requests.json, in the folder of the bundle or the current one.",
		"모델이 요청한 도구를 보고 결정합니다. 요청은 번들 폴더나 현재 폴더의\ntool-requests.json에 있습니다.",
	}
	CLIRequestsListShort = Text{"List the requests, the oldest first", "요청을 오래된 순서로 보여 줍니다"}
	CLIRequestsShowShort = Text{"Show one request in full", "요청 하나를 자세히 보여 줍니다"}
	CLIRequestsYesShort  = Text{"Approve a request", "요청을 승인합니다"}
	CLIRequestsYesLong   = Text{
		"Approve a request that is queued. A macro that the model proposed, or the one of\n--macro or --script, becomes a tool at once, under the name that was asked for.\nIt is kept below the state root. With --no-tool the request is only approved,\nand somebody adds the tool to the bundle by hand.",
		"대기 중인 요청을 승인합니다. 모델이 제안한 매크로나 --macro, --script로 준 것이\n요청한 이름의 도구로 바로 등록되고, 상태 폴더에 보관됩니다. --no-tool을 주면\n승인만 하고, 도구는 사람이 번들에 직접 추가합니다.",
	}
	CLIRequestsNoShort = Text{"Reject a request, and say why", "요청을 이유와 함께 거절합니다"}

	CLIFlagRequests       = Text{"the file of the requests is `FILE` (default: tool-requests.json in the bundle or the current folder)", "요청 파일로 `FILE`을 씁니다 (기본값은 번들 폴더나 현재 폴더의 tool-requests.json)"}
	CLIFlagRequestStatus  = Text{"only those that are `S`: queued, approved, rejected or fulfilled", "상태가 `S`인 요청만: queued, approved, rejected, fulfilled"}
	CLIFlagReason         = Text{"the reason `R`, which the requester can read", "결정한 이유 `R`. 요청한 쪽도 읽을 수 있습니다"}
	CLIFlagReviewer       = Text{"`NAME` decides (default: your user name)", "결정하는 사람의 이름 `NAME` (기본값은 사용자 이름)"}
	CLIFlagApproveMacro   = Text{"add the macro in `FILE` as the tool", "`FILE`의 매크로를 도구로 추가합니다"}
	CLIFlagApproveNoTool  = Text{"approve only: the tool will be added by hand", "승인만 합니다. 도구는 직접 추가합니다"}
	CLIFlagApproveScript  = Text{"add the script in `FILE` as the tool", "`FILE`의 스크립트를 도구로 추가합니다"}
	CLIRequestsNeedID     = Text{"%s needs the id of one request, such as req_001", "%s에는 req_001과 같은 요청 ID 하나가 필요합니다"}
	CLIRequestsNeedReason = Text{"a rejection needs a reason", "거절에는 이유가 필요합니다"}
	CLIRequestsReasonHint = Text{"Add: --reason 'why, and what to use instead'", "다음을 더하세요: --reason '이유와 대신 쓸 것'"}
	CLIRequestsNone       = Text{"no tool requests in %s", "%s에 도구 요청이 없습니다"}
	CLIRequestsNoneStatus = Text{"no %s tool requests in %s", "%[2]s에 %[1]s 상태의 도구 요청이 없습니다"}
	CLIRequestsAside      = Text{"A broken file of requests was renamed to %s", "손상된 요청 파일의 이름을 %s(으)로 바꾸어 보관했습니다"}
	CLIRequestsMacroFile  = Text{"the macro in %s cannot be read: %v", "%s의 매크로를 읽을 수 없습니다: %v"}
	CLIRequestsMacroHint  = Text{"Give a file with a macro as JSON or YAML: its definition, or a resource of kind Macro.", "매크로를 JSON이나 YAML로 담은 파일을 지정하세요. 정의 또는 kind: Macro 리소스여야 합니다."}
	CLIRequestsNoTool     = Text{"%s was not approved, because its tool cannot be made: %s", "도구를 만들 수 없어 %s을(를) 승인하지 않았습니다: %s"}
	CLIRequestsNoToolHint = Text{"Approve it with another definition (--macro FILE or --script FILE), or with --no-tool and add the tool to the bundle yourself.", "다른 정의로 다시 승인하거나(--macro FILE 또는 --script FILE), --no-tool로 승인하고 도구를 번들에 직접 추가하세요."}
	CLIRequestInstalled   = Text{"%s approved: the tool %s is registered. Try it: %s", "%s 승인: 도구 %s이(가) 등록되었습니다. 사용해 보세요: %s"}
	CLIRequestApproved    = Text{"%s is approved: %s", "%s을(를) 승인했습니다: %s"}
	CLIRequestRejected    = Text{"%s is rejected: %s", "%s을(를) 거절했습니다: %s"}

	CLIColumnID          = Text{"ID", "ID"}
	CLIColumnStatus      = Text{"STATUS", "상태"}
	CLIColumnCreated     = Text{"CREATED", "요청 시각"}
	CLIColumnAgent       = Text{"AGENT", "에이전트"}
	CLIRequestID         = Text{"Request", "요청"}
	CLIRequestName       = Text{"Tool", "도구"}
	CLIRequestStatus     = Text{"Status", "상태"}
	CLIRequestCreated    = Text{"Asked for", "요청 시각"}
	CLIRequestParams     = Text{"Parameters", "매개변수"}
	CLIRequestAgent      = Text{"Asked by", "요청한 에이전트"}
	CLIRequestReviewer   = Text{"Decided by", "결정한 사람"}
	CLIRequestReviewed   = Text{"Decided", "결정 시각"}
	CLIRequestReason     = Text{"Reason", "이유"}
	CLIRequestDescribes  = Text{"What it should do:", "할 일:"}
	CLIRequestRationale  = Text{"Why it is needed:", "필요한 이유:"}
	CLIRequestDigest     = Text{"Digest", "다이제스트"}
	CLIRequestTool       = Text{"The tool, from %s:", "%s의 도구:"}
	CLIRequestOneAgent   = Text{"Only the agent %s gets it.", "%s 에이전트만 사용할 수 있습니다."}
	CLIFlagApproveAgent  = Text{"give the tool to the agent `A` alone", "`A` 에이전트에만 도구를 줍니다"}
	CLIFlagDigest        = Text{"refuse a request whose digest is not `D`", "다이제스트가 `D`가 아닌 요청을 거부합니다"}
	CLIRequestProposal   = Text{"Proposal:", "제안:"}
	CLIRequestNextDecide = Text{"To decide: %s  or  %s", "결정하려면: %s  또는  %s"}
)
