package main

import (
	"fmt"
	"strconv"
	"strings"
)

// result is a line of go test -bench: figures by unit.
type result struct {
	folder string
	name   string // without Benchmark and the number of CPUs
	of     map[string]float64
}

// units are those that dynamotest.Pair reports.
func units() []string {
	return []string{"ns/op", "time-ratio", "cpu-ratio", "allocs-ratio", "requests/op", "RCU/op", "WCU/op"}
}

func parse(folder, out string) (results []result, err error) {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(fields[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
		r := result{folder: folder, name: name, of: map[string]float64{}}
		for i := 2; i+1 < len(fields); i += 2 {
			if r.of[fields[i+1]], err = strconv.ParseFloat(fields[i], 64); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", folder, line, err)
			}
		}
		for _, unit := range units() {
			if _, ok := r.of[unit]; !ok {
				return nil, fmt.Errorf("%s: %s reports no %s", folder, name, unit)
			}
		}
		results = append(results, r)
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("%s: no results", folder)
	}
	return results, nil
}

// number writes at most two digits after the point: 12, 0.5, 3.01.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
