package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// EraseOptions of Erase. The zero value works.
type EraseOptions struct {
	// Objects go with the user: all comments, reactions and danmu on them, whoever wrote
	// them, and their own entries on leaderboards. Nobody may write there any more. They are
	// erased before all else, so that after an error the outbox still lists them.
	Objects []string

	// OnStep is called before each step. Defaults to nothing.
	OnStep func(Step)
}

// Step is a part of an Erase.
type Step struct {
	Name       string // such as "comment" or "objects of comment"
	Number, Of int    // from 1
}

// Erasure is what an Erase leaves.
type Erasure struct {
	Left []Left `json:"left"`

	// Again is when one more Erase is due, because an index lags, and deliveries may have
	// arrived since. It is zero if neither can be.
	Again time.Time `json:"again,omitzero"`
}

// Erase erases a user from Options.Features. It does not stop the user's writes: do that
// first, and wait until the running requests are answered. What arrives later stays until
// the next Erase. Read what you need afterwards before it: Export; where likes count on a
// board, its leaderboard Retract; where comments have a Score, UpdateScore after it.
//
// It stores no progress. After an error or a kill, call it again: it goes on with what is
// left. Any number may run at once. A damaged item stops only what depends on it, and is
// plaza.ErrCorrupt after all else was erased; the Erasure is valid then.
//
// A pulled source is feed.ErrPulled, and nothing is erased. The switch back to pushed
// has begun: call it again once a worker of feed has finished it.
//
// Cost: as Erase of each feature, and EraseObject of each object; a repeat 23 requests, 22
// RCU.
//
//plaza:cost a user who is erased: 23 requests, 22 RCU
//plaza:cost a user who is erased, each further kind of reaction: 1 request, 1 RCU
func (k *Kit) Erase(ctx context.Context, user string, opts *EraseOptions) (Erasure, error) {
	o := args.Given(opts)
	if err := keys.CheckName("User", user); err != nil {
		return Erasure{}, err
	}
	if err := keys.CheckNames("EraseOptions.Objects", o.Objects); err != nil {
		return Erasure{}, err
	}
	var damaged []error
	failed := map[string]bool{}
	steps := k.erasure(user, o.Objects)
	for i, step := range steps {
		if o.OnStep != nil {
			o.OnStep(Step{step.name, i + 1, len(steps)})
		}
		if slices.ContainsFunc(step.after, func(name string) bool { return failed[name] }) {
			continue
		}
		if err := step.do(ctx); errors.Is(err, plaza.ErrCorrupt) {
			damaged, failed[step.name] = append(damaged, err), true
		} else if err != nil {
			return Erasure{}, fmt.Errorf("kit: erase: %w", err)
		}
	}
	left := k.left(len(o.Objects) > 0)
	if len(damaged) > 0 {
		return left, fmt.Errorf("kit: everything was erased except damaged items, and what depends on them: %w", errors.Join(damaged...))
	}
	return left, nil
}

// step is a part of an erasure. It may be repeated.
type step struct {
	name  string
	after []string // the steps without which this one would do harm
	do    func(context.Context) error
}

// erasure has the steps in the order of their dependence. The objects come first, because a
// caller lists them from the outbox: after a kill they can be listed again. Homes end with
// the follows that fill them.
func (k *Kit) erasure(user string, objects []string) []step {
	var steps []step
	add := func(f Feature, s step) {
		if k.has(f) {
			steps = append(steps, s)
		}
	}
	erase := func(erase func(context.Context, string) error) func(context.Context) error {
		return func(ctx context.Context) error { return erase(ctx, user) }
	}
	add(Feed, step{name: "pulled source", do: erase(k.push)})
	content := []struct {
		Feature
		ofUser, ofObject func(context.Context, string) error
	}{
		{Comment, k.Comments.Erase, k.Comments.EraseObject},
		{Reaction, k.Reactions.Erase, k.Reactions.EraseObject},
		{Leaderboard, k.Boards.Erase, k.Boards.Erase},
		{Danmu, k.Danmu.Erase, k.Danmu.EraseObject},
	}
	before := []string{"follow"} // the outbox: it may be all that lists the objects
	for _, f := range content {
		if len(objects) > 0 {
			name := "objects of " + string(f.Feature)
			before = append(before, name)
			add(f.Feature, step{name: name, do: func(ctx context.Context) error {
				return eachObject(ctx, objects, f.ofObject)
			}})
		}
	}
	add(Follow, step{name: "follow", do: erase(k.Follows.Erase)})
	add(Feed, step{name: "feed", after: before, do: erase(k.Feeds.Erase)})
	for _, f := range content {
		add(f.Feature, step{name: string(f.Feature), do: erase(f.ofUser)})
	}
	add(Message, step{name: "message", do: erase(k.Messages.Erase)})
	add(Notify, step{name: "digest", do: erase(k.Digests.Erase)})
	add(Notify, step{name: "notify", do: erase(k.Bell.Erase)})
	return steps
}

// eachObject erases all objects but damaged ones, whose errors it joins.
func eachObject(ctx context.Context, objects []string, erase func(context.Context, string) error) error {
	var damaged []error
	for _, object := range objects {
		if err := erase(ctx, object); errors.Is(err, plaza.ErrCorrupt) {
			damaged = append(damaged, err)
		} else if err != nil {
			return err
		}
	}
	return errors.Join(damaged...)
}

// push begins to make a pulled source pushed again.
func (k *Kit) push(ctx context.Context, user string) error {
	outbox := k.Feeds.Outbox(user)
	mode, err := outbox.Mode(ctx)
	if err != nil || mode == feed.Pushed {
		return err
	}
	if _, err := outbox.SetPulled(ctx, false); err != nil {
		return err
	}
	return fmt.Errorf("nothing was erased: the switch back to pushed has begun, and a worker of feed finishes it: %w", feed.ErrPulled)
}
