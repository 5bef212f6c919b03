package reaction_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestOneIDCanServeTwoKinds switches with the id of the other kind's reaction.
func TestOneIDCanServeTwoKinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	like := w.react(t, "jack", "photo", "like")
	love, changed, err := w.React(t.Context(), reaction.Reaction{User: "jack", Object: "photo", Kind: "love", ID: like.ID})
	require.NoError(t, err)
	require.True(t, changed)
	requireStored(t, w, love)
}

// TestKindsCanBeGroupedLater groups two kinds that a user already has on an
// object. The next reaction of the group replaces both.
func TestKindsCanBeGroupedLater(t *testing.T) {
	t.Parallel()
	opts := options(8)
	opts.OneOf = nil
	before := newWorld(t, opts)
	like, love := before.react(t, "jack", "photo", "like"), before.react(t, "jack", "photo", "love")
	after := before.process(t, options(1))
	again, changed, err := after.React(t.Context(), like)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, like, again)
	requireStored(t, after, like, love)
	haha := after.react(t, "jack", "photo", "haha")
	requireStored(t, after, haha)
}

func TestASwitchWhoseReadFailsWritesNothing(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, options(1), in.Wrap)
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "GetItem" {
			return faults.Fault{Kind: faults.LostBefore}
		}
		return faults.Fault{}
	})
	_, changed, err := w.React(t.Context(), reaction.Reaction{User: "jack", Object: "photo", Kind: "like"})
	require.Error(t, err)
	require.False(t, changed)
	require.Zero(t, in.Writes())
}
