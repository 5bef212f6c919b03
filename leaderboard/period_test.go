package leaderboard_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// span is a stored period.
type span struct {
	SK     string    `dynamo:"sk"`
	End    time.Time `dynamo:"end"`
	Shards int       `dynamo:"shards"`
	TTL    int64     `dynamo:"expires"`
	Ends   int64     `dynamo:"ttl"` // of the item itself
}

func (s span) start(t testing.TB) time.Time {
	t.Helper()
	start, err := time.Parse("T#20060102T150405Z", s.SK)
	require.NoError(t, err)
	return start
}

// spans are the stored periods of a board, oldest first.
func (w world) spans(t testing.TB, board string) []span {
	t.Helper()
	var all []span
	require.NoError(t, w.raw(t).Get("pk", "B#"+board).Order(dynamo.Ascending).Consistent(true).All(t.Context(), &all))
	return all
}

// texts returns the start and end of each period.
func (w world) texts(t testing.TB, board string) []string {
	t.Helper()
	var texts []string
	for _, s := range w.spans(t, board) {
		texts = append(texts, s.start(t).Format("Jan 2 15:04")+" to "+s.End.Format("Jan 2 15:04"))
	}
	return texts
}

// in submits to the period that contains at.
func (w world) in(t tester, board string, at time.Time) (leaderboard.Result, error) {
	t.Helper()
	got, _, err := w.Submit(t.Context(), leaderboard.Submission{Board: board, Player: "ann", Score: leaderboard.Int(1), At: at})
	return got, err
}

func march(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }

func TestAResetIsANewPeriod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Grace: time.Hour})
	first := w.submit(t, score("b", "ann", 50, 0))
	require.Equal(t, "20260310T000000Z", first.Period)
	w.submit(t, score("b", "bob", 60, 0))
	old := w.standings(t, "b", first.Period, 1)

	w.set(march(11, 0))
	late := score("b", "ann", 55, 0) // achieved yesterday, within the grace
	late.At = march(11, 0).Add(-time.Nanosecond)
	require.Equal(t, first.Period, w.submit(t, late).Period)
	today := w.submit(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(1)})
	require.Equal(t, "20260311T000000Z", today.Period)
	require.False(t, today.Existed)
	require.Equal(t, []string{"ann 1"}, w.standings(t, "b", today.Period, 1))
	require.Equal(t, []string{"bob 60", "ann 55"}, w.standings(t, "b", first.Period, 1), "%v before", old)

	w.set(march(11, 1))
	items := w.items(t)
	for _, player := range []string{"ann", "zoe"} {
		late.Player = player
		w.refuses(t, late, leaderboard.ErrClosed)
	}
	_, err := w.in(t, "b", march(8, 0)) // nobody opened that period
	require.ErrorIs(t, err, leaderboard.ErrClosed)
	require.Equal(t, items, w.items(t))
	require.Equal(t, []string{"bob 60", "ann 55"}, w.standings(t, "b", first.Period, 1))
}

func TestAPeriodAndItsEntriesExpireTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "kept", Cron: "@daily"})
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Grace: time.Hour, Keep: 24 * time.Hour, Operator: leaderboard.Increment})
	ttl := march(11, 0).Add(25 * time.Hour).Unix()
	for range 2 {
		for board, want := range map[string]int64{"kept": 0, "b": ttl} {
			got := w.submit(t, score(board, "ann", 1, 0))
			require.Equal(t, want, w.entry(t, "ann", board, got.Period).TTL, board)
			require.Equal(t, want, w.spans(t, board)[0].TTL, board)
		}
	}
}

func TestANewScheduleBeginsWhereTheOpenPeriodEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	// It has read the old schedule, and its eventually consistent reads are stale.
	other := w.process(t, nil, faults.New(t, 1, faults.Rates{Stale: 1}).Wrap)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Grace: 48 * time.Hour})
	_, err := other.in(t, "b", march(10, 12))
	require.NoError(t, err)

	w.define(t, leaderboard.Board{Name: "b", Cron: "@weekly", Grace: 48 * time.Hour}) // Sundays: the 8th, the 15th
	_, err = w.in(t, "b", march(10, 12))
	require.NoError(t, err)
	w.set(march(11, 12))
	_, err = other.in(t, "b", march(9, 12)) // nobody opened that period in time
	require.NoError(t, err)
	for _, process := range []world{other, w} {
		_, err = process.in(t, "b", march(11, 12))
		require.NoError(t, err)
	}
	require.Equal(t, []string{
		"Mar 8 00:00 to Mar 10 00:00",
		"Mar 10 00:00 to Mar 11 00:00",
		"Mar 11 00:00 to Mar 15 00:00",
	}, w.texts(t, "b"))

	w.set(march(12, 12))
	w.define(t, leaderboard.Board{Name: "b"}) // it no longer resets
	for _, at := range []time.Time{march(12, 12), march(16, 12), march(30, 12)} {
		w.set(at)
		_, err = w.in(t, "b", at)
		require.NoError(t, err)
	}
	require.Equal(t, "Mar 15 00:00 to Jan 1 00:00", w.texts(t, "b")[3])
	require.Len(t, w.texts(t, "b"), 4)
	require.ErrorIs(t, errorOf(w.Define(t.Context(), leaderboard.Board{Name: "b", Cron: "@daily"})), plaza.ErrConflict, "the open period has no end")
}

func TestConcurrentlyStoredPeriodsCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, w world)
		want      string
	}{
		"another schedule": {func(t *testing.T, w world) {
			w.define(t, leaderboard.Board{Name: "b", Cron: "@hourly"})
		}, "Mar 10 12:00 to Mar 10 13:00"},
		"the period, by another zone database": {func(t *testing.T, w world) {
			require.NoError(t, w.raw(t).Put(map[string]any{
				"pk": "B#b", "sk": "T#20260310T000000Z", "end": march(10, 18), "shards": 1,
			}).Run(t.Context()))
		}, "Mar 10 00:00 to Mar 10 18:00"},
		"a later period, by another zone database": {func(t *testing.T, w world) {
			_, err := w.in(t, "b", noon)
			require.NoError(t, err)
			require.NoError(t, w.raw(t).Delete("pk", "B#b").Range("sk", "T#20260310T000000Z").Run(t.Context()))
			require.NoError(t, w.raw(t).Put(map[string]any{
				"pk": "B#b", "sk": "T#20260310T060000Z", "end": march(11, 6), "shards": 1,
			}).Run(t.Context()))
		}, "Mar 10 06:00 to Mar 11 06:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rival := newWorld(t, nil)
			rival.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
			w := rival.process(t, nil, before("TransactWriteItems", func() { c.meanwhile(t, rival) }))
			got, err := w.in(t, "b", noon)
			require.NoError(t, err)
			require.Equal(t, []string{c.want}, w.texts(t, "b"))
			require.Equal(t, "T#"+got.Period, w.spans(t, "b")[0].SK)
		})
	}
}

// Under faults, several processes open periods while the schedule changes. Their
// caches are of different age.
func TestPeriodsNeverOverlap(t *testing.T) {
	t.Parallel()
	crons := []string{"@hourly", "*/20 * * * *", "0 */5 * * *", "@daily", "7 3 * * *"}
	for seed := range faults.Seeds(6) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, faultMixes[seed%3])
			random := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t, nil, in.Wrap)
			processes := []world{w, w.process(t, nil, in.Wrap), w.process(t, &leaderboard.Options{Refresh: time.Minute}, in.Wrap)}
			board := leaderboard.Board{Name: "b", Cron: crons[seed%5], Grace: 6 * time.Hour}
			faults.Acknowledged(t, func() error { return errorOf(w.Define(t.Context(), board)) })
			seen := map[string]string{} // from time to period
			for range faults.Size(12, 3) {
				w.set(w.Now().Add(time.Duration(random.IntN(150)) * time.Minute))
				if random.IntN(3) == 0 {
					board.Cron = crons[random.IntN(len(crons))]
				}
				var at []time.Time
				for range 4 {
					at = append(at, w.Now().Add(-time.Duration(random.IntN(300))*time.Minute))
				}
				var group sync.WaitGroup
				group.Go(func() { faults.Acknowledged(t, func() error { return errorOf(w.Define(t.Context(), board)) }) })
				periods := make([]string, len(at))
				for i, at := range at {
					group.Go(func() {
						faults.Acknowledged(t, func() error {
							got, err := processes[i%len(processes)].in(t, "b", at)
							periods[i] = got.Period
							return err
						})
					})
				}
				group.Wait()
				for i, at := range at {
					key := at.Format(time.RFC3339Nano)
					if before, ok := seen[key]; ok {
						require.Equal(t, before, periods[i])
					}
					seen[key] = periods[i]
				}
			}
			stored := w.spans(t, "b")
			for i, s := range stored {
				require.True(t, s.End.After(s.start(t)), "%v", w.texts(t, "b"))
				if i > 0 {
					require.False(t, s.start(t).Before(stored[i-1].End), "%v", w.texts(t, "b"))
				}
			}
			for at, period := range seen {
				when, err := time.Parse(time.RFC3339Nano, at)
				require.NoError(t, err)
				i := slices.IndexFunc(stored, func(s span) bool { return strings.HasSuffix(s.SK, period) })
				require.True(t, !when.Before(stored[i].start(t)) && when.Before(stored[i].End), "%s is in %s", at, period)
			}
		})
	}
}

