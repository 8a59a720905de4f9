package toolrequest_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/toolrequest"
)

// BenchmarkAdd is the time of an addition, on the disk, to a queue that has so
// many requests: all of them open, or most of them in the archive.
func BenchmarkAdd(b *testing.B) {
	for _, size := range []struct{ open, closed, archived int }{{0, 0, 0}, {1000, 0, 0}, {10_000, 0, 0}, {1000, 1000, 8000}} {
		b.Run(fmt.Sprintf("open=%d/closed=%d/archived=%d", size.open, size.closed, size.archived), func(b *testing.B) {
			f := queue(b, &toolrequest.Options{MaxOpen: 1 << 20})
			closed := entries(1, size.closed, toolrequest.Rejected, "")
			open := entries(20_001, 20_000+size.open, toolrequest.Queued, "")
			switch {
			case size.closed > 0:
				write(b, f.Path(), closed[:len(closed)-1]+","+open[1:])
			case size.open > 0:
				write(b, f.Path(), open)
			}
			if size.archived > 0 {
				write(b, archiveOf(f), entries(30_001, 30_000+size.archived, toolrequest.Rejected, ""))
			}
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				_, _, err := f.Add(b.Context(), toolrequest.New{Name: fmt.Sprintf("new_%d", i), Description: "d"})
				if err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
				// Back to the size that is measured.
				b.StopTimer()
				if i%16 == 15 && size.open+size.closed > 0 {
					write(b, f.Path(), restored(size.open, size.closed))
				} else if size.open+size.closed == 0 {
					if err := os.Remove(f.Path()); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

func restored(open, closed int) string {
	list := entries(20_001, 20_000+open, toolrequest.Queued, "")
	if closed == 0 {
		return list
	}
	decided := entries(1, closed, toolrequest.Rejected, "")
	return decided[:len(decided)-1] + "," + list[1:]
}
