package terminal

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// openControlling opens the console of this process.
func openControlling() (*Terminal, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		_ = in.Close() // nothing was written
		return nil, err
	}
	return &Terminal{In: in, Out: out}, nil
}

// discardInput drops what was typed or pasted before the question was shown.
func (t *Terminal) discardInput() error {
	return windows.FlushConsoleInputBuffer(windows.Handle(t.In.Fd()))
}

// ancestors are a process and those above it, the nearest first. Their
// environment cannot be read here.
func ancestors(pid int) []ancestor {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	programs, parents := map[uint32]string{}, map[uint32]uint32{}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		programs[entry.ProcessID] = windows.UTF16ToString(entry.ExeFile[:])
		parents[entry.ProcessID] = entry.ParentProcessID
	}
	var all []ancestor
	for pid := uint32(pid); pid != 0 && len(all) < maxAncestors; pid = parents[pid] {
		all = append(all, ancestor{program: programs[pid]})
	}
	return all
}

func columnsOf(file *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(file.Fd()), &info) != nil {
		return 0
	}
	return int(info.Window.Right-info.Window.Left) + 1
}
