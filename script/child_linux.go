package script

import (
	"bytes"
	"os"
	"strconv"
)

// residentOf is how many bytes of memory a process takes.
func residentOf(pid int) (int, bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(raw)
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.Atoi(string(fields[1]))
	return pages * os.Getpagesize(), err == nil
}
