package state

import "runtime"

func exitGoroutine() { runtime.Goexit() }
