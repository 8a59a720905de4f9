package lang

// Texts about the store of records.
var (
	StoreNoURL         = Text{"the address of the store is empty", "저장소 주소가 비어 있습니다"}
	StoreURLHint       = Text{"Name a file or a PostgreSQL database: --store sqlite:/path/state.db, or --store postgres://USER@HOST:5432/DATABASE", "파일이나 PostgreSQL 데이터베이스를 지정하세요: --store sqlite:/path/state.db 또는 --store postgres://USER@HOST:5432/DATABASE"}
	StoreBadURL        = Text{"the address of the store cannot be read", "저장소 주소를 읽을 수 없습니다"}
	StoreScheme        = Text{"the store %s:// is not known", "저장소 종류 %s://은(는) 알 수 없습니다"}
	StoreNetwork       = Text{"the records cannot lie in %s: it is on a network file system (%s), where SQLite's locks do not hold", "기록을 %s에 둘 수 없습니다. SQLite의 잠금이 지켜지지 않는 네트워크 파일 시스템(%s)에 있습니다"}
	StoreNetworkHint   = Text{"Choose a folder on a local disk with --state-root DIR or --store sqlite:PATH. For several machines use PostgreSQL: --store postgres://USER@HOST:5432/DATABASE", "--state-root DIR 또는 --store sqlite:PATH로 로컬 디스크의 폴더를 지정하세요. 여러 컴퓨터에서 쓰려면 PostgreSQL을 사용하세요: --store postgres://USER@HOST:5432/DATABASE"}
	StoreForeign       = Text{"%s belongs to another user, who could change the records", "%s은(는) 다른 사용자의 것이어서 그 사용자가 기록을 바꿀 수 있습니다"}
	StoreForeignHint   = Text{"Choose a file of your own: --store sqlite:PATH", "자신의 파일을 지정하세요: --store sqlite:PATH"}
	StoreOther         = Text{"%s is a database of another program", "%s은(는) 다른 프로그램의 데이터베이스입니다"}
	StoreOtherHint     = Text{"gongu changed nothing in it. Choose another file or database with --store URL.", "gongu는 아무것도 바꾸지 않았습니다. --store URL로 다른 파일이나 데이터베이스를 지정하세요."}
	StoreNewer         = Text{"the store %s has version %d, and this gongu can use versions up to %d", "저장소 %s의 버전은 %d인데 이 gongu는 %d까지만 사용할 수 있습니다"}
	StoreNewerHint     = Text{"Nothing was changed. Use the newer gongu, or restore a backup of the older version into another file: gongu state restore FILE --store sqlite:PATH", "아무것도 바꾸지 않았습니다. 더 새로운 gongu를 사용하거나, 이전 버전의 백업을 다른 파일로 복원하세요: gongu state restore FILE --store sqlite:PATH"}
	StoreBusy          = Text{"another process has been writing to %s for %v", "다른 프로세스가 %s에 %v 동안 쓰고 있습니다"}
	StoreBusyHint      = Text{"Try again. If it stays so, a process that has the file open is stopped or hangs: lsof %s", "다시 시도하세요. 계속되면 파일을 연 프로세스가 멈춰 있는 것입니다: lsof %s"}
	StoreFull          = Text{"the disk of %s is full: nothing was written", "%s의 디스크가 가득 차서 아무것도 쓰지 않았습니다"}
	StoreFullHint      = Text{"Free some space. gongu goes on by itself then.", "공간을 확보하면 gongu가 계속 동작합니다."}
	StoreReadOnly      = Text{"%s cannot be written: nothing was written", "%s에 쓸 수 없어 아무것도 쓰지 않았습니다"}
	StoreReadHint      = Text{"The file, its folder and its disk must be writable for you. Check them with: ls -ld %s", "파일과 폴더, 디스크에 쓸 수 있어야 합니다. 다음으로 확인하세요: ls -ld %s"}
	StoreDamaged       = Text{"the file %s is damaged", "파일 %s이(가) 손상되었습니다"}
	StoreDamagedHint   = Text{"Stop gongu, move the file away and restore a backup: gongu state restore FILE", "gongu를 멈추고 파일을 다른 곳으로 옮긴 뒤 백업을 복원하세요: gongu state restore FILE"}
	StoreFailed        = Text{"%s cannot be read or written: %v", "%s을(를) 읽거나 쓸 수 없습니다: %v"}
	StoreFailedHint    = Text{"Check the disk, then the records: gongu state check", "디스크를 확인한 다음 기록을 확인하세요: gongu state check"}
	StoreServer        = Text{"the database %s does not answer: %v", "데이터베이스 %s이(가) 응답하지 않습니다: %v"}
	StoreServerHint    = Text{"Check that it runs and that the address of --store is right. gongu goes on by itself when it is back.", "실행 중인지, --store 주소가 맞는지 확인하세요. 다시 응답하면 gongu가 계속 동작합니다."}
	StoreUnknown       = Text{"the connection to the database %s was lost during a commit: %v", "커밋하는 동안 데이터베이스 %s와(과)의 연결이 끊어졌습니다: %v"}
	StoreHostTaken     = Text{"another process uses the host name %q on this store", "다른 프로세스가 이 저장소에서 호스트 이름 %q을(를) 사용하고 있습니다"}
	StoreHostTakenHint = Text{"Use another name. If that process was killed, the name is free again after %v.", "다른 이름을 사용하세요. 그 프로세스가 강제 종료되었다면 %v 뒤에 이름을 다시 쓸 수 있습니다."}
	StoreSealed        = Text{"the records of this store are sealed with a key that this host does not have", "이 저장소의 기록은 이 호스트에 없는 키로 봉인되어 있습니다"}
	StoreSealedHint    = Text{"Copy the key file of a host that uses the store, and name it: --store-key FILE, or the variable GONGU_STORE_KEY", "저장소를 사용하는 호스트의 키 파일을 복사한 뒤 지정하세요: --store-key FILE 또는 환경 변수 GONGU_STORE_KEY"}
	StoreUnknownHint   = Text{"Whether it was written is not known. Look at the record before you repeat the change.", "기록되었는지 알 수 없습니다. 다시 하기 전에 기록을 확인하세요."}
	StoreNoKind        = Text{"there are no limits for records of the kind %q", "종류가 %q인 기록에는 한도를 둘 수 없습니다"}
	StoreNoKindHint    = Text{"Kinds with limits: %s", "한도를 둘 수 있는 종류: %s"}
	StoreBackupExists  = Text{"%s exists already", "%s이(가) 이미 있습니다"}
	StoreBackupHint    = Text{"Name a new file. Nothing was overwritten.", "새 파일 이름을 지정하세요. 아무것도 덮어쓰지 않았습니다."}
	StoreNoBackup      = Text{"the backup %s cannot be read: %v", "백업 %s을(를) 읽을 수 없습니다: %v"}
	StoreNoBackupHint  = Text{"Name a file that gongu state backup wrote. Nothing was changed.", "gongu state backup이 만든 파일을 지정하세요. 아무것도 바꾸지 않았습니다."}
	StoreBadBackup     = Text{"the backup %s is damaged: %s", "백업 %s이(가) 손상되었습니다: %s"}
	StoreInUse         = Text{"the host %q is using the store", "호스트 %q이(가) 저장소를 사용하고 있습니다"}
	StoreInUseHint     = Text{"Stop every gongu on this store first. After a host was killed, wait for the end of its lease: 15 seconds.", "먼저 이 저장소를 쓰는 gongu를 모두 멈추세요. 강제로 종료되었다면 임대가 끝날 때까지 15초를 기다리세요."}
)
