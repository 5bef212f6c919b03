package fold

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestMain(m *testing.M) { faults.Main(m) }

// kinds have a different key for each i below 1<<16.
var kinds = map[string]func(i int) string{
	"scores":             func(i int) string { return fmt.Sprintf("%08d%08d%08d%010d", i/10, 0, i%10, i) },
	"one score and time": func(i int) string { return strings.Repeat("s", 24) + fmt.Sprintf("%010d", i) },
	"two bytes":          func(i int) string { return string(binary.BigEndian.AppendUint16(nil, uint16(i))) },
	"longest":            func(i int) string { return fmt.Sprintf("%0*d", MaxKey, i) },
	"prefixes of each other": func(i int) string {
		return strings.Repeat("a", 1+i%950) + strings.Repeat("b", i/950)
	},
	"prefixes of the next": func(i int) string { return fmt.Sprintf("%04d", i/256) + strings.Repeat("x", i%256) },
}

// orders have 0 to n-1 in some order.
var orders = map[string]func(n int) []int{
	"ascending":      func(n int) []int { return sequence(n, func(i int) int { return i }) },
	"descending":     func(n int) []int { return sequence(n, func(i int) int { return n - 1 - i }) },
	"from both ends": func(n int) []int { return sequence(n, func(i int) int { return []int{i / 2, n - 1 - i/2}[i%2] }) },
	"from the middle": func(n int) []int {
		outside := sequence(n, func(i int) int { return []int{i / 2, n - 1 - i/2}[i%2] })
		slices.Reverse(outside)
		return outside
	},
	"random": func(n int) []int { return rand.New(rand.NewPCG(1, uint64(n))).Perm(n) },
}

func sequence(n int, at func(i int) int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = at(i)
	}
	return all
}