// Another process opens the period while many submissions of this process are about
// to.
func TestLateSubmissionsReloadTheBoardOnce(t *testing.T) {
	t.Parallel()
	const many = 20
	rival := newWorld(t, nil)
	rival.define(t, leaderboard.Board{Name: "b", Cron: "@hourly"})
	rival.submit(t, leaderboard.Submission{Board: "b", Player: "ann"})
	var reads, opened atomic.Int64
	all := make(chan struct{})
	w := rival.process(t, &leaderboard.Options{Parallel: many, Refresh: time.Minute}, on("Query", func() {
		if reads.Add(1) == 2*many {
			close(all)
		}
	}), before("TransactWriteItems", func() {
		<-all
		rival.submit(t, leaderboard.Submission{Board: "b", Player: "ann"})
	}), on("TransactWriteItems", func() { opened.Add(1) }))
	w.set(noon.Add(time.Hour - 10*time.Second))
	w.submit(t, leaderboard.Submission{Board: "b", Player: "ann"}) // reads the board
	w.set(noon.Add(time.Hour))
	reads.Store(0)
	submissions := make([]leaderboard.Submission, many)
	for i := range submissions {
		submissions[i] = leaderboard.Submission{Board: "b", Player: strconv.Itoa(i)}
	}
	w.submitMany(t, submissions)
	require.EqualValues(t, 1, opened.Load())
}

// A longer Grace is defined while a period is open. The period's entries expire by the
// shorter one.
func TestAPeriodKeepsItsGrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	board := leaderboard.Board{Name: "b", Cron: "@daily", Grace: time.Hour, Keep: time.Hour}
	w.define(t, board)
	_, err := w.in(t, "b", noon)
	require.NoError(t, err)
	board.Grace = 100 * time.Hour
	w.define(t, board)
	for _, c := range []struct {
		hours int
		want  error
	}{{12, nil}, {13, leaderboard.ErrClosed}, {20, leaderboard.ErrClosed}} {
		w.set(noon.Add(time.Duration(c.hours) * time.Hour))
		_, err = w.process(t, nil).in(t, "b", noon)
		require.ErrorIs(t, err, c.want)
		require.Zero(t, w.spans(t, "b")[0].Ends, "what is closed must not be forgotten")
	}
}

func TestConcurrentlyGrownShardsStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.submit(t, score("b", "ann", 1, 0))
	w.define(t, leaderboard.Board{Name: "b", Shards: 4})
	w.process(t, nil, before("UpdateItem", func() {
		require.NoError(t, w.raw(t).Update("pk", "B#b").Range("sk", "T#"+forever).Set("shards", 8).Run(t.Context()))
	})).submit(t, score("b", "bob", 1, 0))
	require.Equal(t, 8, w.spans(t, "b")[0].Shards)
}

func TestShardsOnlyGrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	old := w.process(t, nil)
	board := leaderboard.Board{Name: "b"}
	w.define(t, board)
	var want []string
	add := func(process world, n int) {
		for range n {
			player := fmt.Sprintf("p%03d", len(want))
			process.submit(t, score("b", player, 1, 0))
			want = append(want, player+" 1")
		}
	}
	n := faults.Size(20, 12)
	add(old, n)
	board.Shards = 8
	w.define(t, board)
	add(old, n) // still goes into the first shard
	require.Equal(t, 1, w.spans(t, "b")[0].Shards)
	require.Len(t, w.rows(t, w.raw(t), "b#"+forever+"#0"), 2*n)
	add(w, n)
	require.Equal(t, 8, w.spans(t, "b")[0].Shards)
	require.Len(t, w.rows(t, w.raw(t), "b#"+forever+"#0"), 3*n, "stored before it is used")
	w.set(noon.Add(3 * time.Minute))
	add(w, 2*n)
	require.Less(t, len(w.rows(t, w.raw(t), "b#"+forever+"#0")), 4*n)
	add(old, 2*n)
	require.Less(t, len(w.rows(t, w.raw(t), "b#"+forever+"#0")), 19*n/4, "which the other process has read by now")

	board.Shards = 2
	old.define(t, board)
	later := w.process(t, nil)
	add(later, n/2)
	require.Equal(t, 8, w.spans(t, "b")[0].Shards)
	first := w.rows(t, w.raw(t), "b#"+forever+"#0")
	for i := range faults.Size(40, 6) { // entries stay in their shard
		w.submit(t, score("b", fmt.Sprintf("p%03d", i), 1, 0))
		later.submit(t, score("b", fmt.Sprintf("p%03d", i), 2, 0))
		want[i] = fmt.Sprintf("p%03d 2", i)
	}
	require.Len(t, w.rows(t, w.raw(t), "b#"+forever+"#0"), len(first))
	require.ElementsMatch(t, want, w.standings(t, "b", forever, 8))
}
