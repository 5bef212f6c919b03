package comment_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
)

// randomCalls makes random calls on a world and on its model.
type randomCalls struct {
	world
	*model
	t    *testing.T
	pick func(n int) int // returns a number below n

	busy func() // if set, calls fail with plaza.ErrBusy alone, and it passes the time until the next
}

// step makes one call.
func (k *randomCalls) step() {
	if len(k.expected) == 0 {
		k.says(comment.Comment{})
		return
	}
	s := k.expected[k.pick(len(k.expected))]
	switch k.pick(18) {
	case 0, 1:
		k.says(comment.Comment{})
	case 2, 3, 4, 5:
		reply := comment.Comment{Object: s.Object, Root: s.Root, Parent: s.ID}
		if s.Root == 0 {
			reply.Root = s.ID
		}
		k.says(reply)
	case 6:
		if s.Root == 0 {
			k.says(comment.Comment{Object: s.Object, Parent: s.ID})
		}
	case 7:
		k.says(comment.Comment{Object: s.Object, Quote: &comment.Quote{Address: s.Address()}})
	case 8:
		k.repeats(s)
	case 9, 10:
		k.edits(s)
	case 11, 12:
		k.deletes(s)
	case 13:
		k.removes(s)
	case 14:
		k.hides(s)
	case 15:
		k.unhides(s)
	case 16:
		k.pins(s)
	case 17:
		if k.pick(3) == 0 {
			k.erases(k.users[k.pick(len(k.users))])
		}
	}
}

// expect repeats a call until its answer is final and compares the error.
func (k *randomCalls) expect(want error, call func() error) int {
	calls, err := settled(func() error {
		err := call()
		if k.busy != nil && faults.Passing(err) {
			require.ErrorIs(k.t, err, plaza.ErrBusy)
			k.busy()
		}
		return err
	})
	if want == nil {
		require.NoError(k.t, err)
	} else {
		require.ErrorIs(k.t, err, want)
	}
	return calls
}

// changes is expect for a call that reports whether it changed something. Only
// the answer to a first attempt is compared.
func (k *randomCalls) changes(want bool, err error, call func() (bool, error)) {
	var got bool
	calls := k.expect(err, func() (err error) { got, err = call(); return err })
	if got || calls == 1 {
		require.Equal(k.t, want, got)
	}
}

func (k *randomCalls) says(c comment.Comment) {
	if c.Object == "" {
		c.Object = k.objects[k.pick(len(k.objects))]
	}
	c.User = k.users[k.pick(len(k.users))]
	c.Text = []string{"Beautiful bird!", "美しい鳥ですね！", "<script>"}[k.pick(3)]
	if k.pick(4) == 0 {
		c.Mentions, c.Data = []string{"ann", "bob"}, []byte(`{"n": 1}`)
	}
	if k.pick(2) == 0 {
		c.Key = fmt.Sprint(c.Object, len(k.expected))
	}
	var err error
	c.ID, err = k.gen.Next(k.t.Context())
	require.NoError(k.t, err)
	want := error(nil)
	leans := []*expected{}
	if c.Root != 0 {
		leans = append(leans, k.find(c.Object, c.Root))
	}
	if c.Parent != 0 {
		leans = append(leans, k.find(c.Object, c.Parent))
	}
	if c.Quote != nil {
		leans = append(leans, k.find(c.Object, c.Quote.ID))
	}
	for _, s := range leans {
		if want == nil {
			want = k.closed(s)
		}
	}
	var got comment.Comment
	k.changes(want == nil, want, func() (created bool, err error) {
		got, created, err = k.Add(k.t.Context(), c)
		return created, err
	})
	require.Equal(k.t, c.ID, got.ID)
	if want == nil {
		k.added(c)
		k.answered(k.find(c.Object, c.ID), c.Key, got)
	}
}

