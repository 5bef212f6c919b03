package leaderboard_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// delivery is a like or its undo.
type delivery struct {
	leaderboard.Submission
	undo bool
}

// to delivers until it is done, as a consumer of a stream does.
func (d delivery) to(ctx context.Context, w world) error {
	if d.undo {
		_, err := w.Retract(ctx, d.Submission)
		return err
	}
	_, _, err := w.Submit(ctx, d.Submission)
	if errors.Is(err, plaza.ErrRemoved) {
		return nil // it was undone before
	}
	return err
}

// crowd is likes of some objects, some of them with their undos, each twice and in
// any order; and what a recount says.
func (w world) crowdOf(random *rand.Rand, objects, many int) (all []delivery, want map[string]int) {
	want = map[string]int{}
	for range many {
		object := fmt.Sprint("song ", random.IntN(objects))
		s := w.like(object)
		all = append(all, delivery{s, false}, delivery{s, false})
		want[object]++
		if random.IntN(5) < 2 {
			all = append(all, delivery{s, true}, delivery{s, true})
			want[object]--
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, want
}

// requireCounts fails unless the board says what a recount does.
func (w world) requireCounts(t *testing.T, want map[string]int) {
	t.Helper()
	var texts []string
	for object, n := range want {
		texts = append(texts, fmt.Sprint(object, " ", n))
	}
	got := w.standings(t, "b", forever, 1)
	require.Subset(t, texts, got)
	for object, n := range want {
		if n != 0 { // else it may never have been there
			require.Contains(t, got, fmt.Sprint(object, " ", n))
		}
	}
	w.isWhole(t, in("b"))
}

// TestLikesAndUnlikesInAnyOrderAreRecounted delivers them to two processes under
// faults, on behalf of callers some of whom give up and come again.
func TestLikesAndUnlikesInAnyOrderAreRecounted(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			in := faults.New(t, seed, faultMixes[seed%3])
			w := newWorld(t, nil, in.Wrap)
			board := likes
			if seed%2 == 0 {
				board.Above = ptr(leaderboard.Int(0))
			}
			faults.Acknowledged(t, func() error { return errorOf(w.Define(t.Context(), board)) })
			processes := []world{w, w.process(t, nil, in.Wrap)}
			all, want := w.crowdOf(random, 5, faults.Size(100, 15))
			work := make(chan delivery)
			var group sync.WaitGroup
			for i := range 24 {
				patience := rand.New(rand.NewPCG(seed, uint64(2+i)))
				group.Go(func() {
					for d := range work {
						process := processes[patience.IntN(2)]
						faults.Acknowledged(t, func() error {
							ctx, cancel := context.WithCancel(t.Context())
							defer cancel()
							if patience.IntN(4) == 0 {
								go func() {
									for range patience.IntN(200) {
										runtime.Gosched()
									}
									cancel()
								}()
							}
							return d.to(ctx, process)
						})
					}
				})
			}
			for _, d := range all {
				work <- d
			}
			close(work)
			group.Wait()
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))
			in.Off()
			if board.Above != nil {
				maps.DeleteFunc(want, func(_ string, n int) bool { return n == 0 })
			}
			w.requireCounts(t, want)
			t.Logf("%d deliveries, %v", len(all), in)
		})
	}
}

// TestAKilledProcessLeavesNothingHalfDone kills it before and after each of its
// writes. Another process gets everything again.
func TestAKilledProcessLeavesNothingHalfDone(t *testing.T) {
	t.Parallel()
	survivor := newWorld(t, nil)
	board := likes
	board.Above = ptr(leaderboard.Int(0))
	survivor.define(t, board)
	want := map[string]int{}
	for k := 1; ; k += faults.Size(1, 6) {
		var died [2]bool
		for i, kill := range []func(*faults.Injector, int){(*faults.Injector).KillAt, (*faults.Injector).KillBefore} {
			in := faults.New(t, uint64(k), faults.Rates{})
			w := survivor.process(t, nil, in.Wrap)
			kill(in, k)
			song := fmt.Sprint("song ", k, i)
			want[song] = 1
			a, b, c := w.like(song), w.like(song), w.like(song)
			all := []delivery{{a, false}, {b, false}, {a, true}, {c, true}, {c, false}, {b, false}, {b, true}, {b, true}, {w.like(song), false}}
			for _, d := range all {
				if err := d.to(t.Context(), w); err != nil {
					require.ErrorIs(t, err, faults.ErrKilled)
					died[i] = true
				}
			}
			for _, d := range all {
				require.NoError(t, d.to(t.Context(), survivor))
			}
		}
		if !died[0] && !died[1] {
			require.Greater(t, k, 5)
			survivor.requireCounts(t, want)
			return
		}
	}
}

