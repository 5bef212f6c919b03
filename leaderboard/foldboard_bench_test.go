package leaderboard_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// BenchmarkFoldedBoard fills a board on the engine, folds it, rebuilds the folder three
// times while scores are submitted, and compares a sample of 20,000 ranks with a sort.
//
//	PLAZA_ENTRIES=1000000 go test ./leaderboard -run '^$' -bench FoldedBoard -benchtime 1x -timeout 3h
func BenchmarkFoldedBoard(b *testing.B) {
	n := millions(b)
	w := newFolded(b, nil)
	w.define(b, leaderboard.Board{Name: "b", Ranking: leaderboard.RankByFold})
	w.play(b, "b", "first 1000000000") // opens the period
	s := &season{world: w, b: b, scores: make([]held, n)}
	for b.Loop() {
		s.fill()
		stop := s.fold("load-s", false)
		s.check(1000)
		for range 3 {
			stop()
			stop = s.fold("rebuild-s", true)
			s.check(1000)
		}
		s.check(20_000)
		stop()
	}
}

// season is a board of many players, with what each has.
type season struct {
	world
	b      *testing.B
	scores []held
	writes int
}

type held struct{ score, at int64 }

func benchName(i int) string { return fmt.Sprintf("p%09d", i) }

func (s *season) key(i int) []byte {
	return orderKey(s.scores[i].score, 0, s.scores[i].at, benchName(i))
}

// fill stores entries as Submit would, 25 in a request.
func (s *season) fill() {
	began := time.Now()
	r := rand.New(rand.NewPCG(21, 1))
	for i := range s.scores {
		s.scores[i] = held{int64(r.IntN(100_000)), noon.UnixNano() - int64(r.IntN(7*24*3600))*1e9}
	}
	table := s.raw(s.b)
	group, ctx := errgroup.WithContext(s.b.Context())
	group.SetLimit(4)
	for from := 0; from < len(s.scores); from += 25 {
		group.Go(func() error {
			var batch []any
			for i := from; i < min(from+25, len(s.scores)); i++ {
				batch = append(batch, entry{
					row: row{
						PK: "P#" + benchName(i), SK: "LB#b#" + forever, Part: "b#" + forever + "#0",
						Key: s.key(i), Name: strings.Repeat("n", 16),
					},
					Score: fmt.Sprint(s.scores[i].score), Rev: 1,
				})
			}
			_, err := table.Batch().Write().Put(batch...).Run(ctx)
			return err
		})
	}
	require.NoError(s.b, group.Wait())
	s.b.ReportMetric(time.Since(began).Seconds(), "fill-s")
}

// fold starts a folder and waits until it has published all. Others submit meanwhile.
func (s *season) fold(metric string, busy bool) (stop func()) {
	ctx, cancel := context.WithCancel(s.b.Context())
	f := s.folder(s.b, leaderboard.FolderOptions{OnAttempt: func(a leaderboard.FolderAttempt) { require.NoError(s.b, a.Err) }}, nil)
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	writing, end := context.WithCancel(s.b.Context())
	writers := make(chan struct{})
	go func() {
		defer close(writers)
		for busy && writing.Err() == nil {
			s.improve(200)
		}
	}()
	began := time.Now()
	s.reaches(began)
	s.b.ReportMetric(time.Since(began).Seconds(), metric)
	end()
	<-writers
	s.settle()
	s.b.ReportMetric(float64(s.writes), "writes")
	return func() {
		cancel()
		require.ErrorIs(s.b, <-done, context.Canceled)
	}
}

// improve submits better scores of neighbours.
func (s *season) improve(n int) {
	from := rand.IntN(len(s.scores) - n)
	submissions := make([]leaderboard.Submission, n)
	for i := range submissions {
		p := &s.scores[from+i]
		p.score, p.at = p.score+1+int64(rand.IntN(1000)), noon.UnixNano()
		submissions[i] = leaderboard.Submission{Board: "b", Player: benchName(from + i), Score: leaderboard.Int(p.score), At: noon}
	}
	if _, err := s.SubmitMany(s.b.Context(), submissions); err != nil {
		s.b.Error(err)
	}
	s.writes += n
}

// settle waits until all writes so far are published. The first player improves, since a
// board that does not change is not published with a later time.
func (s *season) settle() {
	now := time.Now()
	s.writes++
	s.play(s.b, "b", fmt.Sprint("first ", 1_000_000_000+s.writes))
	s.reaches(now)
}

// reaches waits until what is published is of that time or later.
func (s *season) reaches(at time.Time) {
	for {
		s.set(s.Now().Add(2 * time.Second))                  // nothing is cached
		rank, err := s.Rank(s.b.Context(), in("b"), "first") // nobody is above, so this is cheap where ranks are counted
		require.NoError(s.b, err)
		if rank.Folded && !rank.AsOf.Before(at) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// check compares a sample of ranks with a sort, below the first.
func (s *season) check(sample int) {
	keys := make([][]byte, len(s.scores))
	for i := range keys {
		keys[i] = s.key(i)
	}
	slices.SortFunc(keys, bytes.Compare)
	meter := dynamotest.NewMeter().Price()
	w := s.process(s.b, nil, meter.Wrap)
	group, ctx := errgroup.WithContext(s.b.Context())
	group.SetLimit(4)
	began := time.Now()
	step := max(1, len(keys)/sample)
	for at := 0; at < len(keys); at += step {
		group.Go(func() error {
			rank, err := w.Rank(ctx, in("b"), string(keys[at][24:]))
			if err == nil && (rank.Ordinal != int64(at)+2 || !rank.Folded) {
				err = fmt.Errorf("rank %d is %+v", at+2, rank)
			}
			return err
		})
	}
	require.NoError(s.b, group.Wait())
	cost := meter.Take()
	ranks := float64((len(keys) + step - 1) / step)
	s.b.ReportMetric(float64(cost.Requests)/ranks, "requests/rank")
	s.b.ReportMetric(cost.Read/ranks, "RCU/rank")
	s.b.ReportMetric(float64(time.Since(began).Milliseconds())/ranks, "ms/rank")
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
