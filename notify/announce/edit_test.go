package announce_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

// edit edits and returns what is stored.
func (w world) edit(t testing.TB, a notify.Announcement, want bool) notify.Announcement {
	t.Helper()
	edited, changed, err := w.Edit(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, want, changed)
	return edited
}

func TestAnEditReachesReadersInThePlaceOfWhatTheySaw(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	given := w.message("Helo")
	given.From = today.Add(time.Hour)
	a := w.announce(t, given)
	w.forward(2 * time.Hour)
	require.Equal(t, []string{"Helo"}, w.live(t, "everyone"))

	b := a
	b.Title, b.Text, b.Refs, b.Data, b.Until = "Hello", "", nil, nil, today.Add(announce.MaxLife)
	b.From = today // ignored
	got := w.edit(t, b, true)
	b.From = a.From
	require.False(t, got.Edited.IsZero())
	edited := got
	edited.Edited = time.Time{}
	require.Equal(t, b, edited)
	require.Equal(t, got, w.edit(t, b, false), "a repeat")
	require.Equal(t, []notify.Announcement{got}, w.listed(t))
	w.forward(announce.CacheTTL)
	require.Equal(t, []string{"Hello"}, w.live(t, "everyone"))
	w.forward(48 * time.Hour)
	require.Equal(t, []string{"Hello"}, w.live(t, "everyone"), "its end was moved")

	given.ID = a.ID
	given.Until = today.Add(announce.MaxLife)
	require.Equal(t, got, w.repeat(t, given), "a repeat of Announce finds it as it is now")
	b.Until = w.Now().Add(time.Second)
	w.edit(t, b, true)
	w.forward(announce.CacheTTL)
	require.Empty(t, w.live(t, "everyone"))
}

func TestWhatCannotBeEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.announce(t, w.message("Hello"))
	err := func(change func(*notify.Announcement)) error {
		b := a
		b.Until = w.Now().Add(time.Hour)
		change(&b)
		_, changed, err := w.Edit(t.Context(), b)
		require.False(t, changed)
		return err
	}
	require.ErrorIs(t, err(func(b *notify.Announcement) { b.ID++ }), plaza.ErrNotFound)
	require.ErrorIs(t, err(func(b *notify.Announcement) { b.Audience = "nobody" }), plaza.ErrNotFound)
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err(func(b *notify.Announcement) { b.Until = a.From.Add(announce.MaxLife + 1e6) }), &invalid)
	require.Equal(t, "Until", invalid.Field)
	require.ErrorIs(t, err(func(b *notify.Announcement) { b.Until = a.From }), plaza.ErrInvalid, "before it shows")

	w.forward(24 * time.Hour)
	require.ErrorIs(t, err(func(*notify.Announcement) {}), plaza.ErrNotFound, "it is over")
	b := w.announce(t, w.message("Bye"))
	w.withdraw(t, b)
	a = b
	require.ErrorIs(t, err(func(b *notify.Announcement) { b.Title = "again" }), plaza.ErrRemoved)
}

func TestAnIDThatCameTooLateIsEditedWhereItIs(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	stated := callstest.ReadCosts(t, "../..", "notify/announce")
	w := newWorld(t, meter.Wrap)
	own := w.message("Hello")
	own.ID = 1 << 40
	moved := w.announce(t, own)
	own.Title = "Bye"
	meter.AtMost(t, "late", stated.Of("Repository.Edit", "an announcement", "an ID that came too late"), func() {
		require.Equal(t, moved.ID, w.edit(t, own, true).ID)
	})
	large := w.sized(3)
	large.ID = moved.ID
	large.Audience = moved.Audience
	meter.AtMost(t, "to 3 KB", stated.Of("Repository.Edit").Plus(stated.Times(2, "Repository.Edit", "each further KB")), func() { w.edit(t, large, true) })
}

// Announce moves what it has stored too late, as somebody has edited it meanwhile.
func TestAnEditSurvivesASlowAnnounce(t *testing.T) {
	t.Parallel()
	slow := &during{op: "PutItem"}
	w := newWorld(t, slow.wrap)
	other := w.process(t, nil)
	slow.f = func() {
		slow.f = nil
		b := other.listed(t)[0]
		b.Title = "Edited"
		other.edit(t, b, true)
		w.forward(lead)
	}
	a := w.announce(t, w.message("Hello"))
	require.Equal(t, "Edited", a.Title)
	require.Equal(t, []notify.Announcement{a}, other.listed(t))
	require.False(t, a.Edited.IsZero())
	a.Title = "Again"
	other.edit(t, a, true)
}

func TestUnderFaultsAnEditIsAppliedOnce(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(10) {
		in := faults.New(t, seed, faults.Standard)
		w := newWorld(t)
		faulty := w.process(t, nil, in.Wrap)
		a := w.announce(t, w.message("Hello"))
		for _, title := range []string{"one", "two", "three"} {
			a.Title = title
			changed := 0
			faults.Acknowledged(t, func() error {
				_, is, err := faulty.Edit(t.Context(), a)
				if is {
					changed++
				}
				return err
			})
			require.LessOrEqual(t, changed, 1)
			require.Equal(t, []string{title}, titles(w.listed(t)))
		}
	}
	for k := 1; k <= 2; k++ { // the caller gives up
		in := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, in.Wrap)
		a := w.process(t, nil).announce(t, w.message("Hello"))
		ctx, giveUp := context.WithCancel(t.Context())
		in.HangAt(k, giveUp)
		a.Title = "Edited"
		require.Error(t, errOf3(w.Edit(ctx, a)))
		giveUp()
		require.Equal(t, k, in.Requests(), "none after it")
		require.NoError(t, errOf3(w.process(t, nil).Edit(t.Context(), a)))
		require.Equal(t, []string{"Edited"}, titles(w.process(t, nil).listed(t)))
	}
}

// A Withdraw comes between the two requests of an Edit.
func TestAnEditSparesWhatWasWithdrawn(t *testing.T) {
	t.Parallel()
	slow := &during{op: "GetItem"}
	w := newWorld(t, slow.wrap)
	other := w.process(t, nil)
	a := w.announce(t, w.message("Hello"))
	slow.f = func() { slow.f = nil; other.withdraw(t, a) }
	a.Title = "Edited"
	require.ErrorIs(t, errOf3(w.Edit(t.Context(), a)), plaza.ErrRemoved)
	require.Equal(t, []string{"Hello"}, titles(other.listed(t)))
}
