package feed_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestAnEditShowsInEveryHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	edit := w.publish(t, "chris", 1)[0]
	edit.Verb, edit.Object, edit.Target, edit.Data = "share", feed.Ref{}, feed.Ref{Kind: "album", ID: "7"}, nil
	edit.Time = edit.Time.Add(-1)
	_, _, err := w.Outbox("chris").Update(t.Context(), edit)
	require.NoError(t, err)
	page, err := w.Home("jack").List(t.Context(), cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, []feed.Activity{edit}, page.Items)
}

func TestUpdateReportsWhetherTheContentChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	chris := w.Outbox("chris")
	first, _, err := chris.Publish(t.Context(), addressed("chris", 1, "birds"))
	require.NoError(t, err)
	for name, edit := range map[string]func(*feed.Activity){
		"nothing":     func(*feed.Activity) {},
		"actor":       func(a *feed.Activity) { a.Actor.ID = "ann" },
		"verb":        func(a *feed.Activity) { a.Verb = "share" },
		"object":      func(a *feed.Activity) { a.Object.ID = "7" },
		"no object":   func(a *feed.Activity) { a.Object = feed.Ref{} },
		"target":      func(a *feed.Activity) { a.Target = feed.Ref{Kind: "album", ID: "7"} },
		"time":        func(a *feed.Activity) { a.Time = a.Time.Add(-1) },
		"time's zone": func(a *feed.Activity) { a.Time = a.Time.In(time.FixedZone("east", 3600)) },
		"data":        func(a *feed.Activity) { a.Data = []byte(`1`) },
		"no data":     func(a *feed.Activity) { a.Data = nil },
	} {
		want := name != "nothing" && name != "time's zone"
		edited := first
		edit(&edited)
		stands := edited
		stands.Time = stands.Time.UTC()
		for range 2 {
			got, changed, err := chris.Update(t.Context(), edited)
			require.NoError(t, err)
			require.Equal(t, want, changed, name)
			require.Equal(t, stands, got, name)
			got, err = chris.Get(t.Context(), first.ID)
			require.NoError(t, err)
			require.Equal(t, stands, got, name)
			want = false
		}
		_, _, err := chris.Update(t.Context(), first)
		require.NoError(t, err)
	}
}

// An edit arrives after a newer one. Its caller did or did not repeat it.
func TestALateUpdateDoesNotUndoANewerOne(t *testing.T) {
	t.Parallel()
	for _, repeated := range []bool{true, false} {
		w := newWorld(t, nil)
		chris := w.Outbox("chris")
		done, _, err := chris.Publish(t.Context(), activity("chris", 1))
		require.NoError(t, err)
		says := func(text string) feed.Activity {
			a := done
			a.Data = []byte(`"` + text + `"`)
			return a
		}
		late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" }}
		_, _, err = w.process(t, nil, late.Wrap).Outbox("chris").Update(t.Context(), says("old"))
		require.Error(t, err)
		if repeated {
			_, _, err = chris.Update(t.Context(), says("old"))
			require.NoError(t, err)
		}
		newest, _, err := chris.Update(t.Context(), says("new"))
		require.NoError(t, err)
		require.Zero(t, late.Arrive(t))
		got, err := chris.Get(t.Context(), done.ID)
		require.NoError(t, err)
		require.Equal(t, newest, got)
		require.JSONEq(t, `"new"`, string(got.Data))
	}
}

// The SDK repeats an update whose answer was lost, after others were applied.
func TestAnUpdateSentTwiceLeavesANewerOne(t *testing.T) {
	t.Parallel()
	const removal = "removal"
	w := newWorld(t, nil)
	chris := w.Outbox("chris")
	for _, meanwhile := range [][]string{{}, {`"b"`}, {`"b"`, `"c"`}, {`"b"`, `"c"`, `"a"`}, {removal}, {`"b"`, removal}} {
		done, _, err := chris.Publish(t.Context(), activity("chris", 1))
		require.NoError(t, err)
		update := func(outbox feed.Outbox, text string) (changed bool, err error) {
			a := done
			a.Data = []byte(text)
			_, changed, err = outbox.Update(t.Context(), a)
			return changed, err
		}
		in := faults.New(t, 1, faults.Rates{})
		sent := 0
		in.Script(func(op string, _ []byte, _ int) faults.Fault {
			if op != "UpdateItem" {
				return faults.Fault{}
			}
			if sent++; sent == 1 {
				return faults.Fault{Kind: faults.LostAfter}
			}
			for _, text := range meanwhile {
				if sent != 2 {
					break
				}
				write := func() (bool, error) { return update(chris, text) }
				if text == removal {
					write = func() (bool, error) { return chris.Remove(t.Context(), done.ID) }
				}
				changed, err := write()
				require.NoError(t, err)
				require.True(t, changed)
			}
			return faults.Fault{}
		})
		changed, err := update(w.process(t, nil, in.Wrap).Outbox("chris"), `"a"`)
		last := slices.Concat([]string{`"a"`}, meanwhile)[len(meanwhile)]
		if len(meanwhile) < 2 && last != removal {
			require.NoError(t, err, meanwhile)
			require.True(t, changed, meanwhile)
		} else {
			require.ErrorIs(t, err, plaza.ErrUnknownOutcome, meanwhile)
		}
		got, err := chris.Get(t.Context(), done.ID)
		if last == removal {
			require.ErrorIs(t, err, plaza.ErrNotFound, meanwhile)
			continue
		}
		require.NoError(t, err)
		require.JSONEq(t, last, string(got.Data), meanwhile)
	}
}

