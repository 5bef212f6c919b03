package leaderboard_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// A process is killed at each of its writes in turn: the opening, the entry, the claim,
// the end. Then its caller repeats, and another worker goes on.
func TestAKilledProcessLosesNoEnd(t *testing.T) {
	t.Parallel()
	for name, kill := range faults.Sample(2, map[string]func(*faults.Injector, int){
		"applied": (*faults.Injector).KillAt, "not applied": (*faults.Injector).KillBefore,
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killed := 0
			for k := 1; k == killed+1; k++ {
				heir := newWorld(t, nil)
				heir.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
				in := faults.New(t, uint64(k), faults.Rates{})
				kill(in, k)
				dying := heir.process(t, nil, in.Wrap)
				var c calls
				s := score("b", "ann", 1, 0)
				s.Op = heir.id()
				_, _, err := dying.Submit(t.Context(), s)
				_, _, again := heir.Submit(t.Context(), s)
				require.NoError(t, again)
				heir.set(march(12, 0))
				if err == nil {
					_, err = dying.Deliver(t.Context(), c.do)
				}
				if err != nil {
					require.ErrorIs(t, err, faults.ErrKilled)
					killed++
				}
				heir.set(heir.Now().Add(31 * time.Second))
				heir.deliver(t, c.do)
				require.Empty(t, heir.dueItems(t), "killed at %d", k)
				require.NotEmpty(t, c.all, "killed at %d", k)
				require.LessOrEqual(t, len(c.all), 2)
				for _, ended := range c.all {
					require.Equal(t, c.all[0].Key, ended.Key)
				}
			}
			require.Equal(t, 4, killed, "the opening, the entry, the claim, the end")
		})
	}
}

// Clocks differ by 10 s, and the last score is on its way for a while.
func TestTheLastScoreOfAPeriodIsInItsStandings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ player, worker time.Duration }{
		"the player's is behind": {-10 * time.Second, 0},
		"the worker's is ahead":  {0, 10 * time.Second},
		"the player's is ahead":  {10 * time.Second, 0},
		"the worker's is behind": {0, -10 * time.Second},
	} {
		w := newWorld(t, nil)
		w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Grace: time.Hour})
		player, worker := w.shifted(t, c.player), w.shifted(t, c.worker)
		w.set(march(11, 1).Add(-time.Millisecond - c.player)) // its last moment, by the player's clock
		_, err := player.in(t, "b", march(10, 12))
		require.NoError(t, err, name)
		var last int64
		do := func(ctx context.Context, ended leaderboard.Ended) (err error) {
			last, err = worker.Count(ctx, leaderboard.In{Board: "b", Period: ended.Period.Name})
			return err
		}
		require.Zero(t, worker.deliver(t, do), name)
		w.set(w.Now().Add(9 * time.Second))
		require.Zero(t, worker.deliver(t, do), name)
		w.set(march(11, 1).Add(settled + time.Second - c.worker))
		require.Equal(t, 1, worker.deliver(t, do), name)
		require.EqualValues(t, 1, last, name)
	}
}

// TestEveryPeriodIsCalledFor has two processes that submit and two workers whose clocks
// differ and who are killed again and again. The called function fails before and
// after it has taken note.
func TestEveryPeriodIsCalledFor(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(5) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t, nil)
			boards := []leaderboard.Board{
				{Name: "hourly", Cron: "@hourly", Grace: 2 * time.Minute}, {Name: "late", Cron: "@hourly", Grace: 90 * time.Minute},
				{Name: "often", Cron: "*/7 * * * *", Grace: time.Minute},
			}
			for _, b := range boards {
				w.define(t, b)
			}
			rates := faults.Standard
			rates.Conflict, rates.Stale = 0.05, 0.2
			wrap := func() wrapper { return faults.New(t, random.Uint64(), rates).Wrap }
			players := []world{w.process(t, nil, wrap()), w.shifted(t, -9*time.Second, wrap())}
			var c calls
			var mu sync.Mutex
			calm := false
			do := func(ctx context.Context, ended leaderboard.Ended) error {
				mu.Lock()
				mood := random.IntN(8)
				mu.Unlock()
				switch {
				case calm || mood > 2:
					return c.do(ctx, ended)
				case mood == 0:
					return errBroken
				case mood == 1:
					panic(errBroken)
				}
				_ = c.do(ctx, ended)
				return errBroken
			}
			entered, killed := map[string]bool{}, 0
			for range faults.Size(60, 10) {
				w.set(w.Now().Add(time.Duration(random.IntN(15*60)) * time.Second))
				board := boards[random.IntN(len(boards))].Name
				player := players[random.IntN(2)]
				s := leaderboard.Submission{Board: board, Player: "ann", Score: leaderboard.Int(1), Op: w.id(), At: w.Now().Add(-time.Minute)}
				var got leaderboard.Result
				faults.Acknowledged(t, func() (err error) {
					got, _, err = player.Submit(t.Context(), s)
					return err
				})
				entered[board+" "+got.Period] = true
				var workers sync.WaitGroup
				for n := range 2 {
					in := faults.New(t, random.Uint64(), rates)
					if random.IntN(2) == 0 {
						killed++
						in.KillAt(1 + random.IntN(4))
					}
					worker := w.shifted(t, time.Duration(n)*2*time.Second, in.Wrap)
					workers.Go(func() { _, _ = worker.Deliver(t.Context(), do) })
				}
				workers.Wait()
			}
			for calm = true; len(w.dueItems(t)) > 0; {
				w.set(w.Now().Add(time.Hour))
				w.deliver(t, do)
			}
			require.NotZero(t, killed)
			keys := map[string]string{}
			for _, ended := range c.all {
				name := ended.Board + " " + ended.Period.Name
				require.True(t, entered[name], name)
				if known := keys[name]; known != "" {
					require.Equal(t, known, ended.Key)
				}
				keys[name] = ended.Key
			}
			require.Len(t, keys, len(entered))
		})
	}
}

// The caller gives up at each request in turn. Another worker goes on at once.
func TestAnImpatientCallersPeriodIsCalledFor(t *testing.T) {
	t.Parallel()
	for k := 1; ; k++ {
		heir := newWorld(t, nil)
		heir.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
		heir.enter(t, "b")
		heir.set(march(12, 0))
		ctx, cancel := context.WithCancel(t.Context())
		requests := 0
		w := heir.process(t, nil, func(next aws.HTTPClient) aws.HTTPClient {
			return doer(func(r *http.Request) (*http.Response, error) {
				res, err := next.Do(r)
				if requests++; requests == k {
					cancel()
					return nil, context.Canceled
				}
				return res, err
			})
		})
		var c calls
		_, err := w.Deliver(ctx, c.do)
		cancel()
		heir.deliver(t, c.do)
		require.Empty(t, heir.dueItems(t), k)
		require.Len(t, c.all, 1, k)
		require.Equal(t, 1, c.all[0].Attempt, "giving up is no failure")
		if err == nil {
			require.Equal(t, 5, k, "the query, the claim, two reads; the end is stored all the same")
			return
		}
	}
}
