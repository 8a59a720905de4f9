package cad

import (
	"encoding/json"
	"math"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Options change what the tools say. Nil and zero values are fine.
type Options struct {
	// Lang is the language of descriptions and messages: en (default) or ko.
	Lang string
}

func (o *Options) lang() lang.Lang {
	if o == nil {
		return lang.English
	}
	return lang.Of(o.Lang)
}

// Tools returns the tools that draw in the scenes of a store, in the order to
// list them. Which scene a call means is decided by the instance key of its
// [gongu.Context].
func Tools(store Store, opts *Options) []gongu.Tool {
	k := &kit{store: store, lang: opts.lang()}
	var tools []gongu.Tool
	for _, group := range [][]gongu.Tool{k.primitives(), k.style(), k.export(), k.query(), k.transforms(), k.history()} {
		tools = append(tools, group...)
	}
	return tools
}

// adds returns the annotations of tools that only add.
func adds() gongu.Annotations {
	return gongu.Annotations{ReadOnly: new(false), Destructive: new(false), Idempotent: new(false), OpenWorld: new(false)}
}

// sets returns the annotations of idempotent tools.
func sets() gongu.Annotations {
	return gongu.Annotations{ReadOnly: new(false), Destructive: new(false), Idempotent: new(true), OpenWorld: new(false)}
}

// edits returns a function that defines tools of a domain which change one
// entity, named by the first parameter.
func edits(domain string, hints gongu.Annotations) func(name string, text lang.ToolText, keywords []string, example string, params ...param) definition {
	return func(name string, text lang.ToolText, keywords []string, example string, params ...param) definition {
		return definition{
			name: name, domain: domain, text: text, params: append([]param{nameParam()}, params...),
			keywords: keywords, example: example, annotations: hints,
		}
	}
}

// styleArg distinguishes a stroke that is absent from one that is null.
type styleArg struct {
	Stroke strokeArg `json:"stroke"`
	Fill   *Fill     `json:"fill"`
}

// strokeArg is a stroke of which every part may be left out.
type strokeArg struct {
	none  bool
	given *Stroke // nil when the stroke is not mentioned
}

var _ json.Unmarshaler = (*strokeArg)(nil)

// UnmarshalJSON takes null for no stroke, and fills in the defaults.
func (a *strokeArg) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		a.none = true
		return nil
	}
	a.given = new(DefaultStroke())
	return unmarshal(raw, a.given)
}

func (a strokeArg) stroke() Stroke {
	if a.given == nil {
		return DefaultStroke()
	}
	return *a.given
}

func (a *styleArg) style() *Style {
	if a == nil {
		return nil
	}
	style := &Style{Fill: a.Fill}
	if !a.Stroke.none {
		style.Stroke = new(a.Stroke.stroke())
	}
	return style
}

// drawn are the arguments that every shape has.
type drawn struct {
	Name  string    `json:"name"`
	Style *styleArg `json:"style"`
}

func (d drawn) in(s *Scene, shape Shape) (outcome, error) {
	e, warnings, err := s.Draw(d.Name, shape, d.Style.style())
	return outcome{entity: e, warnings: warnings}, err
}

func (k *kit) primitives() []gongu.Tool {
	type rect struct {
		drawn
		Rect
	}
	type circle struct {
		drawn
		Circle
	}
	type line struct {
		drawn
		Line
	}
	type arc struct {
		drawn
		Arc
		AngleUnit string `json:"angle_unit"`
	}
	draw := func(name string, text lang.ToolText, keywords []string, example string, params ...param) definition {
		return edits(domainPrimitives, adds())(name, text, keywords, example, append(params, styleParam())...)
	}
	return []gongu.Tool{
		changing(k, draw("draw_rect", lang.CADDrawRect, []string{"rectangle", "box", "square", "사각형", "네모"},
			`{"name":"seat","x":0,"y":0,"width":80,"height":40}`,
			number("x"), number("y"), number("width"), number("height")),
			func(s *Scene, in rect) (outcome, error) { return in.drawn.in(s, in.Rect) }),
		changing(k, draw("draw_circle", lang.CADDrawCircle, []string{"circle", "disc", "동그라미"},
			`{"name":"lamp","x":10,"y":20,"radius":5}`,
			number("x"), number("y"), number("radius")),
			func(s *Scene, in circle) (outcome, error) { return in.drawn.in(s, in.Circle) }),
		changing(k, draw("draw_line", lang.CADDrawLine, []string{"polyline", "polygon", "path", "직선", "다각형"},
			`{"name":"wall","points":[0,0,100,0,100,60]}`,
			param{Name: "points", Rule: rule{Type: "array", Items: &rule{Type: "number"}, MinItems: 4}}),
			func(s *Scene, in line) (outcome, error) { return in.drawn.in(s, in.Line) }),
		changing(k, draw("draw_arc", lang.CADDrawArc, []string{"curve", "curved", "곡선", "원호"},
			`{"name":"back","cx":0,"cy":0,"radius":50,"start_angle":0,"end_angle":180,"angle_unit":"degree"}`,
			number("cx"), number("cy"), number("radius"), number("start_angle"), number("end_angle"), angleUnit()),
			func(s *Scene, in arc) (outcome, error) {
				in.StartAngle = radians(in.StartAngle, in.AngleUnit)
				in.EndAngle = radians(in.EndAngle, in.AngleUnit)
				return in.drawn.in(s, in.Arc)
			}),
	}
}

