package main

import (
	"errors"
	"sync/atomic"
	"testing"
)

// All operations are done, by all workers, and an error is not lost.
func TestDivide(t *testing.T) {
	var done, workers atomic.Int64
	err := divide(100, 32, func(worker, each int) error {
		done.Add(int64(each))
		workers.Add(1)
		return nil
	})
	if err != nil || done.Load() != 100 || workers.Load() != 32 {
		t.Errorf("%d operations by %d workers: %v", done.Load(), workers.Load(), err)
	}
	failure := errors.New("no")
	if err := divide(2, 2, func(worker, each int) error {
		if worker == 1 {
			return failure
		}
		return nil
	}); !errors.Is(err, failure) {
		t.Errorf("the error of a worker: %v", err)
	}
}