func TestUpdateSucceedsAfterAnEditByAFastClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	done, _, err := w.Outbox("chris").Publish(t.Context(), activity("chris", 1))
	require.NoError(t, err)
	other, err := feed.New(w.db, w.feedTable, fastClock{generator(t)}, w.follows, nil)
	require.NoError(t, err)
	for i, r := range []*feed.Repository{other, w.Repository, other, w.Repository, w.Repository} {
		done.Data = fmt.Appendf(nil, "%d", i)
		got, _, err := r.Outbox("chris").Update(t.Context(), done)
		require.NoError(t, err)
		require.Equal(t, done, got)
		got, err = w.Outbox("chris").Get(t.Context(), done.ID)
		require.NoError(t, err)
		require.Equal(t, done, got)
	}
}

// fastClock is a source whose clock is ten seconds ahead.
type fastClock struct{ ids.Source }

func (c fastClock) Next(ctx context.Context) (ids.ID, error) {
	id, err := c.Source.Next(ctx)
	return ids.At(id.Time().Add(10*time.Second)) | id&(1<<22-1), err
}

// Two calls move their edits behind the same one, which a fast clock made, to the same id.
func TestUpdatesAfterTheSameOneAreToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	done, _, err := w.Outbox("chris").Publish(t.Context(), activity("chris", 1))
	require.NoError(t, err)
	says := func(text string) feed.Activity {
		a := done
		a.Data = []byte(`"` + text + `"`)
		return a
	}
	ahead, err := feed.New(w.db, w.feedTable, fastClock{generator(t)}, w.follows, nil)
	require.NoError(t, err)
	_, _, err = ahead.Outbox("chris").Update(t.Context(), says("ahead"))
	require.NoError(t, err)

	alike := &alikeIDs{at: done.ID.Time()}
	between, err := feed.New(w.db, w.feedTable, alike, w.follows, nil)
	require.NoError(t, err)
	in, sent := faults.New(t, 1, faults.Rates{}), 0
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" {
			if sent++; sent == 2 { // its edit has its new id
				_, _, err := between.Outbox("chris").Update(t.Context(), says("between"))
				require.NoError(t, err)
			}
		}
		return faults.Fault{}
	})
	slow, err := feed.New(dynamotest.DB(t, in.Wrap), w.feedTable, alike, w.follows, nil)
	require.NoError(t, err)
	got, changed, err := slow.Outbox("chris").Update(t.Context(), says("last"))
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, 3, sent)
	require.JSONEq(t, `"last"`, string(got.Data))
	got, err = w.Outbox("chris").Get(t.Context(), done.ID)
	require.NoError(t, err)
	require.JSONEq(t, `"last"`, string(got.Data))
}

// alikeIDs is a source of ids that differ in their milliseconds alone.
type alikeIDs struct {
	ids.Source
	at time.Time
}

func (a *alikeIDs) Next(context.Context) (ids.ID, error) {
	a.at = a.at.Add(time.Millisecond)
	return ids.At(a.at) | 7, nil
}

func TestALateRepeatedPublishReturnsTheEditedActivity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first := w.publish(t, "chris", 1)[0]
	edit := first
	edit.Data = []byte(`{"message":"better"}`)
	edited, _, err := w.Outbox("chris").Update(t.Context(), edit)
	require.NoError(t, err)
	require.Equal(t, edit, edited)
	again, _, err := w.Outbox("chris").Publish(t.Context(), first)
	require.NoError(t, err)
	require.Equal(t, edit, again)
}