const (
	unitDegree = "degree"
	unitRadian = "radian"
)

func radians(angle float64, unit string) float64 {
	if unit == unitDegree {
		return angle * math.Pi / 180
	}
	return angle
}

// named is the one argument of many tools.
type named struct {
	Name string `json:"name"`
}

func (k *kit) style() []gongu.Tool {
	type setStroke struct {
		named
		Stroke strokeArg `json:"stroke"`
	}
	type setFill struct {
		named
		Fill Fill `json:"fill"`
	}
	style := edits(domainStyle, sets())
	return []gongu.Tool{
		changing(k, style("set_stroke", lang.CADSetStroke, []string{"outline", "border", "line width", "테두리", "윤곽선"},
			`{"name":"seat","stroke":{"color":[1,0,0,1],"width":2}}`,
			param{Name: "stroke", Rule: rule{Type: "object", Members: strokeMembers()}}),
			func(s *Scene, in setStroke) (outcome, error) {
				e, warnings, err := s.SetStroke(in.Name, in.Stroke.stroke())
				return outcome{entity: e, warnings: warnings}, err
			}),
		changing(k, style("set_fill", lang.CADSetFill, []string{"color", "paint", "색", "색칠"},
			`{"name":"seat","fill":{"color":[0.8,0.7,0.5,1]}}`,
			param{Name: "fill", Rule: rule{Type: "object", Members: []param{colorParam()}}}),
			func(s *Scene, in setFill) (outcome, error) { return plain(s.SetFill(in.Name, in.Fill)) }),
		changing(k, style("remove_stroke", lang.CADRemoveStroke, []string{"outline", "border", "테두리"}, `{"name":"seat"}`),
			func(s *Scene, in named) (outcome, error) { return plain(s.RemoveStroke(in.Name)) }),
		changing(k, style("remove_fill", lang.CADRemoveFill, []string{"color", "색"}, `{"name":"seat"}`),
			func(s *Scene, in named) (outcome, error) { return plain(s.RemoveFill(in.Name)) }),
	}
}

func plain(e Entity, err error) (outcome, error) { return outcome{entity: e}, err }

func (k *kit) transforms() []gongu.Tool {
	type translate struct {
		named
		DX float64 `json:"dx"`
		DY float64 `json:"dy"`
	}
	type rotate struct {
		named
		Angle     float64 `json:"angle"`
		AngleUnit string  `json:"angle_unit"`
	}
	type scale struct {
		named
		SX float64 `json:"sx"`
		SY float64 `json:"sy"`
	}
	move := edits(domainTransforms, adds())
	remove := move("delete", lang.CADDelete, []string{"remove", "erase", "지우기"}, `{"name":"seat"}`)
	remove.annotations = gongu.Annotations{ReadOnly: new(false), Destructive: new(true), Idempotent: new(false), OpenWorld: new(false)}
	return []gongu.Tool{
		changing(k, move("translate", lang.CADTranslate, []string{"move", "shift", "옮기기"}, `{"name":"seat","dx":10,"dy":0}`, number("dx"), number("dy")),
			func(s *Scene, in translate) (outcome, error) { return plain(s.Translate(in.Name, in.DX, in.DY)) }),
		changing(k, move("rotate", lang.CADRotate, []string{"turn", "spin", "돌리기"}, `{"name":"seat","angle":90,"angle_unit":"degree"}`, number("angle"), angleUnit()),
			func(s *Scene, in rotate) (outcome, error) {
				return plain(s.Rotate(in.Name, radians(in.Angle, in.AngleUnit)))
			}),
		changing(k, move("scale", lang.CADScaleTool, []string{"resize", "enlarge", "shrink", "확대", "축소"}, `{"name":"seat","sx":2,"sy":1}`, number("sx"), number("sy")),
			func(s *Scene, in scale) (outcome, error) {
				e, warnings, err := s.Scale(in.Name, in.SX, in.SY)
				return outcome{entity: e, warnings: warnings}, err
			}),
		changing(k, remove, func(s *Scene, in named) (outcome, error) { return plain(s.Delete(in.Name)) }),
	}
}

