package cad_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/cad"
)

func ExampleScene() {
	scene := cad.NewScene("room")
	_, warnings, err := scene.Draw("table", cad.Rect{Width: -120, Height: 80}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(warnings[0].In("en"))
	if _, err := scene.Translate("table", 10, 0); err != nil {
		fmt.Println(err)
		return
	}
	box, _ := scene.Bounds()
	fmt.Println(box.Min, box.Max)
	_, err = scene.Delete("chair")
	fmt.Println(err)
	// Output:
	// width was -120, which cannot be drawn; 120 is used.
	// [10 0] [130 80]
	// Entity not found: chair
}

func ExampleTools() {
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(cad.Tools(cad.NewMemory(), nil)...); err != nil {
		fmt.Println(err)
		return
	}
	cad.Domains(registry, nil)
	for _, domain := range registry.Domains() {
		fmt.Println(domain.Name, domain.Count)
	}
	// Output:
	// primitives 4
	// style 4
	// export 2
	// query 3
	// transforms 6
}

func ExampleExec() {
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(cad.Tools(cad.NewMemory(), nil)...); err != nil {
		fmt.Println(err)
		return
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	for _, call := range []struct{ name, params string }{
		{"draw_circle", `{"name":"lamp","x":0,"y":0,"radius":5}`},
		{"set_fill", `{"name":"lmap","fill":{"color":[1,1,0,1]}}`},
	} {
		answer, err := json.Marshal(cad.Exec(context.Background(), executor, call.name, json.RawMessage(call.params)))
		fmt.Println(string(answer), err)
	}
	// Output:
	// {"success":true,"entity":"lamp","type":"circle","data":{"entity":"lamp","type":"circle"}} <nil>
	// {"success":false,"error":"Entity not found: lmap","suggestions":["lamp"]} <nil>
}