// closed is the error of replying to s, or nil.
func (m *model) closed(s *expected) error {
	switch {
	case s.ID == 0, s.Hidden, m.under(s):
		return plaza.ErrNotFound
	case s.Removed != nil:
		return plaza.ErrRemoved
	}
	return nil
}

// answered compares the result of an Add or Edit.
func (k *randomCalls) answered(s *expected, key string, got comment.Comment) {
	want := k.shown(s)
	want.Key = key
	if want.Quote != nil {
		want.Quote = &comment.Quote{Address: want.Quote.Address}
	}
	got.Hidden = want.Hidden // an edit does not read the root
	require.Equal(k.t, want, got)
}

// repeats adds a comment a second time.
func (k *randomCalls) repeats(s *expected) {
	if s.erased {
		return // it is not stored anymore
	}
	again, want := s.given, error(nil)
	if s.Removed != nil {
		want = plaza.ErrRemoved
	}
	if again.Key != "" && k.pick(2) == 0 {
		again.ID = 0
	}
	var got comment.Comment
	k.changes(false, want, func() (created bool, err error) {
		got, created, err = k.Add(k.t.Context(), again)
		return created, err
	})
	if want == nil {
		k.answered(s, again.Key, got)
	}
	again.Text += "?"
	k.expect(plaza.ErrConflict, func() error { _, _, err := k.Add(k.t.Context(), again); return err })
}

func (k *randomCalls) edits(s *expected) {
	edit := s.Comment
	edit.User = k.users[k.pick(len(k.users))]
	edit.Text = []string{"Beautiful bird!", "edited"}[k.pick(2)]
	if k.pick(2) == 0 {
		edit.Mentions, edit.Data = nil, []byte(`[]`)
	}
	want := error(nil)
	switch {
	case s.Removed != nil, s.gone:
		want = plaza.ErrRemoved
	case s.User != edit.User:
		want = plaza.ErrForbidden
	}
	changes := want == nil && (edit.Text != s.Text || !slices.Equal(edit.Mentions, s.Mentions) || string(edit.Data) != string(s.Data))
	var got comment.Comment
	k.changes(changes, want, func() (changed bool, err error) {
		got, changed, err = k.Edit(k.t.Context(), edit)
		return changed, err
	})
	if want != nil {
		return
	}
	if changes {
		s.Text, s.Mentions, s.Data, s.EditedAt = edit.Text, edit.Mentions, edit.Data, today
	}
	k.answered(s, "", got)
}

func (k *randomCalls) deletes(s *expected) {
	a := comment.Action{Address: s.Address(), User: k.users[k.pick(len(k.users))]}
	want := error(nil)
	if !s.gone && !s.erased && s.User != a.User {
		want = plaza.ErrForbidden
	}
	changes := want == nil && s.Removed == nil
	k.changes(changes, want, func() (bool, error) { return k.Delete(k.t.Context(), a) })
	if changes {
		k.remove(s, comment.Removal{}, false)
	}
}

func (k *randomCalls) removes(s *expected) {
	why := comment.Removal{By: "moderator", Reason: "spam", At: time.Unix(1, 0)} // which is ignored
	k.changes(s.Removed == nil, nil, func() (bool, error) { return k.Remove(k.t.Context(), s.Address(), why) })
	k.remove(s, why, false)
}

func (k *randomCalls) setHidden(s *expected, hidden bool, call func(context.Context, comment.Address) (bool, error)) {
	want := error(nil)
	if s.gone {
		want = plaza.ErrNotFound
	}
	changes := want == nil && s.Hidden != hidden
	k.changes(changes, want, func() (bool, error) { return call(k.t.Context(), s.Address()) })
	if changes {
		s.Hidden = hidden
	}
}

func (k *randomCalls) hides(s *expected)   { k.setHidden(s, true, k.Hide) }
func (k *randomCalls) unhides(s *expected) { k.setHidden(s, false, k.Unhide) }