// TestALateRequestDoesNotBringAnUndoneLikeBack holds back the requests of a caller
// who gives up, and lets them arrive at the end.
func TestALateRequestDoesNotBringAnUndoneLikeBack(t *testing.T) {
	t.Parallel()
	for name, others := range faults.Sample(2, map[string]int{"nothing meanwhile": 0, "others meanwhile": 2}) {
		for _, entry := range []string{"a new entry", "an entry"} {
			t.Run(entry+", "+name, func(t *testing.T) {
				t.Parallel()
				late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "TransactWriteItems" }}
				w := newWorld(t, nil)
				w.define(t, likes)
				if entry == "an entry" {
					w.liked(t, "song")
				}
				slow := w.process(t, nil, late.Wrap)
				s := w.like("song")
				w.submit(t, score("b", "other", 1, 0)) // the period is open
				slow.refuses(t, s, plaza.ErrUnknownOutcome)
				for range others {
					w.liked(t, "song")
				}
				require.False(t, w.retract(t, s))
				stands := w.standings(t, "b", forever, 1)
				require.Zero(t, late.Arrive(t))
				require.Equal(t, stands, w.standings(t, "b", forever, 1))

				undone := w.liked(t, "song")
				_, err := slow.Retract(t.Context(), undone)
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
				require.True(t, w.retract(t, undone))
				require.Zero(t, late.Arrive(t))
				require.Equal(t, len(stands), len(w.standings(t, "b", forever, 1))-map[bool]int{true: 1}[len(stands) == 1])
			})
		}
	}
}

// TestACancelledCallerLeavesTheOthers lets a transaction hang while another caller
// waits for it to end.
func TestACancelledCallerLeavesTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, likes)
	hung, hangs := make(chan struct{}), faults.New(t, 1, faults.Rates{})
	endings := make(chan error, 9)
	slow := w.process(t, nil, hangs.Wrap, func(next aws.HTTPClient) aws.HTTPClient {
		return doer(func(r *http.Request) (*http.Response, error) {
			res, err := next.Do(r)
			if err := r.Context().Err(); err != nil {
				endings <- err
			}
			return res, err
		})
	})
	slow.liked(t, "song") // the board is known
	hangs.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op != "TransactWriteItems" {
			return faults.Fault{}
		}
		close(hung)
		return faults.Fault{Kind: faults.Hung}
	})
	call := func(s leaderboard.Submission) (context.CancelFunc, <-chan error) {
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() {
			_, _, err := slow.Submit(ctx, s)
			result <- err
		}()
		return cancel, result
	}
	under, waits, never := w.like("song"), w.like("song"), w.like("song")
	leaveUnder, underEnds := call(under)
	<-hung
	leaveWaiting, waitingEnds := call(waits)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := slow.Submit(ended, never)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, plaza.ErrUnknownOutcome)

	leaveWaiting()
	err = <-waitingEnds
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, plaza.ErrUnknownOutcome, "it was never sent")
	leaveUnder()
	err = <-underEnds
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	require.Equal(t, context.Canceled, <-endings, "when nobody waits")
	for entries := 1; entries > 0; entries, _ = slow.Guarded() { // its goroutine ends
		runtime.Gosched()
	}
	hangs.Off()
	slow.submit(t, under)
	slow.submit(t, waits)
	require.Equal(t, []string{"song 3"}, w.standings(t, "b", forever, 1))
}

