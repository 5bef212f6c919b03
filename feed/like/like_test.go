package like_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/like"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/stream"
)

func TestWhatCannotBeKeptInStepIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := options()
	for field, open := range map[string]func() error{
		"reactions": func() error { _, err := like.New(nil, w.boards, w.bell, o); return err },
		"boards":    func() error { _, err := like.New(w.reactions, nil, w.bell, o); return err },
		"bell":      func() error { _, err := like.New(w.reactions, w.boards, nil, o); return err },
	} {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, open(), &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
	_, err := like.New(w.reactions, nil, nil, nil)
	require.NoError(t, err)

	grouped := reaction.Reaction{User: "ann", Object: photo(1), Kind: "love"}
	_, _, err = w.likes.React(t.Context(), grouped)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	_, err = w.likes.Unreact(t.Context(), grouped)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	_, _, err = w.likes.React(t.Context(), liked("", photo(1)))
	require.ErrorIs(t, err, plaza.ErrInvalid)
	w.agree(t, photo(1), "ann")
}

func TestWhatTheBellOrTheBoardRefusesChangesNothing(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*like.Options){
		"Activity.Actor.ID": func(o *like.Options) {
			o.Notification = func(context.Context, reaction.Reaction) (notify.Notification, bool, error) {
				return notify.Notification{User: "bob", Activity: feed.Activity{Actor: feed.Ref{ID: "a:colon"}, Verb: "like", Object: feed.Ref{ID: "1"}}}, true, nil
			}
		},
		"Player": func(o *like.Options) {
			o.Point = func(context.Context, reaction.Reaction) (leaderboard.Submission, bool, error) {
				return leaderboard.Submission{Board: "week", Score: leaderboard.Int(1)}, true, nil
			}
		},
	} {
		w := newWorld(t)
		o := *options()
		change(&o)
		likes, err := like.New(w.reactions, w.boards, w.bell, &o)
		require.NoError(t, err)
		_, _, err = likes.React(t.Context(), liked("ann", photo(1)))
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, field, invalid.Field)
		w.agree(t, photo(1), "ann")
		_, err = w.reactions.Get(t.Context(), liked("ann", photo(1)))
		require.ErrorIs(t, err, plaza.ErrNotFound)
	}
}

// A like has the answers of reaction's React and Unreact.
func TestChangedIsThatOfTheReaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, a := t.Context(), liked("ann", photo(1))
	stored, changed, err := w.likes.React(ctx, a)
	require.NoError(t, err)
	require.True(t, changed)
	again, changed, err := w.likes.React(ctx, a)
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, stored.ID, again.ID)
	_, changed, err = w.likes.React(ctx, stored)
	require.NoError(t, err)
	require.True(t, changed, "its own, by the ID")
	changed, err = w.likes.Unreact(ctx, a)
	require.NoError(t, err)
	require.True(t, changed)
	changed, err = w.likes.Unreact(ctx, a)
	require.NoError(t, err)
	require.False(t, changed)
	_, _, err = w.likes.React(ctx, stored)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	w.agree(t, photo(1), "ann")
}

// One's own like counts and rings nowhere, except in the entry that shows the counts.
func TestALikeOfOnesOwnDoesNotRing(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, y way) {
		w := newWorld(t)
		own := liked(ownerOf(photo(1)), photo(1))
		for _, c := range "lul" {
			require.NoError(t, y.do(t.Context(), w.process, own, c == 'l'))
			require.NoError(t, w.deliver(t, y, w.process))
			require.Empty(t, w.entries(t, own.User))
		}
		require.Equal(t, map[string]int{week: 0, all: 1}, w.scores(t, photo(1)))
	})
}

// A week that is over stays as it is. The bell and the counts go on.
func TestAPeriodThatIsOverStandsWhenItsLikesEnd(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, y way) {
		w := newWorld(t)
		require.NoError(t, y.do(t.Context(), w.process, liked("ann", photo(1)), true))
		require.NoError(t, w.deliver(t, y, w.process))
		over := leaderboard.In{Board: week, Period: "20260308T000000Z"}
		for range 2 {
			w.pass(7 * 24 * 3600e9)
			require.NoError(t, y.do(t.Context(), w.process, liked("ann", photo(1)), false))
			require.NoError(t, w.deliver(t, y, w.process))
			require.Empty(t, w.actors(t, photo(1)))
			require.Zero(t, w.scores(t, photo(1))[all])
			e, err := w.boards.Entry(t.Context(), over, photo(1))
			require.NoError(t, err)
			require.EqualValues(t, 1, e.Score.Int64())
		}
	})
}

