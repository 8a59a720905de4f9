package state_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu/state"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := state.Open(ctx, filepath.Join(dir, "state.db"), &state.Options{Space: "example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	for range 2 {
		var number int64
		err := store.Update(ctx, func(ctx context.Context, tx *state.Tx) (err error) {
			number, err = tx.Next(ctx, "orders")
			return err
		})
		fmt.Println(number, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
}

func ExampleStore_UpdateOwned() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := state.Open(ctx, filepath.Join(dir, "state.db"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	lease, err := store.Lease(ctx) // renewed in the background
	if err != nil {
		fmt.Println(err)
		return
	}
	err = store.UpdateOwned(ctx, lease, func(ctx context.Context, tx *state.Tx) error {
		_, err := tx.Next(ctx, "events") // only while this host has its lease
		return err
	})
	fmt.Println(lease.Valid(), err)
	// Output: true <nil>
}