func (k *randomCalls) pins(s *expected) {
	if pinned := k.pinned[s.Object]; s.Root != 0 || k.pick(3) == 0 {
		at := comment.Address{Object: s.Object, ID: cmp.Or(pinned, s.ID)}
		k.changes(pinned != 0, nil, func() (bool, error) { return k.Unpin(k.t.Context(), at) })
		delete(k.pinned, s.Object)
		return
	}
	want := k.closed(s)
	k.changes(want == nil && k.pinned[s.Object] != s.ID, want, func() (bool, error) { return k.Pin(k.t.Context(), s.Address()) })
	if want == nil {
		k.pinned[s.Object] = s.ID
	}
}

func (k *randomCalls) erases(user string) {
	k.expect(nil, func() error { return k.Erase(k.t.Context(), user) })
	for _, s := range slices.Backward(k.those(func(s *expected) bool { return s.User == user })) {
		k.remove(s, comment.Removal{}, true) // Erase begins with the newest
	}
}

// harshness are fault rates that each write must survive, chosen by seed.
var harshness = []faults.Rates{
	faults.Standard,
	{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Conflict: 0.15, Stale: 0.30, Unprocessed: 0.10},
	{LostBefore: 0.10, LostAfter: 0.30, Throttled: 0.10, Twice: 0.10, Delayed: 0.05, Stale: 0.25},
}

func TestNothingIsLostOrDoubledUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, harshness[seed%3])
			random := rand.New(rand.NewPCG(seed, 1))
			opts := &comment.Options{ExcerptRunes: 5} // eventually consistent where correctness allows it
			calls := &randomCalls{world: newWorld(t, opts, in.Wrap), model: newModel(0), t: t, pick: random.IntN}
			for range faults.Size(60, 40) {
				calls.step()
			}
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))
			in.Off()
			lagging := faults.New(t, seed, faults.Rates{Stale: 1})
			calls.process(t, &comment.Options{Consistent: true, ExcerptRunes: 5}, lagging.Wrap).holds(t, calls.model)
		})
	}
}

// The stream, which delivers late and twice, has the same comments.
func TestNothingIsLostOrDoubledWhereKeysAreHot(t *testing.T) {
	t.Parallel()
	buckets, records := &faults.Buckets{PerSecond: 1000}, faults.NewRecords(1)
	opts := &comment.Options{Consistent: true, ExcerptRunes: 5}
	w := world{table: dynamotest.Table(t, streamtest.Streamed(comment.Table))}
	changes := streamtest.WatchTwice(t, w.table, comment.Changes, records)
	calls := &randomCalls{world: w.process(t, opts, buckets.Wrap), model: newModel(0), t: t, pick: rand.New(rand.NewPCG(1, 1)).IntN}
	calls.busy = func() { // by others: an Edit may write twice, for which there must be room at once
		for range 20 {
			_, err := calls.Counts(t.Context(), "another")
			require.NoError(t, err)
		}
	}
	type text struct {
		string
		hidden bool
	}
	living := map[comment.Address]text{}
	for steps := 0; buckets.Throttled() < 50 || records.Twice() < 20; steps++ {
		require.Less(t, steps, 500, "%d throttled, %d twice", buckets.Throttled(), records.Twice())
		calls.step()
		if steps%20 > 0 {
			continue
		}
		for _, c := range changes.Next(t) {
			switch {
			case c.Kind == comment.Pinned, c.Kind == comment.Unpinned:
			case c.Kind == comment.Erased, c.Comment.Removed != nil: // a tombstone is hidden, too
				delete(living, c.Comment.Address())
			default:
				living[c.Comment.Address()] = text{c.Comment.Text, c.Comment.Hidden}
			}
		}
		want := map[comment.Address]text{}
		for _, s := range calls.those(func(s *expected) bool { return s.Removed == nil }) {
			want[s.Address()] = text{s.Text, s.Hidden}
		}
		require.Equal(t, want, living)
	}
	w.process(t, opts).holds(t, calls.model)
}
