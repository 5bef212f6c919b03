// Package seed fills the pinboard with a community: follows, six weeks of
// pictures, what others liked and wrote, and a few conversations.
//
// All ids come from ids.Backdate, so that a seed that was interrupted goes on where it was.
package seed

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
)

// Board is the leaderboard of the most liked. The caller defines it, with periods that
// begin at midnight UTC, Increment as an operator, and no Floor.
const Board = "liked"

// Repositories are those that a seed fills.
type Repositories struct {
	Follows   *follow.Repository
	Feeds     *feed.Repository
	Comments  *comment.Repository
	Reactions *reaction.Repository // of the kinds like and report

	// Report brings a report before the moderators. Its object exists.
	Report func(ctx context.Context, report reaction.Reaction, reason string) error

	// Boards, Messages and Bells return repositories that use the given clock, which is in
	// the past, and the given ids. They must not limit the rate.
	Boards   func(now func() time.Time) (*leaderboard.Repository, error)
	Messages func(gen ids.Source, now func() time.Time) (*message.Repository, error)
	Bells    func(gen ids.Source, now func() time.Time) (*notify.Repository, error)
}

const atOnce = 16 // writes

// Run writes the community as of now, and calls progress before each part.
//
// If a run was interrupted, the next one completes it, with the time of the first. If the
// seed is complete, Run does nothing. Feeds remember both.
func Run(ctx context.Context, to Repositories, now time.Time, progress func(what string)) error {
	return run(ctx, to, now, full, progress)
}

func run(ctx context.Context, to Repositories, now time.Time, s size, progress func(what string)) error {
	anchor, done, err := begin(ctx, to.Feeds, now.UTC().Truncate(time.Minute))
	if err != nil || done {
		return err
	}
	p, err := newPlan(anchor, s)
	if err != nil {
		return err
	}
	w := &writer{to, p}
	// Follows come first, so that pictures reach the followers' homes.
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"people", w.follow}, {"boards", w.openBoards}, {"pictures", w.pin}, {"likes", w.like}, {"comments", w.comment},
		{"reports", w.report}, {"ranking", w.rank}, {"conversations", w.talk}, {"bells", w.ring},
	} {
		progress(step.what)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("seed %s: %w", step.what, err)
		}
	}
	_, err = take(ctx, to.Feeds, "finished", anchor)
	return err
}

// notes is the outbox that remembers when a seed began, and that it is complete.
const notes = "seed"

// Began returns when the seed that feeds remember began: all that it writes is older. If
// there is none, it is plaza.ErrNotFound.
func Began(ctx context.Context, feeds *feed.Repository) (time.Time, error) {
	for note, err := range cursor.All(ctx, feeds.Outbox(notes).List) {
		return note.Time, err // the note of its end has the same time
	}
	return time.Time{}, fmt.Errorf("seed: %w", plaza.ErrNotFound)
}

func begin(ctx context.Context, feeds *feed.Repository, anchor time.Time) (began time.Time, done bool, err error) {
	began = anchor
	for note, err := range cursor.All(ctx, feeds.Outbox(notes).List) {
		if err != nil {
			return anchor, false, err
		}
		began = note.Time
		done = done || note.Verb == "finished"
	}
	if done {
		return began, true, nil
	}
	began, err = take(ctx, feeds, "began", began) // another process may have been faster
	return began, false, err
}

// take stores a note, or finds the stored one, and returns its time.
func take(ctx context.Context, feeds *feed.Repository, verb string, anchor time.Time) (time.Time, error) {
	id, err := ids.Backdate(anchor, "seed/"+verb)
	if err != nil {
		return anchor, err
	}
	note, _, err := feeds.Outbox(notes).Publish(ctx, feed.Activity{
		ID: id, Actor: feed.Ref{ID: notes}, Verb: verb, ForeignID: verb, Time: anchor,
	})
	return note.Time, err
}

// writer writes a plan.
type writer struct {
	Repositories
	*plan
}

// each calls do for all items, atOnce at a time, until one fails.
func each[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, item := range items {
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() error { return do(groupCtx, item) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