func (k *kit) history() []gongu.Tool {
	step := func(name string, text lang.ToolText, keywords ...string) definition {
		return definition{name: name, domain: domainTransforms, text: text, keywords: keywords, example: `{}`, annotations: adds()}
	}
	did := func(s Step, err error) (outcome, error) {
		return outcome{entity: s.Entity, operation: s.Operation}, err
	}
	return []gongu.Tool{
		changing(k, step("undo", lang.CADUndo, "revert", "되돌리기"), func(s *Scene, _ struct{}) (outcome, error) { return did(s.Undo()) }),
		changing(k, step("redo", lang.CADRedo, "repeat", "다시"), func(s *Scene, _ struct{}) (outcome, error) { return did(s.Redo()) }),
	}
}

func (k *kit) export() []gongu.Tool {
	export := func(name string, text lang.ToolText, keywords ...string) definition {
		return definition{name: name, domain: domainExport, text: text, keywords: keywords, example: `{}`}
	}
	return []gongu.Tool{
		looking(k, export("export_json", lang.CADExportJSON, "save", "저장"), func(s *Scene, _ struct{}) (any, error) { return s.Drawing(), nil }),
		looking(k, export("export_svg", lang.CADExportSVG, "picture", "image", "그림"), func(s *Scene, _ struct{}) (any, error) { return string(s.SVG(0)), nil }),
	}
}

// listed is an entity in a list.
type listed struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// sceneInfo is the output of get_scene_info.
type sceneInfo struct {
	Name          string  `json:"name"`
	EntityCount   int     `json:"entity_count"`
	Bounds        *Bounds `json:"bounds"`
	LastOperation *string `json:"last_operation"`
}

// shown is an entity with the box around it.
type shown struct {
	Name      string    `json:"name"`
	Type      string    `json:"type"`
	Geometry  Shape     `json:"geometry"`
	Style     Style     `json:"style"`
	Transform Transform `json:"transform"`
	Bounds    Bounds    `json:"bounds"`
}

func (k *kit) query() []gongu.Tool {
	query := func(name string, text lang.ToolText, example string, keywords []string, params ...param) definition {
		return definition{name: name, domain: domainQuery, text: text, params: params, keywords: keywords, example: example}
	}
	return []gongu.Tool{
		looking(k, query("list_entities", lang.CADListEntities, `{}`, []string{"names", "목록"}), func(s *Scene, _ struct{}) (any, error) {
			list := make([]listed, len(s.order))
			for i, e := range s.order {
				list[i] = listed{e.Name, e.Type()}
			}
			return list, nil
		}),
		looking(k, query("get_entity", lang.CADGetEntity, `{"name":"seat"}`, []string{"inspect", "position", "size", "위치", "크기"}, nameParam()),
			func(s *Scene, in named) (any, error) {
				e, err := s.Entity(in.Name)
				if err != nil {
					return nil, err
				}
				return shown{e.Name, e.Type(), e.Shape, e.Style, e.Transform, e.Bounds()}, nil
			}),
		looking(k, query("get_scene_info", lang.CADGetSceneInfo, `{}`, []string{"bounds", "count", "경계", "개수"}), func(s *Scene, _ struct{}) (any, error) {
			info := sceneInfo{Name: s.name, EntityCount: s.Len()}
			if box, ok := s.Bounds(); ok {
				info.Bounds = &box
			}
			if last := s.last; last != "" { // a copy: the scene moves on
				info.LastOperation = &last
			}
			return info, nil
		}),
	}
}
