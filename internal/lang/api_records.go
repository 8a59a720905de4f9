package lang

// Texts of the HTTP API about records.
var (
	APIListCalls = Text{"List the calls that were made, the newest first", "호출 기록을 최근 것부터 나열합니다"}
	APIGetCall   = Text{"Show a call with what is kept of its arguments and result, and the calls that it made", "호출 하나를 보관된 인수와 결과, 그 호출이 만든 호출과 함께 보여 줍니다"}
	APIListAudit = Text{"List the rows of the audit, the newest first", "감사 기록을 최근 것부터 나열합니다"}
	APIAuditHead = Text{"The latest seal of the audit", "감사 기록의 마지막 봉인"}
	APIEvents    = Text{"Follow what happens, as server-sent events", "일어나는 일을 서버 전송 이벤트로 따라갑니다"}

	APIParamTool      = Text{"the name of a tool", "도구 이름"}
	APIParamPrincipal = Text{"the name of the caller", "호출한 사용자 이름"}
	APIParamOutcome   = Text{"ok, error, running or unknown", "ok, error, running, unknown 중 하나"}
	APIParamTrace     = Text{"a trace id", "추적 ID"}
	APIParamSince     = Text{"the earliest time, such as 2026-01-31T09:00:00Z", "가장 이른 시각. 예: 2026-01-31T09:00:00Z"}
	APIParamCall      = Text{"the id of a call (toolCallId)", "호출 ID(toolCallId)"}
	APIParamRowKind   = Text{"the kind of the row, such as call or decision", "기록의 종류. 예: call, decision"}
	APIParamEventKind = Text{"only events of this kind", "이 종류의 이벤트만"}
	APIParamAfter     = Text{"begin after the event with this id; the header Last-Event-ID comes first. Without both: from now on", "이 ID의 이벤트 다음부터 시작합니다. Last-Event-ID 헤더가 우선합니다. 둘 다 없으면 지금부터"}

	APINoRecords     = Text{"this server keeps no records", "이 서버는 기록을 보관하지 않습니다"}
	APINoRecordsHint = Text{"gongu serve keeps them. A program that serves a gateway itself sets Options.Store.", "gongu serve는 기록을 보관합니다. 게이트웨이를 직접 제공하는 프로그램은 Options.Store를 설정하세요."}
	APINoCall        = Text{"there is no call %q in the records", "기록에 호출 %q이(가) 없습니다"}
	APINoCallHint    = Text{"List the calls with GET /api/v1/calls. A call is recorded a moment after it has ended, and old ones are removed.", "GET /api/v1/calls로 호출을 나열하세요. 호출은 끝난 직후에 기록되며 오래된 호출은 지워집니다."}
	APISinceHint     = Text{"Send a time such as 2026-01-31T09:00:00Z (RFC 3339).", "2026-01-31T09:00:00Z 같은 시각(RFC 3339)을 보내세요."}
	APINoStream      = Text{"the client does not accept a stream of events", "클라이언트가 이벤트 스트림을 받지 않습니다"}
	APINoStreamHint  = Text{"Send the header Accept: text/event-stream.", "Accept: text/event-stream 헤더를 보내세요."}
	APIAfterHint     = Text{"Send the id of an event that you got, a number up to %d, or leave it out to begin now.", "받은 이벤트의 ID(%d 이하의 숫자)를 보내거나, 지금부터 받으려면 빼세요."}
	APIStreams       = Text{"too many streams of events are open", "열린 이벤트 스트림이 너무 많습니다"}
	APIStreamsHint   = Text{"Close a stream that you do not need and try again.", "필요 없는 스트림을 닫고 다시 시도하세요."}
	APIStoreBusy     = Text{"the records cannot be read now", "지금은 기록을 읽을 수 없습니다"}
	APIStoreBusyHint = Text{"Try again in a moment. If it stays like this, see the log of the server and gongu state check.", "잠시 후 다시 시도하세요. 계속되면 서버 로그와 gongu state check를 확인하세요."}
)
