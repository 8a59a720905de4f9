package lang

// Help and texts of gongu state.
var (
	CLIStateShort = Text{"Show and tidy up the folders that gongu keeps state in", "gongu가 상태를 두는 폴더를 보고 정리합니다"}
	CLIStateLong  = Text{
		"Workspaces, tokens, caches and records of servers lie in a state root outside of\nthe bundle, which only you can read: by default a folder for each bundle in your\nstate folder. --state-root DIR or GONGU_STATE_ROOT choose another one.",
		"작업 공간, 토큰, 캐시, 서버 기록은 번들 밖의 상태 폴더에 있으며 본인만 읽을 수\n있습니다. 기본값은 사용자 상태 폴더 안의 번들별 폴더입니다. --state-root DIR 또는\nGONGU_STATE_ROOT로 다른 폴더를 지정할 수 있습니다.",
	}
	CLIStatePathShort = Text{"Print the state root of a bundle", "번들의 상태 폴더를 출력합니다"}
	CLIStateListShort = Text{"List the state roots with their bundles", "상태 폴더와 해당 번들을 나열합니다"}
	CLIStateMoveShort = Text{"Move the state of an earlier version out of a bundle", "이전 버전의 상태를 번들 밖으로 옮깁니다"}
	CLIStateMoveLong  = Text{
		"Earlier versions kept their state in .gongu in the bundle, which is not read any\nmore. This moves the instances with their workspaces, and the caches, to the state\nroot. Tokens, approved scripts, logins and records of servers are not moved: a\nbundle must not bring them along. Make them again.",
		"이전 버전은 번들의 .gongu에 상태를 두었지만 이제 그 폴더는 읽지 않습니다. 이 명령은\n인스턴스와 작업 공간, 캐시를 상태 폴더로 옮깁니다. 토큰, 승인된 스크립트, 로그인,\n서버 기록은 옮기지 않습니다. 번들이 이를 함께 가져와서는 안 되므로 다시 만드세요.",
	}
	CLIStatePruneShort = Text{"Remove the state of bundles that are gone", "없어진 번들의 상태를 지웁니다"}
	CLIStatePruneLong  = Text{
		"Remove the state roots whose bundle folder does not exist any more, after asking.\nState roots chosen with --state-root are not touched.",
		"번들 폴더가 더 이상 없는 상태 폴더를 물어본 뒤 지웁니다. --state-root로 지정한 상태\n폴더는 건드리지 않습니다.",
	}
	CLIFlagStateDryRun = Text{"only say what would be done", "무엇을 할지 알려 주기만 합니다"}

	CLIColumnBundle = Text{"BUNDLE", "번들"}
	CLIColumnExists = Text{"EXISTS", "있음"}
	CLIColumnSize   = Text{"SIZE", "크기"}
	CLIColumnPath   = Text{"STATE", "상태 폴더"}
	CLIYes          = Text{"yes", "예"}
	CLINo           = Text{"no", "아니요"}
	CLIUnknown      = Text{"unknown", "알 수 없음"}

	CLIStateNone        = Text{"there is no state yet", "아직 상태가 없습니다"}
	CLIStateNoOld       = Text{"there is no %s to move", "옮길 %s이(가) 없습니다"}
	CLIStateNoOldHint   = Text{"Name the bundle of an earlier version with -b DIR.", "이전 버전의 번들을 -b DIR로 지정하세요."}
	CLIStateMoveAsk     = Text{"Move %s from %s to %s? Agree only if this folder is your own work and did not come with a download.", "%s을(를) %s에서 %s(으)로 옮길까요? 이 폴더가 내려받은 것이 아니라 직접 작업한 것일 때만 동의하세요."}
	CLIStateMoved       = Text{"Moved %s to %s.", "%s을(를) %s(으)로 옮겼습니다."}
	CLIStateWouldMove   = Text{"Would move %s to %s.", "%s을(를) %s(으)로 옮길 예정입니다."}
	CLIStateLeft        = Text{"Left in %s: %s. It is not read any more; remove it when you do not need it.", "%s에 남긴 것: %s. 더 이상 읽지 않으므로 필요 없으면 지우세요."}
	CLIStatePruneAsk    = Text{"Remove these %d state roots with everything in them?", "위 상태 폴더 %d개를 내용과 함께 지울까요?"}
	CLIStateRemoved     = Text{"Removed %s (bundle %s is gone).", "%s을(를) 지웠습니다(번들 %s이(가) 없음)."}
	CLIStateWouldRemove = Text{"Would remove %s (bundle %s is gone).", "%s을(를) 지울 예정입니다(번들 %s이(가) 없음)."}
	CLIStateNothing     = Text{"Every state root belongs to a bundle that exists.", "모든 상태 폴더의 번들이 있습니다."}
	CLIStateNotAsked    = Text{"nothing was changed: the question was not answered with yes at a terminal", "아무것도 바꾸지 않았습니다. 터미널에서 예라고 답해야 합니다"}
	CLIStateAskHint     = Text{"Run the command at a terminal, or see what it would do: %s", "터미널에서 실행하거나 무엇을 할지 먼저 보세요: %s"}

	CLIStateBackupShort = Text{"Write all records to a file", "모든 기록을 파일로 백업합니다"}
	CLIStateBackupLong  = Text{
		"Write all records of the store, as they are at one moment, to a new file that only\nyou can read. gongu can go on meanwhile. gongu state restore reads the file into a\nSQLite file or a PostgreSQL database, whichever the backup came from.",
		"저장소의 모든 기록을 한 시점 그대로 본인만 읽을 수 있는 새 파일에 씁니다. 그동안에도\ngongu를 사용할 수 있습니다. gongu state restore는 백업의 출처와 관계없이 SQLite 파일이나\nPostgreSQL 데이터베이스로 복원합니다.",
	}
	CLIStateRestoreShort = Text{"Replace all records by those of a backup", "모든 기록을 백업의 기록으로 바꿉니다"}
	CLIStateRestoreLong  = Text{
		"Replace all records of the store by those of a backup, after asking. Stop every\ngongu that uses the store first. What was under way when the backup was made does\nnot go on: waiting calls are cancelled, and started ones count as of unknown outcome.",
		"물어본 뒤 저장소의 모든 기록을 백업의 기록으로 바꿉니다. 먼저 저장소를 쓰는 gongu를 모두\n멈추세요. 백업할 때 진행 중이던 일은 이어지지 않습니다. 기다리던 호출은 취소되고, 시작된\n호출은 결과를 알 수 없는 것으로 처리됩니다.",
	}
	CLIStateCheckShort = Text{"Look for damage in the records", "기록이 손상되었는지 확인합니다"}
	CLIStateCheckLong  = Text{
		"Look for damage in the file of the store, in its tables and in the records. The\nexit code is 1 if there is any.",
		"저장소 파일과 테이블, 기록이 손상되었는지 확인합니다. 손상이 있으면 종료 코드가\n1입니다.",
	}
	CLIStateOneFile       = Text{"%s takes the name of one file", "%s에는 파일 이름이 하나 필요합니다"}
	CLIStateNoRecords     = Text{"there are no records yet: %s does not exist", "아직 기록이 없습니다. %s이(가) 없습니다"}
	CLIStateNoRecordsHint = Text{"Name the bundle with -b DIR, or the store with --store URL.", "-b DIR로 번들을, 또는 --store URL로 저장소를 지정하세요."}
	CLIStateBackedUp      = Text{"Wrote the records of %s to %s.", "%s의 기록을 %s에 썼습니다."}
	CLIStateServed        = Text{"process %s serves this bundle and uses its records", "프로세스 %s이(가) 이 번들을 제공하며 기록을 사용하고 있습니다"}
	CLIStateServedHint    = Text{"Stop it first, then run the command again.", "먼저 그 프로세스를 멈춘 다음 다시 실행하세요."}
	CLIStateRestoreAsk    = Text{"Replace all records of %s by those of %s? Tokens and decisions of the backup will count again.", "%s의 모든 기록을 %s의 기록으로 바꿀까요? 백업에 있는 토큰과 결정이 다시 유효해집니다."}
	CLIStateRestoreHint   = Text{"Run the command at a terminal and answer y.", "터미널에서 실행하고 y로 답하세요."}
	CLIStateRestored      = Text{"Replaced the records of %s by those of %s.", "%s의 기록을 %s의 기록으로 바꿨습니다."}
	CLIStateSound         = Text{"No problems in %s.", "%s에 문제가 없습니다."}
	CLIStateProblems      = Text{"%d problems in the records", "기록에 문제가 %d개 있습니다"}
	CLIStateProblemsHint  = Text{"Stop gongu, move the file away and restore a backup: gongu state restore FILE", "gongu를 멈추고 파일을 다른 곳으로 옮긴 뒤 백업을 복원하세요: gongu state restore FILE"}
)
