package lang

// Domains of the drawing tools. The Korean texts that the seed prints are its
// own, here and below.
var (
	DomainCADPrimitives = Text{"Draw basic shapes", "기본 도형 그리기"}
	DomainCADStyle      = Text{"Set the style", "스타일 설정"}
	DomainCADExport     = Text{"Export the scene", "씬 내보내기"}
	DomainCADQuery      = Text{"Look at the state of the scene", "씬 상태 조회"}
	DomainCADTransforms = Text{"Move, turn, scale, delete; undo and redo", "이동, 회전, 크기 조절, 삭제와 실행 취소"}
)

// Arguments that several tools have.
var (
	cadName      = Text{"Name of the entity", "엔티티 이름"}
	cadX         = Text{"X coordinate", "X 좌표"}
	cadY         = Text{"Y coordinate", "Y 좌표"}
	cadAngleUnit = Text{"Unit of the angles; radian when left out", "각도 단위. 생략하면 radian"}

	cadStyle       = Text{"How to paint it. Left out: a black stroke of width 1 and no fill", "칠하는 방법. 생략하면 두께 1의 검은 선이고 채우지 않습니다"}
	cadStroke      = Text{"The outline; null for none. What is left out has its default", "외곽선. null이면 없습니다. 생략한 값은 기본값입니다"}
	cadColor       = Text{"[red, green, blue, alpha], each from 0 to 1; black when left out", "[빨강, 초록, 파랑, 알파], 각각 0에서 1. 생략하면 검은색"}
	cadStrokeWidth = Text{"Width of the line in units of the scene (default 1)", "선 두께. 씬 단위이며 기본값은 1"}
	cadDash        = Text{"Lengths of strokes and gaps in turn, such as [4, 2]; left out for a solid line", "선과 간격의 길이를 번갈아 씁니다. 예: [4, 2]. 생략하면 실선"}
	cadCap         = Text{"Ends of the line (default Butt)", "선 끝 모양. 기본값은 Butt"}
	cadJoin        = Text{"Corners of the line (default Miter)", "선 모서리 모양. 기본값은 Miter"}
	cadFill        = Text{"The inside; null for none", "내부 채우기. null이면 없습니다"}
	cadFillColor   = Text{"[red, green, blue, alpha], each from 0 to 1", "[빨강, 초록, 파랑, 알파], 각각 0에서 1"}
)

func cadStyled(params map[string]Text) map[string]Text {
	for name, text := range map[string]Text{
		"name":  cadName,
		"style": cadStyle, "style.stroke": cadStroke, "style.stroke.color": cadColor,
		"style.stroke.width": cadStrokeWidth, "style.stroke.dash": cadDash, "style.stroke.cap": cadCap,
		"style.stroke.join": cadJoin, "style.fill": cadFill, "style.fill.color": cadFillColor,
	} {
		params[name] = text
	}
	return params
}

// CADDrawRect and the others of its family draw shapes.
var (
	CADDrawRect = ToolText{
		Title:       Text{"Draw a rectangle", "직사각형 그리기"},
		Description: Text{"Draws a rectangle", "직사각형을 그립니다"},
		Params: cadStyled(map[string]Text{
			"x": cadX, "y": cadY,
			"width":  {"Width. (x, y) is the lower left corner", "너비. (x, y)는 왼쪽 아래 모서리입니다"},
			"height": {"Height, upward", "높이. 위쪽 방향입니다"},
		}),
	}
	CADDrawCircle = ToolText{
		Title:       Text{"Draw a circle", "원 그리기"},
		Description: Text{"Draws a circle", "원을 그립니다"},
		Params: cadStyled(map[string]Text{
			"x": cadX, "y": cadY,
			"radius": {"Radius. (x, y) is the centre", "반지름. (x, y)는 중심입니다"},
		}),
	}
	CADDrawLine = ToolText{
		Title:       Text{"Draw a line", "선 그리기"},
		Description: Text{"Draws a line or a polyline", "선분/폴리라인을 그립니다"},
		Params: cadStyled(map[string]Text{
			"points": {"Coordinates of two or more points: [x1, y1, x2, y2, ...]. End at the first point to close the line", "둘 이상의 점 좌표: [x1, y1, x2, y2, ...]. 첫 점으로 끝내면 닫힌 선이 됩니다"},
		}),
	}
	CADDrawArc = ToolText{
		Title:       Text{"Draw an arc", "호 그리기"},
		Description: Text{"Draws an arc", "호를 그립니다"},
		Params: cadStyled(map[string]Text{
			"cx":          {"X coordinate of the centre", "중심 X 좌표"},
			"cy":          {"Y coordinate of the centre", "중심 Y 좌표"},
			"radius":      {"Radius", "반지름"},
			"start_angle": {"Angle where the arc begins; 0 is at 3 o'clock, and angles grow counter-clockwise", "호의 시작 각도. 0은 3시 방향이고 반시계 방향으로 커집니다"},
			"end_angle":   {"Angle where the arc ends, counter-clockwise from the beginning", "호의 끝 각도. 시작 각도에서 반시계 방향입니다"},
			"angle_unit":  cadAngleUnit,
		}),
	}
)

