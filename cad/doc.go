// Package cad is a small drawing and the tools that draw in it.
//
// A [Scene] holds named lines, circles, rectangles and arcs with a style and a
// transform, undoes and redoes, and can be written as JSON, SVG or a picture.
// It knows nothing of tools and can be used alone:
//
//	scene := cad.NewScene("room")
//	_, _, err := scene.Draw("table", cad.Rect{Width: 120, Height: 80}, nil)
//
// [Tools] gives a model the operations of a scene under plain names such as
// draw_rect. Each instance has its own scene, kept in a [Store].
//
//	registry := gongu.NewRegistry(nil)
//	err := registry.Add(cad.Tools(cad.NewFolder(dir), nil)...)
//	cad.Domains(registry, nil)
//
// X grows to the right and Y grows upward. Angles are radians, 0 points right,
// and positive angles turn counter-clockwise. An entity turns and grows around
// its own centre, so that turning it never moves it away.
package cad
