package faults

import (
	"flag"
	"iter"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
)

// share is the part of seeds that runs by default: one in fifty.
const share = 50

// Full reports whether CI is set. If so, all seeds, cases and checks run. Otherwise only some
// do, so that a newcomer's tests end soon.
func Full() bool { return os.Getenv("CI") != "" }

// Seeds yields 0 to n-1 if Full, otherwise one in fifty of them.
func Seeds(n uint64) iter.Seq[uint64] {
	step := uint64(share)
	if Full() {
		step = 1
	}
	return func(yield func(uint64) bool) {
		for seed := uint64(0); seed < n && yield(seed); seed += step {
		}
	}
}

// Some returns the cases, or only the first n of them unless Full.
func Some[T any](n int, cases ...T) []T {
	if Full() {
		return cases
	}
	return cases[:n]
}

// Sample yields every nth case by name, and those in always. If Full, it yields all cases.
func Sample[T any](n int, cases map[string]T, always ...string) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for i, name := range slices.Sorted(maps.Keys(cases)) {
			if (Full() || i%n == 0 || slices.Contains(always, name)) && !yield(name, cases[name]) {
				return
			}
		}
	}
}

// Size returns full if Full, otherwise brief.
func Size(full, brief int) int {
	if Full() {
		return full
	}
	return brief
}

// Main runs a package's tests. Unless Full, rapid makes fewer checks of fewer steps,
// unless its flags say otherwise, and garbage is collected less often: this takes a tenth
// of the CPU time. Twice as many tests as usual run side by side, since they wait for the
// engine.
func Main(m *testing.M) {
	flag.Parse()
	if !Full() {
		debug.SetGCPercent(400)
	}
	if f := flag.Lookup("test.parallel"); !Full() && f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0)))
	}
	for name, fewer := range map[string]string{"rapid.checks": "5", "rapid.steps": "20"} { // of 100 and 30
		if f := flag.Lookup(name); !Full() && f != nil && f.Value.String() == f.DefValue {
			_ = f.Value.Set(fewer)
		}
	}
	os.Exit(m.Run())
}
