package leaderboard_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/store/changetest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestEachChangeHappensOnce(t *testing.T) {
	t.Parallel()
	testChanges(t, nil)
}

func TestEachChangeHappensOnceToWhoIsLeftOut(t *testing.T) {
	t.Parallel()
	if !faults.Full() {
		t.Skip("it runs where CI is set")
	}
	testChanges(t, ptr(leaderboard.Int(9)))
}

func testChanges(t *testing.T, above *leaderboard.Score) {
	type process struct {
		*leaderboard.Repository
		later *atomic.Int64 // how much later it is for this process, ns
	}
	f := changetest.Feature[process]{Package: "leaderboard", Table: dynamotest.Table(t, leaderboard.Table)}
	f.Open = func(t testing.TB, p *changetest.Process) process {
		later := new(atomic.Int64)
		r, err := leaderboard.New(dynamotest.DB(t, p.Wrap), f.Table, p, &leaderboard.Options{
			Consistent: true,
			Now:        func() time.Time { return p.Now().Add(time.Duration(later.Load())) },
		})
		require.NoError(t, err)
		return process{r, later}
	}

	begin := func(ctx context.Context, r process, player string) error {
		if err := errorOf(r.Define(ctx, leaderboard.Board{Name: "b", Above: above})); err != nil {
			return err
		}
		_, _, err := r.Submit(ctx, leaderboard.Submission{Board: "b", Player: player, Score: leaderboard.Int(5)})
		return err
	}
	entry := func(ctx context.Context, r process, player string) (any, error) {
		e, err := r.Entry(ctx, in("b"), player)
		if errors.Is(err, plaza.ErrNotFound) {
			err = nil
		}
		return e, err
	}
	managed := func(do, undo func(process, context.Context, leaderboard.In, string) (bool, error)) changetest.Call[process] {
		call := changetest.Call[process]{
			Part: "managed", Unread: above == nil, Begin: begin, State: entry,
			Item:  func(player string) store.Key { return store.Key{PK: "P#" + player, SK: "LB#b#" + forever} },
			Do:    func(ctx context.Context, r process, player string) (bool, error) { return do(r, ctx, in("b"), player) },
			Erase: func(ctx context.Context, r process, player string) error { return r.Erase(ctx, player) },
		}
		if undo != nil {
			call.Undo = func(ctx context.Context, r process, player string) (bool, error) {
				return undo(r, ctx, in("b"), player)
			}
		}
		return call
	}
	unhide := managed(process.Unhide, process.Hide)
	unhide.Begin = func(ctx context.Context, r process, player string) error {
		if err := begin(ctx, r, player); err != nil {
			return err
		}
		return errorOf(r.Hide(ctx, in("b"), player))
	}

	define := func(grace time.Duration) func(context.Context, process, string) (bool, error) {
		return func(ctx context.Context, r process, board string) (bool, error) {
			return r.Define(ctx, leaderboard.Board{Name: board, Grace: grace})
		}
	}
	f.Calls = map[string]changetest.Call[process]{
		"Repository.Hide":   managed(process.Hide, process.Unhide),
		"Repository.Unhide": unhide,
		"Repository.Remove": managed(process.Remove, nil),
		"Repository.Define": {
			Item:   func(board string) store.Key { return store.Key{PK: "B#", SK: board} },
			Do:     define(time.Hour),
			Undo:   define(time.Minute),
			Silent: true,
			State: func(ctx context.Context, r process, board string) (any, error) {
				for b, err := range cursor.All(ctx, r.Definitions) {
					if err != nil || b.Name == board {
						return b.Grace, err
					}
				}
				return time.Duration(0), nil
			},
			Erase: func(ctx context.Context, r process, board string) error {
				defer r.later.Store(0)
				for {
					_, err := r.Undefine(ctx, board)
					if !errors.Is(err, plaza.ErrBusy) {
						return err
					}
					r.later.Add(int64(2 * time.Minute))
				}
			},
		},
	}
	changetest.Run(t, f)
}
