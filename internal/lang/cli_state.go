package lang

// Help and texts of gongu state.
var (
	CLIStateShort = Text{"Show and tidy up the folders that gongu keeps state in", "gongu가 상태를 두는 폴더를 보고 정리합니다"}
	CLIStateLong  = Text{
		"gongu stores workspaces, tokens, caches and records of servers in a state root\noutside of the bundle, which only you can read. By default each bundle has its\nown folder in your state folder; --state-root DIR or GONGU_STATE_ROOT name\nanother one.",
		"작업 공간, 토큰, 캐시, 서버 기록은 번들 밖의 상태 폴더에 있으며 본인만 읽을 수\n있습니다. 기본값은 사용자 상태 폴더 안의 번들별 폴더입니다. --state-root DIR 또는\nGONGU_STATE_ROOT로 다른 폴더를 지정할 수 있습니다.",
	}
	CLIStatePathShort = Text{"Print the state root of a bundle", "번들의 상태 폴더를 출력합니다"}
	CLIStateListShort = Text{"List the state roots with their bundles", "상태 폴더와 해당 번들을 나열합니다"}
	CLIStateMoveShort = Text{"Move the state of an earlier version out of a bundle", "이전 버전의 상태를 번들 밖으로 옮깁니다"}
	CLIStateMoveLong  = Text{
		"Earlier versions kept their state in .gongu in the bundle, which is no longer\nread. This command moves the instances with their workspaces, and the caches, to\nthe state root. It does not move tokens, approved scripts, logins and records of\nservers, because a bundle must not bring them along: create them again.",
		"이전 버전은 번들의 .gongu에 상태를 두었지만 이제 그 폴더는 읽지 않습니다. 이 명령은\n인스턴스와 작업 공간, 캐시를 상태 폴더로 옮깁니다. 토큰, 승인된 스크립트, 로그인,\n서버 기록은 옮기지 않습니다. 번들이 이를 함께 가져와서는 안 되므로 다시 만드세요.",
	}
	CLIStatePruneShort = Text{"Remove the state of bundles that no longer exist", "없어진 번들의 상태를 지웁니다"}
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
	CLIStateRemoved     = Text{"Removed %s (bundle %s no longer exists).", "%s을(를) 지웠습니다(번들 %s이(가) 없음)."}
	CLIStateWouldRemove = Text{"Would remove %s (bundle %s no longer exists).", "%s을(를) 지울 예정입니다(번들 %s이(가) 없음)."}
	CLIStateNothing     = Text{"Every state root belongs to a bundle that exists.", "모든 상태 폴더의 번들이 있습니다."}
	CLIStateNotAsked    = Text{"nothing was changed: the question was not answered with yes at a terminal", "아무것도 바꾸지 않았습니다. 터미널에서 예라고 답해야 합니다"}
	CLIStateAskHint     = Text{"Run the command at a terminal, or see what it would do: %s", "터미널에서 실행하거나 무엇을 할지 먼저 보세요: %s"}
)
