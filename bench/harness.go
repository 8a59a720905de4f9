package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// plan says how much to measure.
type plan struct {
	quick bool
	// calls is for operations that allocate: a measurement is long enough for
	// the collector to run in it, so that everyone pays for their own garbage.
	calls pace
	// reads is for operations that do not: bursts of short measurements, most
	// of which nothing interrupts, each burst after some unmeasured work, so
	// that the caches are as they would be without the others' turns.
	reads pace
	// slow is for operations that take long by themselves.
	slow pace
	// sizes are the numbers of tools, ascending; gates are about the last.
	sizes []int
}

// pace is how often each subject of a group is measured, and about how long.
type pace struct {
	rounds int
	slice  time.Duration
	// burst is how many measurements follow each other in a turn, one if 0.
	burst int
	// warm is how many slices of unmeasured work begin a turn.
	warm int
}

// fullPlan is for the page; quickPlan only shows that everything runs.
var (
	fullPlan = plan{
		calls: pace{rounds: 81, slice: 10 * time.Millisecond},
		reads: pace{rounds: 15, slice: time.Millisecond, burst: 20, warm: 40},
		slow:  pace{rounds: 7, slice: 20 * time.Millisecond},
		sizes: []int{10, 1_000, 10_000, 100_000},
	}
	quickPlan = plan{
		quick: true,
		calls: pace{rounds: 2, slice: time.Millisecond},
		reads: pace{rounds: 2, slice: time.Millisecond, burst: 2, warm: 1},
		slow:  pace{rounds: 1, slice: time.Millisecond},
		sizes: []int{10, 1_000},
	}
)

// largest is the number of tools that the gates are about.
func (p plan) largest() int { return p.sizes[len(p.sizes)-1] }

// subject is one thing to measure.
type subject struct {
	name string
	note string
	// run does the work n times. The loop is inside, so that an operation of
	// a few nanoseconds is not drowned by an indirect call.
	run func(n int) error
	// reset undoes what run left behind; its time does not count.
	reset func()
	// most bounds n, for operations that change what they work on.
	most int
	// against names the subject of the same group that ratios are taken to.
	against string
}

// sample is one measurement, for one operation.
type sample struct{ ns, allocs, bytes float64 }

// measured is what came out for a subject.
type measured struct {
	name, note string
	// time holds nanoseconds for one operation.
	time   spread
	allocs float64
	bytes  float64
	// ratio compares with the subject named by against, round by round.
	ratio   spread
	against string
}

// spread is the middle of the samples and the quartiles around it.
type spread struct{ low, median, high float64 }

// percent is half the distance of the quartiles, relative to the median.
func (s spread) percent() float64 {
	if s.median == 0 {
		return 0
	}
	return 50 * (s.high - s.low) / s.median
}

func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	return spread{quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)}
}

// quantile interpolates between the two nearest of the sorted values.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// measure runs a group. In each round every subject is measured once, in an
// order that rotates and turns around, so that a slow minute of the machine
// falls on all of them and a ratio is always taken within one round.
func (p pace) measure(subjects []subject) ([]measured, error) {
	counts := make([]int, len(subjects))
	for i := range subjects {
		n, err := p.calibrate(&subjects[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", subjects[i].name, err)
		}
		counts[i] = n
	}
	var m meter
	samples := make([][]sample, len(subjects))
	for round := range p.rounds {
		for _, i := range order(round, len(subjects)) {
			turn, err := p.turn(&m, &subjects[i], counts[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", subjects[i].name, err)
			}
			samples[i] = append(samples[i], turn...)
		}
	}
	return summarise(subjects, samples)
}

// turn is what one subject does in one round.
func (p pace) turn(m *meter, s *subject, n int) ([]sample, error) {
	if p.warm > 0 {
		if _, err := timed(s, p.warm*n); err != nil {
			return nil, err
		}
	}
	samples := make([]sample, max(1, p.burst))
	for i := range samples {
		var err error
		if samples[i], err = m.take(s, n); err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// order rotates by the round and reverses every other one.
func order(round, n int) []int {
	indexes := make([]int, n)
	for i := range indexes {
		indexes[i] = (i + round) % n
	}
	if round%2 == 1 {
		slices.Reverse(indexes)
	}
	return indexes
}

// calibrate finds how many operations fill a slice. The first operations only
// warm up, and the largest of a few answers counts: an interruption makes one
// too small, never too large.
func (p pace) calibrate(s *subject) (int, error) {
	best := 0
	for try := range 4 {
		n, err := p.estimate(s)
		if err != nil {
			return 0, err
		}
		if try > 0 || n == 1 {
			best = max(best, n)
		}
		if try > 0 && n == 1 {
			break // slow, and known to be
		}
	}
	return best, nil
}

func (p pace) estimate(s *subject) (int, error) {
	most := s.most
	if most == 0 {
		most = 1 << 30
	}
	n := 1
	for {
		took, err := timed(s, n)
		if err != nil {
			return 0, err
		}
		if took >= p.slice/2 || n >= most {
			return min(max(1, int(float64(n)*float64(p.slice)/float64(max(took, 1)))), most), nil
		}
		n = min(most, n*4)
	}
}

func timed(s *subject, n int) (time.Duration, error) {
	start := time.Now()
	err := s.run(n)
	took := time.Since(start)
	if s.reset != nil {
		s.reset()
	}
	return took, err
}

// litter is how much garbage may lie about when a measurement begins.
const litter = 1 << 20

// meter takes measurements one after the other.
type meter struct {
	// collected is the runtime's count of allocated bytes when garbage was
	// last collected.
	collected uint64
}

// take measures n operations. The garbage of the one before is collected
// first, so that nobody pays for another's.
func (m *meter) take(s *subject, n int) (sample, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if before.TotalAlloc-m.collected > litter {
		runtime.GC()
		runtime.ReadMemStats(&before)
		m.collected = before.TotalAlloc
	}
	start := time.Now()
	err := s.run(n)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if s.reset != nil {
		s.reset()
	}
	return sample{
		ns: float64(took.Nanoseconds()) / float64(n),
		// Rounded down, as the testing package does: a stray allocation of
		// the runtime among a million operations is not theirs.
		allocs: math.Floor(float64(after.Mallocs-before.Mallocs) / float64(n)),
		bytes:  math.Floor(float64(after.TotalAlloc-before.TotalAlloc) / float64(n)),
	}, err
}

func summarise(subjects []subject, samples [][]sample) ([]measured, error) {
	results := make([]measured, len(subjects))
	for i, s := range subjects {
		m := measured{name: s.name, note: s.note, against: s.against}
		m.time = spreadOf(column(samples[i], func(s sample) float64 { return s.ns }))
		m.allocs = spreadOf(column(samples[i], func(s sample) float64 { return s.allocs })).median
		m.bytes = spreadOf(column(samples[i], func(s sample) float64 { return s.bytes })).median
		if s.against != "" {
			base := slices.IndexFunc(subjects, func(other subject) bool { return other.name == s.against })
			if base < 0 {
				return nil, fmt.Errorf("%s: there is no %q to compare with", s.name, s.against)
			}
			ratios := make([]float64, len(samples[i]))
			for round := range ratios {
				ratios[round] = samples[i][round].ns / samples[base][round].ns
			}
			m.ratio = spreadOf(ratios)
		}
		results[i] = m
	}
	return results, nil
}

func column(samples []sample, of func(sample) float64) []float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	return values
}

// find returns the result with this name.
func find(results []measured, name string) (measured, bool) {
	i := slices.IndexFunc(results, func(m measured) bool { return m.name == name })
	if i < 0 {
		return measured{}, false
	}
	return results[i], true
}