// CADSetStroke and the others of its family paint entities.
var (
	CADSetStroke = ToolText{
		Title:       Text{"Set the stroke", "선 스타일 설정"},
		Description: Text{"Sets the outline of an entity", "엔티티의 선 스타일을 설정합니다"},
		Params: map[string]Text{
			"name":         cadName,
			"stroke":       {"The new outline. What is left out has its default", "새 외곽선. 생략한 값은 기본값이 됩니다"},
			"stroke.color": cadColor, "stroke.width": cadStrokeWidth, "stroke.dash": cadDash, "stroke.cap": cadCap, "stroke.join": cadJoin,
		},
	}
	CADSetFill = ToolText{
		Title:       Text{"Set the fill", "채우기 설정"},
		Description: Text{"Fills an entity with a colour", "엔티티를 색으로 채웁니다"},
		Params: map[string]Text{
			"name":       cadName,
			"fill":       {"The new fill", "새 채우기"},
			"fill.color": cadFillColor,
		},
	}
	CADRemoveStroke = ToolText{
		Title:       Text{"Remove the stroke", "선 스타일 제거"},
		Description: Text{"Removes the outline of an entity", "엔티티의 선 스타일을 제거합니다"},
		Params:      map[string]Text{"name": cadName},
	}
	CADRemoveFill = ToolText{
		Title:       Text{"Remove the fill", "채우기 제거"},
		Description: Text{"Removes the fill of an entity", "엔티티의 채우기를 제거합니다"},
		Params:      map[string]Text{"name": cadName},
	}
)

// CADTranslate and the others of its family change where entities are.
var (
	CADTranslate = ToolText{
		Title:       Text{"Move", "이동"},
		Description: Text{"Moves an entity", "엔티티를 이동합니다"},
		Params: map[string]Text{
			"name": cadName,
			"dx":   {"How far to the right", "오른쪽으로 이동할 거리"},
			"dy":   {"How far up", "위쪽으로 이동할 거리"},
		},
	}
	CADRotate = ToolText{
		Title:       Text{"Turn", "회전"},
		Description: Text{"Turns an entity around its centre, counter-clockwise", "엔티티를 중심을 기준으로 반시계 방향으로 회전합니다"},
		Params: map[string]Text{
			"name":       cadName,
			"angle":      {"How far to turn; negative is clockwise", "회전할 각도. 음수는 시계 방향입니다"},
			"angle_unit": cadAngleUnit,
		},
	}
	CADScaleTool = ToolText{
		Title:       Text{"Scale", "크기 조절"},
		Description: Text{"Makes an entity larger or smaller around its centre", "엔티티를 중심을 기준으로 확대하거나 축소합니다"},
		Params: map[string]Text{
			"name": cadName,
			"sx":   {"Factor along X, before any turn; 2 doubles the width", "회전 전 X 방향 배율. 2이면 너비가 두 배입니다"},
			"sy":   {"Factor along Y, before any turn; 2 doubles the height", "회전 전 Y 방향 배율. 2이면 높이가 두 배입니다"},
		},
	}
	CADDelete = ToolText{
		Title:       Text{"Delete", "삭제"},
		Description: Text{"Deletes an entity; undo brings it back", "엔티티를 삭제합니다. undo로 되살릴 수 있습니다"},
		Params:      map[string]Text{"name": cadName},
	}
	CADUndo = ToolText{
		Title:       Text{"Undo", "실행 취소"},
		Description: Text{"Takes the last change of the scene back", "씬의 마지막 변경을 되돌립니다"},
	}
	CADRedo = ToolText{
		Title:       Text{"Redo", "다시 실행"},
		Description: Text{"Makes the change again that was undone last", "마지막으로 되돌린 변경을 다시 실행합니다"},
	}
)

// CADListEntities and the others of its family look at the scene.
var (
	CADListEntities = ToolText{
		Title:       Text{"List entities", "엔티티 목록"},
		Description: Text{"Lists the name and type of every entity, the lowest first", "모든 엔티티의 이름과 타입을 아래에 있는 것부터 나열합니다"},
	}
	CADGetEntity = ToolText{
		Title:       Text{"Look at an entity", "엔티티 조회"},
		Description: Text{"Returns geometry, style, transform and bounds of an entity", "엔티티의 형상, 스타일, 변환, 경계를 반환합니다"},
		Params:      map[string]Text{"name": cadName},
	}
	CADGetSceneInfo = ToolText{
		Title:       Text{"Look at the scene", "씬 정보 조회"},
		Description: Text{"Returns the number of entities, the bounds and the last operation", "엔티티 수, 경계, 마지막 작업을 반환합니다"},
	}
	CADExportJSON = ToolText{
		Title:       Text{"Export as JSON", "JSON 내보내기"},
		Description: Text{"Returns the whole scene as JSON", "씬 전체를 JSON으로 반환합니다"},
	}
	CADExportSVG = ToolText{
		Title:       Text{"Export as SVG", "SVG 내보내기"},
		Description: Text{"Returns the scene as SVG text", "씬을 SVG 텍스트로 반환합니다"},
	}
)
