package fold_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/fold"
)

// board has a key of 34 bytes for each player: score, sub-score and time of 8 bytes each,
// and 10 bytes of name.
type board struct {
	set     fold.Set
	updates []byte // of each player, so that keys need not be kept
	ids     uint64
	buf     []byte
}

// newBoard has as many players as PLAYERS says. With 10,000,000 a benchmark takes a minute
// and 1 GB.
func newBoard(b *testing.B) *board {
	n := 100_000
	if text := os.Getenv("PLAYERS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	return &board{updates: make([]byte, n)}
}

func (w *board) fill() {
	for player := range w.updates {
		w.set.Add(w.key(player))
	}
}

// key is where player stands. A million scores are equally likely.
func (w *board) key(player int) []byte {
	r := rand.NewPCG(uint64(player), uint64(w.updates[player]))
	return w.at(r.Uint64()%1_000_000, r.Uint64()%1_000_000_000, player)
}

func (w *board) at(score, time uint64, player int) []byte {
	w.buf = binary.BigEndian.AppendUint64(w.buf[:0], 1<<63+score)
	w.buf = binary.BigEndian.AppendUint64(w.buf, 1<<63)
	w.buf = binary.BigEndian.AppendUint64(w.buf, 1_780_000_000_000+time)
	w.buf = strconv.AppendInt(w.buf, 1_000_000_000+int64(player), 10)
	return w.buf
}

func (w *board) move(player int) {
	w.set.Remove(w.key(player))
	w.updates[player]++
	w.set.Add(w.key(player))
}

func (w *board) next() fold.BlockID {
	w.ids++
	return fold.BlockID{Gen: 1, N: w.ids}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkBuild adds all players, whose keys come in order or not.
func BenchmarkBuild(b *testing.B) {
	for order, key := range map[string]func(w *board, player int) []byte{
		"random":     (*board).key,
		"ascending":  func(w *board, player int) []byte { return w.at(uint64(player/10), uint64(player), player) },
		"descending": func(w *board, player int) []byte { return w.at(uint64(-player/10), uint64(-player), player) },
	} {
		b.Run(order, func(b *testing.B) {
			for range b.N {
				w := newBoard(b)
				n := float64(len(w.updates))
				before, start := heap(), dynamotest.CPUTime(b)
				for player := range w.updates {
					w.set.Add(key(w, player))
				}
				b.ReportMetric(float64(dynamotest.CPUTime(b)-start)/n, "cpu-ns/key")
				b.ReportMetric(float64(heap()-before)/n, "B/key")
				b.ReportMetric(float64(len(w.set.Snapshot(w.next).Root)), "B/root")
			}
		})
	}
}

// BenchmarkMove moves players of a full board.
func BenchmarkMove(b *testing.B) {
	w := newBoard(b)
	before := heap()
	w.fill()
	r := rand.New(rand.NewPCG(1, 1))
	start := dynamotest.CPUTime(b)
	for b.Loop() {
		w.move(r.IntN(len(w.updates)))
	}
	b.ReportMetric(float64(dynamotest.CPUTime(b)-start)/float64(b.N), "cpu-ns/move")
	b.ReportMetric(float64(heap()-before)/float64(w.set.Len()), "B/key")
}

// BenchmarkSnapshot takes a snapshot after every 1,000 moves.
func BenchmarkSnapshot(b *testing.B) {
	w := newBoard(b)
	w.fill()
	w.set.Published(w.set.Snapshot(w.next))
	r := rand.New(rand.NewPCG(1, 1))
	changed, size, root := 0, 0, 0
	for b.Loop() {
		b.StopTimer()
		for range 1000 {
			w.move(r.IntN(len(w.updates)))
		}
		b.StartTimer()
		snap := w.set.Snapshot(w.next)
		w.set.Published(snap)
		root = len(snap.Root)
		for _, block := range snap.Blocks {
			changed++
			size += len(block.Data)
		}
	}
	b.ReportMetric(float64(root), "B/root")
	b.ReportMetric(float64(changed)/float64(b.N), "blocks")
	b.ReportMetric(float64(size)/float64(max(changed, 1)), "B/block")
}
