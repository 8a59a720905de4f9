package lang

// Help and texts of gongu audit.
var (
	CLIAuditShort = Text{"Show and check the record of calls and decisions", "호출과 결정의 기록을 보고 검사합니다"}
	CLIAuditLong  = Text{
		"Every call of a tool and every decision leaves a row in the records of the bundle.\nSeals prove that rows are as they were written: store the head elsewhere, and verify\nfinds every row before it that was changed, removed or added since.",
		"모든 도구 호출과 모든 결정은 번들의 기록에 한 줄로 남습니다. 봉인은 기록이 쓰인 그대로임을\n증명합니다. head를 다른 곳에 보관해 두면 verify가 그 이전에서 바뀌거나 지워지거나 추가된\n기록을 모두 찾아냅니다.",
	}
	CLIAuditListShort   = Text{"List rows, the newest first", "최근 것부터 기록을 나열합니다"}
	CLIAuditShowShort   = Text{"Show a row with what is kept of its arguments and result", "기록 하나를 보관된 인자, 결과와 함께 보여 줍니다"}
	CLIAuditHeadShort   = Text{"Seal all rows and print the digest of the latest seal", "모든 기록을 봉인하고 최신 봉인의 다이제스트를 출력합니다"}
	CLIAuditVerifyShort = Text{"Check seals, rows and payloads", "봉인, 기록, 보관된 내용을 검사합니다"}
	CLIAuditVerifyLong  = Text{
		"Check that seals, rows and payloads fit together. With --head X, a digest that gongu\naudit head printed earlier, it proves that every row up to that seal is as it was.\nWithout one it cannot know whether a writer of the store has replaced all of it, or\nremoved the last rows. The exit status is 1 if anything is wrong.",
		"봉인, 기록, 보관된 내용이 서로 맞는지 검사합니다. 이전에 gongu audit head가 출력한\n다이제스트를 --head X로 주면 그 봉인까지의 모든 기록이 그대로임을 증명합니다. head가 없으면\n저장소에 쓸 수 있는 누군가가 전체를 바꿔 놓았는지, 마지막 기록을 지웠는지는 알 수 없습니다.\n문제가 있으면 종료 상태는 1입니다.",
	}
	CLIAuditExportShort = Text{"Write rows to standard output, the oldest first", "오래된 것부터 기록을 표준 출력으로 내보냅니다"}
	CLIAuditEraseShort  = Text{"Erase what is kept of the arguments and result of a row", "기록에 보관된 인자와 결과를 지웁니다"}
	CLIAuditEraseLong   = Text{
		"Erase the payload of a row: what is kept of the arguments and the result of a call.\nThe row and its digests stay, and a new row records who erased the payload.\nA person has to agree at a terminal.",
		"기록에 보관된 내용, 곧 호출의 인자와 결과를 지웁니다. 기록과 다이제스트는 남으며, 누가\n지웠는지가 새 기록으로 남습니다. 사람이 터미널에서 동의해야 합니다.",
	}

	CLIFlagAuditTool      = Text{"only calls of tool `T`", "도구 `T`의 호출만"}
	CLIFlagAuditPrincipal = Text{"only rows of principal `P`", "주체 `P`의 기록만"}
	CLIFlagAuditAgent     = Text{"only rows of agent `A`", "에이전트 `A`의 기록만"}
	CLIFlagAuditStatus    = Text{"only rows with status `S`: ok, error, suspended, running, unknown", "상태가 `S`인 기록만: ok, error, suspended, running, unknown"}
	CLIFlagAuditKind      = Text{"only rows of kind `K`: call, decision, retention, erasure, gap", "종류가 `K`인 기록만: call, decision, retention, erasure, gap"}
	CLIFlagAuditSince     = Text{"only rows since `T`: 2h, or 2026-01-31T12:00:00Z", "`T` 이후의 기록만: 2h 또는 2026-01-31T12:00:00Z"}
	CLIFlagAuditUntil     = Text{"only rows until `T`", "`T`까지의 기록만"}
	CLIFlagAuditTrace     = Text{"only rows of trace `ID`", "추적 `ID`의 기록만"}
	CLIFlagAuditCall      = Text{"only rows of call `ID`", "호출 `ID`의 기록만"}
	CLIFlagAuditLimit     = Text{"at most `N` rows", "최대 `N`줄"}
	CLIFlagAuditCursor    = Text{"continue after the list that printed `CURSOR`", "`CURSOR`를 출력한 목록에 이어서"}
	CLIFlagAuditHead      = Text{"the digest `X` that gongu audit head printed", "gongu audit head가 출력한 다이제스트 `X`"}
	CLIFlagAuditFormat    = Text{"jsonl or csv", "jsonl 또는 csv"}
	CLIFlagAuditPayloads  = Text{"with what is kept of arguments and results", "보관된 인자와 결과를 함께"}

	CLIColumnNumber   = Text{"ROW", "번호"}
	CLIColumnTime     = Text{"TIME", "시각"}
	CLIColumnWho      = Text{"WHO", "주체"}
	CLIColumnWhat     = Text{"WHAT", "내용"}
	CLIColumnDuration = Text{"TOOK", "걸린 시간"}
	CLIColumnCall     = Text{"CALL", "호출"}

	CLIAuditNone      = Text{"no rows", "기록이 없습니다"}
	CLIAuditNext      = Text{"More: %s", "이어 보기: %s"}
	CLIAuditNoRow     = Text{"there is no row %s", "기록 %s이(가) 없습니다"}
	CLIAuditNoRowHint = Text{"Find rows with: %s", "다음으로 기록을 찾으세요: %s"}
	CLIAuditNeedsID   = Text{"name a row by its number or a call by its id", "기록 번호나 호출 ID를 지정하세요"}
	CLIAuditArgs      = Text{"Arguments", "인자"}
	CLIAuditResult    = Text{"Result", "결과"}
	CLIAuditErased    = Text{"erased", "지워짐"}
	CLIAuditEmpty     = Text{"nothing is recorded yet", "아직 기록이 없습니다"}
	CLIAuditEmptyHint = Text{"Calls leave rows, for example: %s", "호출하면 기록이 남습니다. 예: %s"}
	CLIAuditNotSealed = Text{"Rows after row %d are not sealed: another process seals, wait a second and ask again.", "%d번 이후의 기록은 아직 봉인되지 않았습니다. 다른 프로세스가 봉인 중이니 잠시 뒤 다시 실행하세요."}
	CLIAuditStoreHead = Text{"Store this digest where people and programs that can write the records cannot change it. It covers %d rows.", "기록에 쓸 수 있는 사람이 바꿀 수 없는 곳에 이 다이제스트를 보관하세요. 기록 %d개를 증명합니다."}
	CLIAuditBadHead   = Text{"%q is not a head: it has 64 hexadecimal digits", "%q은(는) head가 아닙니다. head는 16진수 64자리입니다"}

	CLIAuditChecked   = Text{"%d rows in %d seals, %d rows without a seal yet.", "봉인 %[2]d개에 기록 %[1]d개, 아직 봉인되지 않은 기록 %[3]d개."}
	CLIAuditProven    = Text{"Proven: the %d rows up to seal %d are as they were when the head was taken.", "증명됨: 봉인 %[2]d까지의 기록 %[1]d개는 head를 만든 때와 같습니다."}
	CLIAuditUnproven  = Text{"Rows after the head fit their seals, which proves nothing: take a new head.", "head 이후의 기록은 봉인과 맞지만 증명된 것은 아닙니다. 새 head를 만드세요."}
	CLIAuditUnheaded  = Text{"Not proven: without a head it is not known whether all rows and seals were replaced or the last ones removed.\nTake a head and store it elsewhere: %s", "증명되지 않음: head가 없으면 기록과 봉인 전체가 바뀌었는지, 마지막 것이 지워졌는지 알 수 없습니다.\nhead를 만들어 다른 곳에 보관하세요: %s"}
	CLIAuditRemoved   = Text{"%d rows were removed by retention, on record.", "보존 기간에 따라 지워진 기록 %d개(기록에 남음)."}
	CLIAuditErasedN   = Text{"%d payloads were erased, on record.", "지워진 보관 내용 %d개(기록에 남음)."}
	CLIAuditProblems  = Text{"problems found: %d", "문제 %d개를 찾았습니다"}
	CLIAuditWrongHint = Text{"The records were changed. Keep a copy as evidence: %s", "기록이 바뀌었습니다. 증거로 사본을 남기세요: %s"}

	CLIAuditProblemHead    = Text{"No seal has this digest: seals before it were changed or removed, or it is the head of another store.", "이 다이제스트를 가진 봉인이 없습니다. 이전 봉인이 바뀌거나 지워졌거나, 다른 저장소의 head입니다."}
	CLIAuditProblemSeal    = Text{"Seal %d was changed, or the one before it is missing.", "봉인 %d이(가) 바뀌었거나 그 앞의 봉인이 없습니다."}
	CLIAuditProblemRows    = Text{"Rows of seal %d were changed, added or removed.", "봉인 %d의 기록이 바뀌거나 추가되거나 지워졌습니다."}
	CLIAuditProblemPayload = Text{"The payload of row %d was changed.", "기록 %d의 보관 내용이 바뀌었습니다."}
	CLIAuditProblemErased  = Text{"The payload of row %d is missing, and no row records its erasure.", "기록 %d의 보관 내용이 없는데 지운 기록이 없습니다."}
	CLIAuditProblemRemoved = Text{"Rows of seal %d are missing. The row that records their removal is newer than the head, so it is not proven: verify with a newer head.", "봉인 %d의 기록이 없습니다. 삭제를 남긴 기록이 head보다 나중 것이라 증명되지 않습니다. 더 새로운 head로 검사하세요."}
	CLIAuditProblemLeft    = Text{"Seal %d has rows that retention removed.", "봉인 %d에 보존 기간이 지나 지워졌어야 할 기록이 있습니다."}
	CLIAuditProblemGap     = Text{"Row %d is missing.", "기록 %d이(가) 없습니다."}

	CLIAuditEraseAsk   = Text{"Erase what is kept of the arguments and results of these rows? It cannot be undone.", "이 기록에 보관된 인자와 결과를 지울까요? 되돌릴 수 없습니다."}
	CLIAuditErasedRows = Text{"Erased %d payloads.", "보관 내용 %d개를 지웠습니다."}
	CLIAuditNotWritten = Text{"the decision is made, but it is not in the audit: %s", "결정은 반영되었지만 감사 기록에 남지 않았습니다: %s"}

	CLIFlagServeAudit = Text{"record calls: `HOW` is on, or required to refuse calls that cannot be recorded first", "호출 기록: `HOW`는 on 또는 required(먼저 기록할 수 없는 호출은 거부)"}
)