// TestRefuseRefusesOneOfManyGuardedOperations lets Options.Refuse refuse one of many, panic, and
// end its goroutine.
func TestRefuseRefusesOneOfManyGuardedOperations(t *testing.T) {
	t.Parallel()
	plain := newWorld(t, nil)
	plain.define(t, likes)
	w := plain.process(t, &leaderboard.Options{Refuse: func(_ context.Context, s leaderboard.Submission, would leaderboard.Result) error {
		require.Equal(t, would.Old.Int64()+1, would.New.Int64())
		switch s.Name {
		case "refused":
			return errors.New("no")
		case "panics":
			panic("boom")
		case "ends":
			runtime.Goexit()
		}
		return nil
	}})
	var sent []leaderboard.Submission
	for i := range 30 {
		s := w.like("song")
		s.Name = []string{"", "refused", "panics"}[i%3]
		sent = append(sent, s)
	}
	known := sent[1]
	plain.submit(t, known)
	results, err := w.SubmitMany(t.Context(), sent)
	require.ErrorIs(t, err, plaza.ErrForbidden)
	for i, o := range results {
		switch {
		case sent[i].Name == "" || i == 1:
			require.NoError(t, o.Err)
			require.Equal(t, i != 1, o.Changed, "what was applied before is known")
		case sent[i].Name == "refused":
			require.ErrorIs(t, o.Err, plaza.ErrForbidden)
		default:
			require.ErrorContains(t, o.Err, "boom")
		}
	}
	ends := w.like("song")
	ends.Name = "ends"
	w.refuses(t, ends, plaza.ErrUnknownOutcome)
	w.liked(t, "song")
	require.Equal(t, []string{"song 12"}, w.standings(t, "b", forever, 1))
}

// TestATransactionIsRecognisedWithoutItsToken sends each transaction twice, as late as
// DynamoDB has forgotten its token.
func TestATransactionIsRecognisedWithoutItsToken(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{Twice: 1})
	plain := newWorld(t, nil)
	plain.define(t, likes)
	plain.liked(t, "other") // the period is open
	w := plain.process(t, nil, tokenless, in.Wrap)
	s := w.like("song")
	got, created, err := w.Submit(t.Context(), s)
	require.NoError(t, err)
	require.True(t, created)
	require.Equal(t, leaderboard.Int(1), got.New)
	require.True(t, w.retract(t, s))
	require.False(t, w.retract(t, s))
	require.Equal(t, []string{"other 1", "song 0"}, plain.standings(t, "b", forever, 1))
}

// tokenless sends transactions without their tokens.
func tokenless(next aws.HTTPClient) aws.HTTPClient {
	return doer(func(r *http.Request) (*http.Response, error) {
		req, err := wire.Read(r)
		if err != nil {
			return nil, err
		}
		return next.Do(req.As(req.Op, token.ReplaceAll(req.Body, nil)))
	})
}

var token = regexp.MustCompile(`"ClientRequestToken":"[^"]*",?`)

// TestOneOperationManyTimesAtOnce submits and undoes it while another operation of its
// entry is under way. DynamoDB refuses a transaction that writes an item twice, which
// the engine does not.
func TestOneOperationManyTimesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, likes)
	in := faults.New(t, 1, faults.Rates{})
	slow := w.process(t, nil, in.Wrap)
	slow.liked(t, "other") // the board is known
	release := make(chan struct{})
	var twice atomic.Bool
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "TransactWriteItems" {
			<-release
			written := guardKeys.FindAllString(string(body), -1)
			slices.Sort(written)
			if len(slices.Compact(slices.Clone(written))) < len(written) {
				twice.Store(true)
			}
		}
		return faults.Fault{}
	})
	s := w.like("song")
	var created, undone atomic.Int64
	var group sync.WaitGroup
	call := func(n int, times *atomic.Int64, call func() (bool, error)) {
		_, before := slow.Guarded()
		for range n {
			group.Go(func() {
				changed, err := call()
				require.NoError(t, err)
				if changed {
					times.Add(1)
				}
			})
		}
		for waiting := 0; waiting < before+n-1; _, waiting = slow.Guarded() { // one may be under way
			runtime.Gosched()
		}
	}
	call(10, &created, func() (bool, error) {
		_, created, err := slow.Submit(t.Context(), s)
		return created, err
	})
	call(10, &undone, func() (bool, error) { return slow.Retract(t.Context(), s) })
	call(10, new(atomic.Int64), func() (bool, error) { return true, delivery{s, false}.to(t.Context(), slow) })
	close(release)
	group.Wait()
	require.EqualValues(t, 1, created.Load())
	require.EqualValues(t, 1, undone.Load())
	require.False(t, twice.Load())
	require.Equal(t, []string{"other 1", "song 0"}, w.standings(t, "b", forever, 1))
}

var guardKeys = regexp.MustCompile(`"G#[^"]+"`)
