package lang

// Texts about the store of records.
var (
	CLIFlagStore         = Text{"keep records in `URL`: a file, or postgres://… (default: GONGU_STORE, else state.db in the state root; ignored with --stdio)", "기록을 `URL`에 둡니다. 파일이나 postgres://… (기본값은 GONGU_STORE, 없으면 상태 폴더의 state.db. --stdio에서는 무시)"}
	CLIFlagStoreKey      = Text{"seal the exact bytes of waiting calls with the key in `FILE`, which is made if it is missing (default: GONGU_STORE_KEY); all hosts of a store need the same file", "대기 중인 호출의 원래 바이트를 `FILE`의 키로 봉인합니다. 파일이 없으면 만듭니다 (기본값은 GONGU_STORE_KEY). 한 저장소의 모든 호스트에 같은 파일이 필요합니다"}
	CLIStoreKey          = Text{"the key file %s cannot be used: %v", "키 파일 %s을(를) 사용할 수 없습니다: %v"}
	CLIStoreUnsealed     = Text{"Arguments and results of waiting calls can be read in the database. To seal them, start every host with the same key file: --store-key FILE", "대기 중인 호출의 인자와 결과를 데이터베이스에서 읽을 수 있습니다. 봉인하려면 모든 호스트를 같은 키 파일로 시작하세요: --store-key FILE"}
	CLIStoreKeyFile      = Text{"--store-key is for a database server; only you can read the records in %s", "--store-key는 데이터베이스 서버용입니다. %s의 기록은 본인만 읽을 수 있습니다"}
	CLIStoreKeyFileHint  = Text{"Leave out --store-key, or name a server: --store postgres://USER@HOST:5432/DATABASE", "--store-key를 빼거나 서버를 지정하세요: --store postgres://USER@HOST:5432/DATABASE"}
	CLIStoreKeyHint      = Text{"Name a file in a folder that you can write; gongu makes it and keeps it private. Copy it to the other hosts of the store.", "쓸 수 있는 폴더의 파일을 지정하세요. gongu가 파일을 만들고 다른 사람이 읽지 못하게 합니다. 저장소의 다른 호스트에는 그 파일을 복사하세요."}
	CLIStoreIgnored      = Text{"--store and GONGU_STORE are ignored with --stdio, because a client's settings file can set them; records are kept in the state root", "클라이언트 설정 파일이 정할 수 있으므로 --stdio에서는 --store와 GONGU_STORE를 무시하고 상태 폴더에 기록합니다"}
	CLIRequestsInStore   = Text{"The store has the requests. Leave out --requests, or leave out --store and GONGU_STORE to work on a file.", "요청은 저장소에 있습니다. --requests를 빼거나, 파일로 작업하려면 --store와 GONGU_STORE를 빼세요."}
	CLIStoreURL          = Text{"the value of %s is not the address of a store", "%s의 값이 저장소 주소가 아닙니다"}
	CLIStoreURLHint      = Text{"Use a file (--store records.db) or a PostgreSQL server (--store postgres://user@host/database).", "파일(--store records.db)이나 PostgreSQL 서버(--store postgres://user@host/database)를 지정하세요."}
	CLIStoreInBundle     = Text{"the store %s lies in the folder %s, which came together with the bundle", "저장소 %s이(가) 번들과 함께 온 폴더 %s 안에 있습니다"}
	CLIStoreInBundleHint = Text{"A bundle could bring tokens and consents along that way. Leave out --store and GONGU_STORE, or choose a file outside of it.", "그러면 번들이 토큰과 동의를 함께 가져올 수 있습니다. --store와 GONGU_STORE를 빼거나 그 폴더 밖의 파일을 지정하세요."}
	CLIStoreFailed       = Text{"the records in %s cannot be opened: %v", "%s의 기록을 열 수 없습니다: %v"}
	CLIStoreHint         = Text{"Free some space or make the folder writable and try again, or keep the records elsewhere: --store FILE", "공간을 비우거나 폴더에 쓸 수 있게 한 뒤 다시 시도하세요. 다른 곳에 기록하려면: --store FILE"}
	CLIStoreServerHint   = Text{"Check that the server runs and that the user may connect to the database and make tables in it, then try again.", "서버가 실행 중인지, 사용자가 데이터베이스에 연결하고 테이블을 만들 수 있는지 확인한 뒤 다시 시도하세요."}

	CLIStatusRecords = Text{"Records", "기록"}
	CLIRecordsNone   = Text{"none yet", "아직 없음"}
	CLIRecordsBroken = Text{"%s cannot be read: %s", "%s을(를) 읽을 수 없음: %s"}
	CLIRecords       = Text{"%s, %s, %.1f MB, %d rows", "%s, %s, %.1f MB, %d줄"}
	CLIRecordsSealed = Text{"sealed up to row %d on %s", "%d줄까지 %s에 봉인됨"}
	CLIRecordsHosts  = Text{"hosts with a lease: %d", "임차권이 있는 호스트 %d개"}
	CLIRecordsQueue  = Text{"waiting to be written: %d, lost: %d", "쓰기 대기 %d, 유실 %d"}
)
