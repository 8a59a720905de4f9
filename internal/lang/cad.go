package lang

// Errors and corrections of drawing.
var (
	CADCorrected = Text{"%s was %v, which cannot be drawn; %v is used.", "%s 값 %v은(는) 그릴 수 없어 %v을(를) 사용했습니다."}
	CADEmptyArc  = Text{"The arc begins and ends at the same angle, so there is nothing to see. For a whole circle make the angles a full turn apart.", "호의 시작 각도와 끝 각도가 같아 보이는 것이 없습니다. 원 전체를 그리려면 두 각도를 한 바퀴 차이로 지정하세요."}

	CADNotFound      = Text{"Entity not found: %s", "Entity not found: %s"}
	CADDuplicate     = Text{"duplicate_name: an entity named '%s' already exists", "duplicate_name: '%s'(이)라는 엔티티가 이미 있습니다"}
	CADPoints        = Text{"points must be [x1, y1, x2, y2, ...] with at least two points, but has %d numbers", "points는 점이 둘 이상인 [x1, y1, x2, y2, ...] 형식이어야 하는데 숫자가 %d개입니다"}
	CADNumber        = Text{"%s: %v is not a number between -%[3]g and %[3]g", "%s: %v은(는) -%[3]g에서 %[3]g 사이의 숫자가 아닙니다"}
	CADScale         = Text{"transform: a scale of %v cannot be drawn; it must be positive", "transform: 배율 %v은(는) 그릴 수 없습니다. 양수여야 합니다"}
	CADName          = Text{"name: %q cannot be the name of an entity; use letters, digits and signs, without control characters", "name: %q은(는) 엔티티 이름으로 쓸 수 없습니다. 제어 문자 없이 글자, 숫자, 기호를 사용하세요"}
	CADNameLong      = Text{"name: has %d characters, at most %d are allowed", "name: %d자입니다. 최대 %d자까지 쓸 수 있습니다"}
	CADOneOf         = Text{"%s: %q is none of %v", "%s: %q은(는) %v 중 하나가 아닙니다"}
	CADDash          = Text{"stroke.dash: must be at most %d lengths, none negative and not all zero", "stroke.dash: 길이는 최대 %d개이고, 음수가 없어야 하며 모두 0일 수 없습니다"}
	CADColor         = Text{"%s: %v is not between 0 and 1; write [red, green, blue, alpha] with parts from 0 to 1", "%s: %v은(는) 0과 1 사이가 아닙니다. [빨강, 초록, 파랑, 알파]를 0에서 1 사이로 쓰세요"}
	CADManyEntities  = Text{"the scene is full: it holds at most %d entities", "씬이 가득 찼습니다. 엔티티는 최대 %d개입니다"}
	CADManyPoints    = Text{"the scene is full: its entities have at most %d points together", "씬이 가득 찼습니다. 모든 엔티티의 점은 합해서 최대 %d개입니다"}
	CADNothingToUndo = Text{"there is nothing to undo", "되돌릴 작업이 없습니다"}
	CADNothingToRedo = Text{"there is nothing to redo", "다시 실행할 작업이 없습니다"}
)

// What to do next.
var (
	CADHintNear      = Text{"Did you mean %s?", "혹시 %s을(를) 찾으셨나요?"}
	CADHintList      = Text{"Call list_entities to see the names there are.", "list_entities를 호출해 있는 이름을 확인하세요."}
	CADHintDuplicate = Text{"Choose another name, or delete '%s' first.", "다른 이름을 고르거나 '%s'을(를) 먼저 삭제하세요."}
	CADHintFree      = Text{"%s is free.", "%s은(는) 쓸 수 있습니다."}
	CADHintInvalid   = Text{"Correct the value and call again. Nothing was changed.", "값을 고쳐 다시 호출하세요. 바뀐 것은 없습니다."}
	CADHintLimit     = Text{"Delete entities that are not needed, or draw several lines as one polyline.", "필요 없는 엔티티를 삭제하거나, 여러 선분을 폴리라인 하나로 그리세요."}
	CADHintHistory   = Text{"Call get_scene_info to see the last operation.", "get_scene_info를 호출해 마지막 작업을 확인하세요."}
	CADHintFile      = Text{"The file was left as it is. Move it away to begin a new scene, or use another instance.", "파일은 그대로 두었습니다. 새 씬을 시작하려면 파일을 옮기거나 다른 인스턴스를 사용하세요."}
)

// What is wrong with a file that holds a scene.
var (
	CADFileBroken = Text{"the scene file %s cannot be read: %v", "씬 파일 %s을(를) 읽을 수 없습니다: %v"}
	CADFileNewer  = Text{"the scene file %s has version %d, and this program reads up to version %d; use a newer gongu", "씬 파일 %s의 버전은 %d인데 이 프로그램은 버전 %d까지 읽습니다. 더 새로운 gongu를 사용하세요"}
	CADFileLarge  = Text{"the scene file %s has more than %d bytes", "씬 파일 %s이(가) %d바이트보다 큽니다"}
	CADFileSave   = Text{"the scene could not be saved: %v", "씬을 저장하지 못했습니다: %v"}
	CADFileLock   = Text{"the scene is in use by another process: %v", "다른 프로세스가 씬을 사용하고 있습니다: %v"}
)