// The process is killed, and the call repeated, or the record delivered, in the next week.
func TestALikeOfTheLastSecondCountsWithinTheGrace(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, y way) {
		w := newWorld(t)
		_, err := w.boards.Define(t.Context(), leaderboard.Board{Name: week, Operator: leaderboard.Increment, Cron: "@weekly", Grace: time.Hour})
		require.NoError(t, err)
		w.pass(time.Date(2026, 3, 15, 0, 0, -1, 0, time.UTC).Sub(w.Now()))
		in := faults.New(t, 1, faults.Rates{})
		in.KillAt(2) // the reaction is stored, and nothing else
		err = y.do(t.Context(), w.open(t, in.Wrap), liked("ann", photo(1)), true)
		if !y.streamed {
			require.ErrorIs(t, err, faults.ErrKilled)
		}
		w.pass(2 * time.Second)
		require.NoError(t, y.do(t.Context(), w.process, liked("ann", photo(1)), true))
		require.NoError(t, w.deliver(t, y, w.process))
		e, err := w.boards.Entry(t.Context(), leaderboard.In{Board: week, Period: "20260308T000000Z"}, photo(1))
		require.NoError(t, err)
		require.EqualValues(t, 1, e.Score.Int64())
		require.Zero(t, w.scores(t, photo(1))[week])
	})
}

// A switch within a group ends one reaction and begins another.
func TestASwitchOfKindsIsFollowedByItsRecord(t *testing.T) {
	t.Parallel()
	w, y := newWorld(t), ways["by changes"]
	for _, kind := range []string{"love", "wow", "love"} {
		require.NoError(t, y.react(w.process, t.Context(), reaction.Reaction{User: "ann", Object: photo(1), Kind: kind}))
		require.NoError(t, w.deliver(t, y, w.process))
		require.Equal(t, map[string]int{week: 1, all: 1}, w.scores(t, photo(1)))
		require.Equal(t, []string{"ann"}, w.actors(t, photo(1)))
	}
	require.NoError(t, w.reactions.EraseObject(t.Context(), photo(1)))
	require.NoError(t, w.boards.Erase(t.Context(), photo(1)))
	require.NoError(t, w.deliver(t, y, w.process))
	w.agree(t, photo(1), "ann")
}

// No answer of Unreact arrives: it was about to end the like, and another device
// likes.
func TestALikeAfterAnInterruptedUnreactBeginsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, _, err := w.likes.React(t.Context(), liked("ann", photo(1)))
	require.NoError(t, err)
	in := faults.New(t, 1, faults.Rates{})
	in.KillAt(1) // it has retracted the notification, and nothing else
	_, err = w.open(t, in.Wrap).likes.Unreact(t.Context(), liked("ann", photo(1)))
	require.ErrorIs(t, err, faults.ErrKilled)
	second, changed, err := w.likes.React(t.Context(), liked("ann", photo(1)))
	require.NoError(t, err)
	require.True(t, changed)
	require.Greater(t, second.ID, first.ID)
	w.agree(t, photo(1), "ann")
}

// letters keeps dead letters in memory.
type letters struct{ all []stream.Dead }

func (l *letters) Put(_ context.Context, d stream.Dead) error {
	l.all = append(l.all, d)
	return nil
}

func TestHandleReturnsTheErrorsOfItsFunctions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.changes(t, liked("ann", photo(1)), "l")
	records, err := w.tail.Records(t.Context())
	require.NoError(t, err)
	down := errors.New("down")
	for name, c := range map[string]struct {
		fails    error
		attempts int
	}{"passing": {down, 2}, "invalid": {&plaza.InvalidError{Field: "Player", Reason: "is empty"}, 1}} {
		for _, o := range []like.Options{
			{Notification: func(context.Context, reaction.Reaction) (notify.Notification, bool, error) {
				return notify.Notification{}, true, c.fails
			}},
			{Point: func(context.Context, reaction.Reaction) (leaderboard.Submission, bool, error) {
				return leaderboard.Submission{}, true, c.fails
			}},
			{Entry: func(context.Context, string, map[string]int64) (leaderboard.Projection, bool, error) {
				return leaderboard.Projection{}, true, c.fails
			}},
		} {
			likes, err := like.New(w.reactions, w.boards, w.bell, &o)
			require.NoError(t, err)
			dead := &letters{}
			processor, err := stream.NewProcessor(stream.Each(likes.Handle, 1), dead, &stream.ProcessorOptions{
				Policy: stream.Policy{Attempts: 2, Sleep: func(context.Context, time.Duration) error { return nil }},
			})
			require.NoError(t, err)
			for _, r := range records {
				_, err := processor.Process(t.Context(), []stream.Item{{Seq: r.Seq, Record: r}})
				require.NoError(t, err)
			}
			require.Len(t, dead.all, 1, name)
			require.Equal(t, c.attempts, dead.all[0].Attempts, name)
			_, _, err = likes.React(t.Context(), liked("ann", photo(1)))
			require.ErrorIs(t, err, c.fails)
			_, _, err = w.reactions.React(t.Context(), liked("ann", photo(1)))
			require.NoError(t, err)
			_, err = likes.Unreact(t.Context(), liked("ann", photo(1)))
			require.ErrorIs(t, err, c.fails)
		}
	}
}
