//go:build !linux && !darwin && !windows

package terminal

import "os"

func columnsOf(*os.File) int { return 0 }
