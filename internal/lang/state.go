package lang

// Texts about the state root.
var (
	StateUnusable     = Text{"the state root %s cannot be used: %v", "상태 폴더 %s을(를) 사용할 수 없습니다: %v"}
	StateUnusableHint = Text{"Choose a folder that you can write to: --state-root DIR, or the variable GONGU_STATE_ROOT.", "쓸 수 있는 폴더를 --state-root DIR 또는 환경 변수 GONGU_STATE_ROOT로 지정하세요."}
	StateNoHome       = Text{"there is no folder for state: %v", "상태를 둘 폴더가 없습니다: %v"}
	StateInBundle     = Text{"the state root %s lies in the bundle folder %s", "상태 폴더 %s이(가) 번들 폴더 %s 안에 있습니다"}
	StateInBundleHint = Text{"A bundle could bring tokens and approved scripts along that way. Leave out --state-root and GONGU_STATE_ROOT, or choose --state-root DIR outside of the bundle.", "그러면 번들이 토큰과 승인된 스크립트를 함께 가져올 수 있습니다. --state-root와 GONGU_STATE_ROOT를 빼거나 번들 밖의 폴더를 --state-root DIR로 지정하세요."}
	StateForeign      = Text{"the state root %s belongs to another user, who could change what is in it", "상태 폴더 %s은(는) 다른 사용자의 것이어서 그 사용자가 내용을 바꿀 수 있습니다"}
	StateForeignHint  = Text{"Choose a folder of your own, or one below it that gongu can make: --state-root %s", "자신의 폴더, 또는 gongu가 만들 수 있는 그 아래 폴더를 지정하세요: --state-root %s"}
	StateOpen         = Text{"the state root %s has files and is open to other users (%s)", "상태 폴더 %s에 파일이 있고 다른 사용자도 접근할 수 있습니다(%s)"}
	StateOpenHint     = Text{"Let gongu make a folder in it: --state-root %s. If gongu made it and you trust its content: chmod 700 %s", "그 안에 gongu가 폴더를 만들게 하세요: --state-root %s. gongu가 만든 폴더이고 내용을 믿을 수 있다면: chmod 700 %s"}
	StateOldFolder    = Text{"%s is not read any more: state lies outside of the bundle now. To keep its workspaces, run: %s", "%s은(는) 더 이상 읽지 않습니다. 상태는 이제 번들 밖에 있습니다. 작업 공간을 유지하려면 다음을 실행하세요: %s"}
	StateBundleFile   = Text{"the bundle folder cannot be written, so %s is kept in the state root", "번들 폴더에 쓸 수 없어 %s을(를) 상태 폴더에 둡니다"}
)
