package leaderboard_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
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

// sampled checks a sample of ranks, and returns the units of the dearest.
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
		const row = 2*benchPlayer + 2*26 + 18 + 40 // as Count states it, of weekly#20260330T003000Z#0 and a name of 18
		units := 1 + half(len(root)) + half(size) + half(inLeaf*row)
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

// BenchmarkCountedRank reads the middle rank of boards that count.
func BenchmarkCountedRank(b *testing.B) {
	for _, n := range []int{1_000, 2_000, 4_000, 8_000, 16_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newWorld(b, nil)
			w.crowd(b, "b", n)
			meter := dynamotest.NewMeter().Price()
			w = w.process(b, nil, meter.Wrap)
			rank := func() {
				_, err := w.Rank(b.Context(), in("b"), sixteen("p"+strconv.Itoa(n/2)))
				require.NoError(b, err)
			}
			rank() // the process reads the board
			var cost dynamotest.Cost
			for b.Loop() {
				meter.Take()
				rank()
				cost = meter.Take()
			}
			b.ReportMetric(float64(cost.Requests), "requests")
			b.ReportMetric(cost.Read, "RCU")
		})
	}
}

// BenchmarkRedisRank does the same as BenchmarkFoldedSet in a sorted set of
// redis-server, if it is installed.
func BenchmarkRedisRank(b *testing.B) {
	server, err := exec.LookPath("redis-server")
	if err != nil {
		b.Skip("redis-server is not installed")
	}
	n := millions(b)
	r := newRedis(b, server)
	keys, size := orderKeys(n)
	for b.Loop() {
		r.do("FLUSHALL")
		before := r.memory()
		began := time.Now()
		r.pipe(n, func(i int) string {
			key := keys[i*size:][:size]
			return fmt.Sprintf("ZADD board %d %s", 1<<63-1-binary.BigEndian.Uint64(key), key[24:])
		})
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/1e3/float64(n), "µs/add")
		b.ReportMetric(float64(r.memory()-before)/float64(n), "B/entry")
		const ranks = 20_000
		began = time.Now()
		r.pipe(ranks, func(i int) string { return fmt.Sprintf("ZREVRANK board p%09d", i*(n/ranks)) })
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/1e3/ranks, "µs/rank")
	}
}

// redis is a server on a socket.
type redis struct {
	b    *testing.B
	conn net.Conn
	in   *bufio.Reader
}

func newRedis(b *testing.B, server string) redis {
	socket := filepath.Join(b.TempDir(), "redis")
	command := exec.CommandContext(b.Context(), server, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no")
	require.NoError(b, command.Start())
	b.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	r := redis{b: b}
	require.Eventually(b, func() (ok bool) {
		var err error
		r.conn, err = net.Dial("unix", socket)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	r.in = bufio.NewReaderSize(r.conn, 1<<20)
	return r
}

func (r redis) do(command string) string {
	var answer string
	r.send(1, func(int) string { return command }, func(line string) { answer = line })
	return answer
}

// pipe sends n commands, 1,000 at once.
func (r redis) pipe(n int, command func(i int) string) {
	for from := 0; from < n; from += 1000 {
		r.send(min(1000, n-from), func(i int) string { return command(from + i) }, func(line string) {
			require.False(r.b, strings.HasPrefix(line, "-"), line)
		})
	}
}

func (r redis) send(n int, command func(i int) string, answer func(string)) {
	var out bytes.Buffer
	for i := range n {
		out.WriteString(command(i))
		out.WriteString("\r\n")
	}
	_, err := r.conn.Write(out.Bytes())
	require.NoError(r.b, err)
	for range n {
		line, err := r.in.ReadString('\n')
		require.NoError(r.b, err)
		if strings.HasPrefix(line, "$") {
			size, err := strconv.Atoi(strings.TrimSpace(line[1:]))
			require.NoError(r.b, err)
			body := make([]byte, size+2)
			_, err = io.ReadFull(r.in, body)
			require.NoError(r.b, err)
			line = string(body)
		}
		answer(line)
	}
}

// memory returns the bytes that the server holds.
func (r redis) memory() int {
	for line := range strings.Lines(r.do("INFO memory")) {
		if value, ok := strings.CutPrefix(line, "used_memory:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			require.NoError(r.b, err)
			return n
		}
	}
	r.b.Fatal("the server names no used_memory")
	return 0
}

