package feed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
)

func TestARepeatedPublishIsOneActivity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	first, err := w.Outbox("chris").Publish(t.Context(), activity("chris", 1))
	require.NoError(t, err)
	again := activity("chris", 1)
	again.ID = first.ID
	second, err := w.Outbox("chris").Publish(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.Len(t, all(t, w.Home("jack").List, 10), 1)

	other := activity("chris", 2)
	other.ID = first.ID
	_, err = w.Outbox("chris").Publish(t.Context(), other)
	require.ErrorIs(t, err, plaza.ErrConflict)
	got, err := w.Outbox("chris").Get(t.Context(), first.ID)
	require.NoError(t, err)
	require.Equal(t, first, got)

	removed, err := w.Outbox("chris").Remove(t.Context(), first.ID)
	require.NoError(t, err)
	require.True(t, removed)
	_, err = w.Outbox("chris").Publish(t.Context(), again)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	require.Empty(t, all(t, w.Home("jack").List, 10))
}

func TestALateRepeatAfterAnEditAnswersWithWhatStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first := w.publish(t, "chris", 1)[0]
	edit := first
	edit.Data = []byte(`{"message":"better"}`)
	edited, err := w.Outbox("chris").Update(t.Context(), edit)
	require.NoError(t, err)
	require.Equal(t, edit, edited)
	again, err := w.Outbox("chris").Publish(t.Context(), first)
	require.NoError(t, err)
	require.Equal(t, edit, again)
}

func TestAnEditShowsInEveryHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	edit := w.publish(t, "chris", 1)[0]
	edit.Verb, edit.Object, edit.Target, edit.Data = "share", feed.Ref{}, feed.Ref{Kind: "album", ID: "7"}, nil
	edit.Time = edit.Time.Add(-1)
	_, err := w.Outbox("chris").Update(t.Context(), edit)
	require.NoError(t, err)
	page, err := w.Home("jack").List(t.Context(), cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, []feed.Activity{edit}, page.Items)
}

func TestUnknownAndRemovedActivities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	chris := w.Outbox("chris")
	id, err := w.gen.Next(t.Context())
	require.NoError(t, err)
	unknown := activity("chris", 1)
	unknown.ID = id

	_, err = chris.Get(t.Context(), id)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	_, err = chris.Update(t.Context(), unknown)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	removed, err := chris.Remove(t.Context(), id)
	require.NoError(t, err)
	require.False(t, removed)
	removed, err = chris.RemoveForeign(t.Context(), "nothing")
	require.NoError(t, err)
	require.False(t, removed)

	known := w.publish(t, "chris", 1)[0]
	for _, want := range []bool{true, false} {
		removed, err = chris.Remove(t.Context(), known.ID)
		require.NoError(t, err)
		require.Equal(t, want, removed)
	}
	_, err = chris.Get(t.Context(), known.ID)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	_, err = chris.Update(t.Context(), known)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	require.Empty(t, all(t, chris.List, 10))
}

func TestAForeignIDIsUniqueInItsOutbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	chris := w.Outbox("chris")
	a := activity("chris", 10)
	a.ForeignID = "picture:10"
	first, err := chris.Publish(t.Context(), a)
	require.NoError(t, err)

	b := activity("chris", 11)
	b.ForeignID = "picture:10"
	got, err := chris.Publish(t.Context(), b)
	require.NoError(t, err)
	require.Equal(t, first, got)
	require.Len(t, all(t, chris.List, 10), 1)
	_, err = w.Outbox("ann").Publish(t.Context(), b)
	require.NoError(t, err, "in another outbox it is free")

	edit := first
	edit.ForeignID = "picture:11"
	_, err = chris.Update(t.Context(), edit)
	require.ErrorIs(t, err, plaza.ErrConflict)

	removed, err := chris.RemoveForeign(t.Context(), "picture:10")
	require.NoError(t, err)
	require.True(t, removed)
	require.Empty(t, all(t, w.Home("jack").List, 10))
	removed, err = chris.RemoveForeign(t.Context(), "picture:10")
	require.NoError(t, err)
	require.False(t, removed)

	second, err := chris.Publish(t.Context(), b)
	require.NoError(t, err, "once removed, it is free again")
	require.NotEqual(t, first.ID, second.ID)
	require.Equal(t, newestFirst([]feed.Activity{second}), all(t, w.Home("jack").List, 10))
	_, err = chris.Publish(t.Context(), first)
	require.ErrorIs(t, err, plaza.ErrRemoved)
}

func TestTwoActorsInOneMillisecondAreTwoActivities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a, err := w.Outbox("shared").Publish(t.Context(), activity("chris", 1))
	require.NoError(t, err)
	b := activity("ann", 1)
	b.Time = a.Time
	b, err = w.Outbox("shared").Publish(t.Context(), b)
	require.NoError(t, err)
	require.NotEqual(t, a.ID, b.ID)
	require.Equal(t, newestFirst([]feed.Activity{a, b}), all(t, w.Outbox("shared").List, 10))
}
