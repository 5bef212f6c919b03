package leaderboard_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/fold"
)

// millions is how many entries the benchmarks of folded ranks have. It is set by
// PLAZA_ENTRIES.
func millions(b *testing.B) int {
	n, err := strconv.Atoi(os.Getenv("PLAZA_ENTRIES"))
	if os.Getenv("PLAZA_ENTRIES") == "" {
		n, err = 1_000_000, nil
	}
	require.NoError(b, err)
	return n
}

const benchPlayer = 10 // bytes of a player

// orderKeys returns n keys of players with random scores, packed, and the length of one.
func orderKeys(n int) (keys []byte, size int) {
	r := rand.New(rand.NewPCG(21, 3))
	size = 24 + benchPlayer
	keys = make([]byte, 0, n*size)
	for i := range n {
		keys = appendOrderKey(keys, r, i)
	}
	return keys, size
}

// appendOrderKey appends the key of a score from 0 to a million, achieved within a week.
func appendOrderKey(dst []byte, r *rand.Rand, player int) []byte {
	dst = binary.BigEndian.AppendUint64(dst, 1<<63-1-uint64(r.IntN(1_000_000)))
	dst = binary.BigEndian.AppendUint64(dst, 1<<63-1)
	dst = binary.BigEndian.AppendUint64(dst, 1<<63+uint64(noon.UnixNano())+uint64(r.IntN(7*24*3600))*1e9)
	return fmt.Appendf(dst, "p%09d", player)
}

// BenchmarkFoldedSet fills a folder's memory, moves keys, publishes, and finds a sample
// of 20,000 ranks as a reader does, beside a sort.
//
//	PLAZA_ENTRIES=10000000 go test ./leaderboard -run '^$' -bench FoldedSet -benchtime 1x
func BenchmarkFoldedSet(b *testing.B) {
	n := millions(b)
	keys, size := orderKeys(n)
	key := func(i int) []byte { return keys[i*size:][:size] }
	for b.Loop() {
		before := heap()
		began := dynamotest.CPUTime(b)
		var set fold.Set
		for i := range n {
			set.Add(key(i))
		}
		b.ReportMetric(float64((dynamotest.CPUTime(b)-began).Nanoseconds())/1e3/float64(n), "cpu-µs/add")
		b.ReportMetric(float64(heap()-before)/float64(n), "heap-B/entry")

		number := uint64(0)
		next := func() fold.BlockID { number++; return fold.BlockID{Gen: 1, N: number} }
		stored := map[fold.BlockID][]byte{}
		publish := func() (root []byte, bytes, units int) {
			snap := set.Snapshot(next)
			units, bytes = blocks(len(snap.Root), 1024), len(snap.Root)
			for _, block := range snap.Blocks {
				stored[block.ID] = block.Data
				bytes += len(block.Data)
				units += blocks(len(block.Data), 1024)
			}
			for _, id := range set.Published(snap) {
				delete(stored, id)
			}
			return snap.Root, bytes, units
		}
		_, all, _ := publish()
		b.ReportMetric(float64(all), "first-publish-B")

		const seconds, moves = 60, 1000
		r := rand.New(rand.NewPCG(1, 2))
		var moving time.Duration
		var root []byte
		sum, units := 0, 0
		for range seconds {
			began := dynamotest.CPUTime(b)
			for range moves {
				i := r.IntN(n)
				set.Remove(key(i))
				appendOrderKey(key(i)[:0], r, i)
				set.Add(key(i))
			}
			moving += dynamotest.CPUTime(b) - began
			var bytes, wcu int
			root, bytes, wcu = publish()
			sum, units = sum+bytes, units+wcu
		}
		b.ReportMetric(float64(moving.Nanoseconds())/1e3/(seconds*moves), "cpu-µs/move")
		b.ReportMetric(float64(sum)/seconds, "B/publish")
		b.ReportMetric(float64(units)/seconds, "WCU/publish")
		b.ReportMetric(float64(len(root)), "root-B")
		b.ReportMetric(sampled(b, n, key, root, stored))
	}
}

// sampled checks a sample of ranks, and returns the units of the most expensive rank.
func sampled(b *testing.B, n int, key func(int) []byte, root []byte, stored map[fold.BlockID][]byte) (rcu float64, unit string) {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return bytes.Compare(key(int(i)), key(int(j))) })
	published, err := fold.ParseRoot(root)
	require.NoError(b, err)
	const sample = 20_000
	sum := 0.0
	for i := range min(sample, n) {
		place := i * (n / min(sample, n))
		own := key(int(order[place]))
		at, size := published.Block(own), 0
		var block *fold.Block
		if ids := published.Blocks(); len(ids) > 0 {
			data := stored[ids[at]]
			block, err = fold.ParseBlock(data)
			require.NoError(b, err)
			size = len(data)
		}
		leaf, err := published.Leaf(at, block, own)
		require.NoError(b, err)
		inLeaf := place - int(leaf.Above) // what a live count finds
		if inLeaf < 0 || inLeaf >= leaf.N || bytes.Compare(own, leaf.From) < 0 || inLeaf > 0 && bytes.Compare(key(int(order[place-inLeaf])), leaf.From) < 0 {
			b.Fatalf("place %d is not in the leaf of %d from %d", place, leaf.N, leaf.Above)
		}
		const row = 2*benchPlayer + 2*26 + 18 + 40                                    // as Count states it, of weekly#20260330T003000Z#0 and a name of 18
		units := 1 + half(len(root)) + float64(blocks(size, 4096)) + half(inLeaf*row) // of the block strongly consistent
		sum += units
		rcu = max(rcu, units)
	}
	b.ReportMetric(sum/float64(min(sample, n)), "RCU/rank")
	return rcu, "max-RCU/rank"
}

func blocks(bytes, unit int) int { return max(1, (bytes+unit-1)/unit) }

// half is what an eventually consistent read costs.
func half(bytes int) float64 { return float64(blocks(bytes, 4096)) / 2 }

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
