// Package seed fills the pinboard with a community: follows, six weeks of
// pictures, what others liked and wrote, and a few conversations.
//
// All ids come from ids.Backdate, so that a seed that was interrupted goes on where it was.
package seed

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

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

// Repositories are where to write. Nil ones are left out.
type Repositories struct {
	Follows   *follow.Repository
	Feeds     *feed.Repository
	Comments  *comment.Repository
	Reactions *reaction.Repository // of the kinds like and report

	// Report brings a report before the moderators. Its object exists.
	Report func(ctx context.Context, report reaction.Reaction, reason string) error

	// Boards, Messages and Bells return repositories that use the given clock, which is in
	// the past, and the given ids. They must not refuse what many send at once.
	Boards   func(now func() time.Time) (*leaderboard.Repository, error)
	Messages func(gen ids.Source, now func() time.Time) (*message.Repository, error)
	Bells    func(gen ids.Source, now func() time.Time) (*notify.Repository, error)
}

// atOnce is how many writes run at the same time.
const atOnce = 16

// Run writes the community as of now, and reports how far it is. Progress is called by
// several goroutines, one at a time.
//
// If a run was interrupted, the next one completes it, with the time of the first. If the
// seed is complete, Run does nothing. Feeds remember both.
func Run(ctx context.Context, to Repositories, now time.Time, progress func(done, total int, what string)) error {
	return run(ctx, to, now, full, progress)
}

func run(ctx context.Context, to Repositories, now time.Time, s size, progress func(done, total int, what string)) error {
	anchor := now.UTC().Truncate(time.Minute)
	anchor, done, err := begin(ctx, to.Feeds, anchor)
	if err != nil || done {
		return err
	}
	w, err := newWriter(to, anchor, s, progress)
	if err != nil {
		return err
	}
	// Follows come first, so that pictures reach the followers' homes.
	for _, step := range []struct {
		what   string
		wanted bool
		do     func(context.Context) error
	}{
		{"people", to.Follows != nil, w.follow},
		{"boards", to.Feeds != nil, w.openBoards},
		{"pictures", to.Feeds != nil, w.pin},
		{"likes", to.Reactions != nil, w.like},
		{"comments", to.Comments != nil, w.comment},
		{"reports", to.Reactions != nil && to.Report != nil, w.report},
		{"ranking", to.Boards != nil, w.rank},
		{"conversations", to.Messages != nil, w.talk},
		{"bells", to.Bells != nil, w.ring},
	} {
		if !step.wanted {
			continue
		}
		w.what = step.what
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("seed %s: %w", step.what, err)
		}
	}
	return finish(ctx, to.Feeds, anchor)
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
	if feeds == nil {
		return anchor, false, nil
	}
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

func finish(ctx context.Context, feeds *feed.Repository, anchor time.Time) error {
	if feeds == nil {
		return nil
	}
	_, err := take(ctx, feeds, "finished", anchor)
	return err
}

// take stores a note, or finds the one that stands, and returns its time.
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
	bells [][]notify.Notification

	progress func(done, total int, what string)
	what     string
	total    int
	mu       sync.Mutex
	done     int
}

func newWriter(to Repositories, anchor time.Time, s size, progress func(done, total int, what string)) (*writer, error) {
	p, err := newPlan(anchor, s)
	if err != nil {
		return nil, err
	}
	w := &writer{Repositories: to, plan: p, progress: progress}
	if to.Follows != nil {
		w.total += len(p.follows)
	}
	if to.Feeds != nil {
		w.total += len(p.members) + len(p.pictures) + len(p.repins)
	}
	if to.Reactions != nil {
		w.total += len(p.likes)
	}
	if to.Comments != nil {
		for _, t := range p.threads {
			w.total += len(t.comments)
		}
	}
	if to.Boards != nil {
		w.total += len(p.recentLikes())
	}
	if to.Messages != nil {
		w.total += len(talks)
	}
	if to.Bells != nil {
		for _, user := range known {
			events, err := p.events(user)
			if err != nil {
				return nil, err
			}
			w.bells = append(w.bells, events)
			w.total += len(events)
		}
	}
	return w, nil
}

func (w *writer) did(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done += n
	if w.progress != nil {
		w.progress(w.done, w.total, w.what)
	}
}

// each calls do for all items, atOnce at a time, until one fails.
func each[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(atOnce, len(items)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				if err := do(ctx, items[i]); err != nil {
					stop(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
