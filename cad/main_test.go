package cad_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu/cad"
)

// drawerEnv makes the test program one that draws; see TestProcessesLoseNothing.
const drawerEnv = "CAD_TEST_DRAWER"

func TestMain(m *testing.M) {
	if who := os.Getenv(drawerEnv); who != "" {
		os.Exit(drawMany(who, os.Getenv("CAD_TEST_DIR")))
	}
	goleak.VerifyTestMain(m)
}

// drawMany draws 50 circles in the scene that others draw in, too.
func drawMany(who, dir string) int {
	store := cad.NewFolder(dir)
	for i := range 50 {
		err := store.Update(context.Background(), "shared", func(s *cad.Scene) error {
			_, _, err := s.Draw(fmt.Sprintf("%s-%d", who, i), cad.Circle{X: float64(i), Radius: 1}, nil)
			return err
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}
