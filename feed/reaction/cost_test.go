package reaction_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// sixteen pads a name to 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

func TestOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	const shards = 8
	jack, photo, star, spread := sixteen("jack"), sixteen("photo"), sixteen("star"), sixteen("spread")
	meter := dynamotest.NewMeter()
	opts := options(1)
	opts.Consistent = false
	opts.Shards = func(object string) int {
		if object == spread {
			return shards
		}
		return 1
	}
	w := newWorld(t, opts, meter.Wrap)
	strong := w.process(t, options(1), meter.Wrap)
	objects := make([]string, faults.Size(60, 30))
	for i := range objects {
		objects[i] = sixteen(fmt.Sprint("object ", i))
		w.react(t, objects[i], star, "pin")
		w.react(t, objects[i], spread, "pin")
		w.react(t, star, objects[i], "pin")
	}

	type (
		cost = dynamotest.Cost
		page = cursor.PageRequest
	)
	var unused reaction.Reaction
	known := map[string]reaction.Reaction{}
	react := func(w world, kind string) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			known[kind], _, err = w.React(ctx, reaction.Reaction{User: jack, Object: photo, Kind: kind, ID: known[kind].ID})
			return err
		}
	}
	unreact := func(a func() reaction.Reaction) func(context.Context) error {
		return func(ctx context.Context) error { _, err := w.Unreact(ctx, a()); return err }
	}
	named := func(kind string) func() reaction.Reaction {
		return func() reaction.Reaction { return reaction.Reaction{User: jack, Object: photo, Kind: kind} }
	}
	elsewhere := func() world { return w.process(t, options(reaction.MaxShards), meter.Wrap) }
	full := func(got cursor.Page[reaction.Reaction], err error) error {
		require.Len(t, got.Items, 25)
		return err
	}
	for _, c := range []struct {
		name string
		want cost
		call func(context.Context) error
	}{
		{"react", cost{Requests: 1, Write: 8}, react(w, "pin")},
		{"react, repeated", cost{Requests: 1, Write: 8}, react(w, "pin")},
		{"get", cost{Requests: 1, Read: 1}, func(ctx context.Context) (err error) {
			known["pin"], err = w.Get(ctx, named("pin")())
			return err
		}},
		{"unreact of a known reaction", cost{Requests: 1, Write: 8}, unreact(func() reaction.Reaction { return known["pin"] })},
		{"react with an ended id", cost{Requests: 1, Write: 8}, func(ctx context.Context) error {
			require.ErrorIs(t, react(w, "pin")(ctx), plaza.ErrRemoved)
			delete(known, "pin")
			return nil
		}},
		{"react again", cost{Requests: 1, Write: 8}, react(w, "pin")},
		{"unreact", cost{Requests: 2, Read: 1, Write: 8}, unreact(named("pin"))},
		{"unreact of nothing", cost{Requests: 1, Read: 1}, unreact(named("pin"))},
		{"unreact of an id that is not there", cost{Requests: 2, Read: 1, Write: 1}, unreact(func() reaction.Reaction {
			unused = named("pin")()
			unused.ID = w.id(t)
			delete(known, "pin")
			return unused
		})},
		{"the same again", cost{Requests: 1, Read: 1}, unreact(func() reaction.Reaction { return unused })},

		{"first of a group", cost{Requests: 2, Read: 0.5, Write: 8}, react(w, "like")},
		{"switch", cost{Requests: 2, Read: 0.5, Write: 12}, react(w, "love")},
		{"first into a new shard", cost{Requests: 3, Write: 20}, react(elsewhere(), "pin")},
		{"unreact in a shard", cost{Requests: 1, Write: 8}, unreact(func() reaction.Reaction { return known["pin"] })},
		{"switch into an open shard", cost{Requests: 2, Read: 0.5, Write: 14}, func(ctx context.Context) error {
			other := reaction.Reaction{User: jack, Object: photo, Kind: "haha", ID: known["pin"].ID}
			a, _, err := elsewhere().React(ctx, other)
			require.Equal(t, other.ID, a.ID)
			return err
		}},

		{"by object", cost{Requests: 2, Read: 2}, func(ctx context.Context) error { return full(w.ByObject(ctx, star, "pin", page{})) }},
		{"by object, all kinds", cost{Requests: 5, Read: 5}, func(ctx context.Context) error { return full(w.ByObject(ctx, star, "", page{})) }},
		{"by object over shards", cost{Requests: 1 + shards, Read: 1 + shards}, func(ctx context.Context) error { return full(w.ByObject(ctx, spread, "pin", page{})) }},
		{"by user", cost{Requests: 1, Read: 1}, func(ctx context.Context) error { return full(w.ByUser(ctx, star, "pin", page{})) }},
		{"by user, all kinds", cost{Requests: 4, Read: 4}, func(ctx context.Context) error { return full(w.ByUser(ctx, star, "", page{})) }},

		{"reacted to 25", cost{Requests: 1, Read: 12.5}, func(ctx context.Context) error { _, err := w.Reacted(ctx, star, objects[:25]); return err }},
		{"reacted to 25, consistent", cost{Requests: 1, Read: 25}, func(ctx context.Context) error { _, err := strong.Reacted(ctx, star, objects[:25]); return err }},
		{"counts", cost{Requests: 1, Read: 0.5}, func(ctx context.Context) error { _, err := w.Counts(ctx, star); return err }},
		{"counts, consistent", cost{Requests: 1, Read: 1}, func(ctx context.Context) error { _, err := strong.Counts(ctx, star); return err }},
		{"counts over shards", cost{Requests: 2, Read: 0.5 * shards}, func(ctx context.Context) error { _, err := w.Counts(ctx, spread); return err }},
		{"versioned counts", cost{Requests: 1, Read: 1}, func(ctx context.Context) error { _, _, err := w.VersionedCounts(ctx, star); return err }},
		{"versioned counts over shards", cost{Requests: 2, Read: shards}, func(ctx context.Context) error { _, _, err := w.VersionedCounts(ctx, spread); return err }},
		{"counts of 25", cost{Requests: 1, Read: 12.5}, func(ctx context.Context) error { _, err := w.CountsMany(ctx, objects[:25]); return err }},
		{"counts of 2 over shards", cost{Requests: 2, Read: 0.5 + 0.5*shards}, func(ctx context.Context) error {
			_, err := w.CountsMany(ctx, []string{star, spread})
			return err
		}},

		{"check", cost{Requests: 11, Read: 2*64 + 60 + 8}, func(ctx context.Context) error { _, err := w.Check(ctx, star); return err }},
		{"check of a user", cost{Requests: 12, Read: 60 + 15}, func(ctx context.Context) error { _, err := w.CheckUser(ctx, star); return err }},
	} {
		got := meter.AtMost(t, c.name, c.want, func() { require.NoError(t, c.call(t.Context()), c.name) })
		require.NotZero(t, got.Requests, c.name)
		t.Logf("%s: %v", c.name, got)
	}
}
