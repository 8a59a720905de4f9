package main

import (
	"context"
	"path/filepath"

	"github.com/gongu-ai/gongu/state"
)

// reading measures opening a store and reading from a large one.
func (r *records) reading(ctx context.Context, pace pace, rows int) (table, []gate, error) {
	url := "sqlite:" + filepath.Join(r.dir, "burst.db")
	subjects := []subject{{name: "open and close a store that is there", run: func(n int) error {
		for range n {
			s, err := state.Open(ctx, url, nil)
			if err != nil {
				return err
			}
			if err := s.Close(); err != nil {
				return err
			}
		}
		return nil
	}}}
	found, err := pace.measure(subjects)
	return table{title: "Reading, on SQLite", rows: found}, nil, err
}
