package estimate

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// bin is users who have that many followers each.
type bin struct{ users, followers float64 }

// graph is how followers are spread, from the most followed down.
type graph []bin

const (
	exactRanks = 4096  // that have a bin of their own
	binWidth   = 1.002 // of each further bin, as a ratio
)

// ranks are the places 1 to n, in bins: the number of places in each, and the mean of
// place to the power -s.
func ranks(n, s float64) []bin {
	var out []bin
	for first := 1.0; first <= n; {
		next := math.Min(first+1, n+1)
		if first > exactRanks {
			next = math.Min(math.Floor(first*binWidth)+1, n+1)
		}
		weight := math.Pow(first, -s)
		if count := next - first; count > 1 {
			weight = (integral(next-0.5, s) - integral(first-0.5, s)) / count
		}
		out = append(out, bin{next - first, weight})
		first = next
	}
	return out
}

// integral is that of x to the power -s.
func integral(x, s float64) float64 {
	if math.Abs(s-1) < 1e-9 {
		return math.Log(x)
	}
	return math.Pow(x, 1-s) / (1 - s)
}

// zipf spreads the follows: a user's followers are proportional to place to the power
// -s, but nobody has more followers than there are others.
func zipf(users int64, follows, s float64) graph {
	n := float64(users)
	g := graph(ranks(n, s))
	given := func(factor float64) float64 {
		sum := 0.0
		for _, b := range g {
			sum += b.users * math.Min(factor*b.followers, n-1)
		}
		return sum
	}
	low := n * follows / g.edges() // enough, unless somebody would have too many
	high := low
	for given(high) < n*follows*(1-1e-12) {
		low, high = high, 2*high
	}
	for range 50 {
		if mid := (low + high) / 2; given(mid) < n*follows {
			low = mid
		} else {
			high = mid
		}
	}
	for i := range g {
		g[i].followers = math.Min(high*g[i].followers, n-1)
	}
	return g
}

// edges is how many follows there are.
func (g graph) edges() float64 {
	sum := 0.0
	for _, b := range g {
		sum += b.users * b.followers
	}
	return sum
}

// maxLine is the longest line of an edge list, in bytes.
const maxLine = 64 << 10

// readEdges reads a follow graph: follower and followee on each line, separated by white
// space. Blank lines and those that begin with '#' are skipped. It may be gzipped. An
// edge that is there twice counts twice.
func readEdges(r io.Reader) (g graph, users int64, err error) {
	text := bufio.NewReader(r)
	if magic, _ := text.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(text)
		if err != nil {
			return nil, 0, fmt.Errorf("estimate: edges: %w", err)
		}
		text = bufio.NewReader(unzipped)
	}
	followers := map[string]int{}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		names := strings.Fields(lines.Text())
		switch {
		case len(names) == 0 || names[0][0] == '#':
			continue
		case len(names) != 2:
			return nil, 0, invalid(fmt.Sprintf("edges: line %d", n), fmt.Sprintf("has %d names, not 2", len(names)))
		case names[0] == names[1]:
			return nil, 0, invalid(fmt.Sprintf("edges: line %d", n), "lets somebody follow themselves")
		}
		followers[strings.Clone(names[0])] += 0
		followers[strings.Clone(names[1])]++
	}
	if err := lines.Err(); err != nil {
		return nil, 0, fmt.Errorf("estimate: edges: %w", err)
	}
	return inBins(followers), int64(len(followers)), nil
}

func inBins(followers map[string]int) graph {
	users := map[int]float64{}
	for _, n := range followers {
		users[n]++
	}
	g := make(graph, 0, len(users))
	for n, count := range users {
		g = append(g, bin{count, float64(n)})
	}
	slices.SortFunc(g, func(a, b bin) int { return cmp.Compare(b.followers, a.followers) })
	return g
}
