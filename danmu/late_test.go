package danmu_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// delayer holds the next request of an operation back until its caller has given up.
type delayer struct {
	faults.Late
	op atomic.Value // of strings; empty: it holds nothing
}

func newDelayer() *delayer {
	d := new(delayer)
	d.op.Store("")
	d.Holds = func(op string, _ []byte) bool { return op == d.op.Load() }
	return d
}

// hold makes the call, whose requests of the operation are held back.
func (d *delayer) hold(t testing.TB, op string, call func(context.Context) error) {
	t.Helper()
	d.op.Store(op)
	require.ErrorIs(t, call(t.Context()), plaza.ErrUnknownOutcome)
	d.op.Store("")
}

// release delivers them.
func (d *delayer) release(t testing.TB) { d.Arrive(t) }

// late returns a stage with such a network, and a comment sent there.
func late(t testing.TB) (stage, *delayer, danmu.Comment) {
	t.Helper()
	s, h := newStage(t), newDelayer()
	c := s.say(t, "jack", "haha")
	return s.process(t, h.Wrap), h, c
}

func (s stage) next(t testing.TB) ids.ID {
	t.Helper()
	id, err := s.Next(t.Context())
	require.NoError(t, err)
	return id
}

// counts returns the likes and reports of a comment.
func (s stage) counts(t testing.TB, c danmu.Comment) [2]int64 {
	t.Helper()
	found, ok := s.get(t, c)
	require.True(t, ok)
	return [2]int64{found.Likes, found.Reports}
}

// A late like or report has no effect after its repeat was taken back.
func TestALateLikeDoesNotComeBack(t *testing.T) {
	t.Parallel()
	for name, deed := range map[string]struct {
		do, undo func(stage) func(context.Context, danmu.Action) (bool, error)
	}{
		"like": {
			func(s stage) func(context.Context, danmu.Action) (bool, error) { return s.Like },
			func(s stage) func(context.Context, danmu.Action) (bool, error) { return s.Unlike }},
		"report": {
			func(s stage) func(context.Context, danmu.Action) (bool, error) { return s.Report },
			func(s stage) func(context.Context, danmu.Action) (bool, error) {
				return func(ctx context.Context, a danmu.Action) (bool, error) { return true, s.Erase(ctx, a.User) }
			}},
	} {
		for _, named := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " with an Op"}[named], func(t *testing.T) {
				t.Parallel()
				s, h, c := late(t)
				a := of(c, "anna")
				if named {
					a.Op = s.next(t)
				}
				do, undo := deed.do(s), deed.undo(s)
				h.hold(t, "TransactWriteItems", func(ctx context.Context) error { _, err := do(ctx, a); return err })
				does(t, true)(do(t.Context(), a))
				done := s.counts(t, c)
				require.NotZero(t, done)
				does(t, true)(undo(t.Context(), of(c, "anna")))
				require.Zero(t, s.counts(t, c))

				h.release(t)
				require.Zero(t, s.counts(t, c), "a late request")
				if named {
					fails(t, plaza.ErrRemoved, "a late repeat")(do(t.Context(), a))
				}
				does(t, true)(do(t.Context(), of(c, "anna")))
				require.Equal(t, done, s.counts(t, c), "one after it")
			})
		}
	}
}

func TestALateUnlikeKeepsLaterLikes(t *testing.T) {
	t.Parallel()
	s, h, c := late(t)
	a := of(c, "anna")
	does(t, true)(s.Like(t.Context(), a))
	h.hold(t, "TransactWriteItems", func(ctx context.Context) error { _, err := s.Unlike(ctx, a); return err })
	for _, call := range []func(context.Context, danmu.Action) (bool, error){s.Unlike, s.Like} {
		does(t, true)(call(t.Context(), a))
	}
	h.release(t)
	require.Equal(t, [2]int64{1, 0}, s.counts(t, c))
}

// An Unlike overtakes its Like.
func TestAnOpThatIsTakenBackFirstNeverBegins(t *testing.T) {
	t.Parallel()
	s, h, c := late(t)
	older, a, newer := of(c, "anna"), of(c, "anna"), of(c, "anna")
	older.Op, a.Op, newer.Op = s.next(t), s.next(t), s.next(t)
	h.hold(t, "TransactWriteItems", func(ctx context.Context) error { _, err := s.Like(ctx, a); return err })
	for range 2 {
		does(t, false)(s.Unlike(t.Context(), a))
	}
	h.release(t)
	require.Zero(t, s.counts(t, c))
	for _, gone := range []danmu.Action{older, a} {
		fails(t, plaza.ErrRemoved)(s.Like(t.Context(), gone))
	}

	for range 2 {
		does(t, true, "a repeat says so again")(s.Like(t.Context(), newer))
	}
	does(t, false, "it stands by another")(s.Like(t.Context(), of(c, "anna")))
	for _, gone := range []danmu.Action{older, a} {
		does(t, false, "a newer one stands")(s.Unlike(t.Context(), gone))
	}
	require.NotZero(t, s.counts(t, c))
	newest := of(c, "anna")
	newest.Op = s.next(t)
	for i := range 2 {
		does(t, i == 0, "what is older goes with it")(s.Unlike(t.Context(), newest))
	}
	require.Zero(t, s.counts(t, c))
	fails(t, plaza.ErrRemoved)(s.Like(t.Context(), newest))
}

// A process whose clock is ahead likes a comment. Others take the like back and like
// again.
func TestDifferentClocksLoseNoLike(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.say(t, "jack", "haha")
	ahead := of(c, "anna")
	ahead.Op = ids.At(s.Now().Add(9*time.Second)) + 5
	does(t, true)(s.Like(t.Context(), ahead))
	for _, call := range []func(context.Context, danmu.Action) (bool, error){s.Unlike, s.Like, s.Unlike} {
		does(t, true)(call(t.Context(), of(c, "anna")))
	}
	require.Zero(t, s.counts(t, c))
	fails(t, plaza.ErrRemoved)(s.Like(t.Context(), ahead))
}

// The Op was made before the Unlike, but it was not the one taken back.
func TestAnEarlierOpWorksAfterAnUnlike(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.say(t, "jack", "haha")
	first, second := of(c, "anna"), of(c, "anna")
	first.Op, second.Op = s.next(t), s.next(t)
	for _, step := range []struct {
		call func(context.Context, danmu.Action) (bool, error)
		a    danmu.Action
	}{{s.Like, first}, {s.Unlike, of(c, "anna")}, {s.Like, second}} {
		does(t, true)(step.call(t.Context(), step.a))
	}
	require.Equal(t, [2]int64{1, 0}, s.counts(t, c))
}

func TestOpsFromTheFutureAreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.say(t, "jack", "haha")
	for name, call := range s.actions() {
		for _, op := range []ids.ID{ids.At(s.Now().Add(time.Minute + time.Millisecond)), 1 << 63} {
			a := of(c, "anna")
			a.Op = op
			_, err := call(t.Context(), a)
			require.Equal(t, "Op", field(t, err), name)
		}
	}
	require.Zero(t, s.counts(t, c))
}

// The repeat of the send was recalled, removed or erased. The late request arrives in the
// same place, or in the place from before the shards grew.
func TestALateSendDoesNotComeBack(t *testing.T) {
	t.Parallel()
	for name, grown := range map[string]bool{"in one place": false, "in an older place": true} {
		for gone, call := range map[string]func(stage, context.Context, danmu.Comment) error{
			"recalled": func(s stage, ctx context.Context, c danmu.Comment) error {
				_, err := s.Recall(ctx, of(c, "jack"))
				return err
			},
			"removed": func(s stage, ctx context.Context, c danmu.Comment) error {
				_, err := s.Remove(ctx, moderated(c))
				return err
			},
			"erased": func(s stage, ctx context.Context, _ danmu.Comment) error { return s.Erase(ctx, "jack") },
		} {
			if grown && gone == "removed" && !faults.Full() {
				continue
			}
			t.Run(name+", "+gone, func(t *testing.T) {
				t.Parallel()
				s, h, first := late(t)
				c := danmu.Comment{Object: "film", User: "jack", Text: "again", Progress: time.Minute, Key: "2"} // its hash puts it into another shard
				h.hold(t, "PutItem", func(ctx context.Context) error { _, _, err := s.Send(ctx, c); return err })
				if grown {
					s.configure(t, "film", danmu.Settings{Shards: faults.Size(32, 8)})
					s.pass(2 * time.Minute)
				}
				c = s.send(t, c)
				require.NoError(t, call(s, t.Context(), c))
				h.release(t)
				if gone == "erased" {
					require.NoError(t, s.Erase(t.Context(), "jack"), "as its comment says")
					s.shows(t, "film", nil, "jack")
				} else {
					s.shows(t, "film", []danmu.Comment{first}, "jack")
					for _, i := range s.items(t, "D#film#") {
						require.NotEqual(t, c.Text, i.Text, "it was refused")
					}
				}
				_, _, err := s.Send(t.Context(), c)
				require.ErrorIs(t, err, plaza.ErrRemoved)
			})
		}
	}
}

// It would be read once somebody sends to its segment, which EraseObject forbids.
func TestALateSendToAnErasedObjectIsNotRead(t *testing.T) {
	t.Parallel()
	s, h, _ := late(t)
	c := danmu.Comment{Object: "film", User: "jack", Text: "again", Progress: time.Minute}
	h.hold(t, "PutItem", func(ctx context.Context) error { _, _, err := s.Send(ctx, c); return err })
	require.NoError(t, s.EraseObject(t.Context(), "film"))
	h.release(t)
	require.Empty(t, s.exported(t, "film"))
	require.Empty(t, s.from(t, "film"))
	require.Len(t, s.items(t, "D#film"), 1)
	require.NoError(t, s.Erase(t.Context(), "jack"), "the index has it")
	require.Empty(t, s.by(t, "jack"))
}

// A request of before EraseObject arrives after a new comment.
func TestALateConfigureDoesNotReachALaterObject(t *testing.T) {
	t.Parallel()
	s, h, _ := late(t)
	h.hold(t, "UpdateItem", func(ctx context.Context) error {
		_, err := s.Configure(ctx, "film", danmu.Settings{Owner: "anna"})
		return err
	})
	require.NoError(t, s.EraseObject(t.Context(), "film"))
	s.say(t, "jack", "again")
	h.release(t)
	got, err := s.Settings(t.Context(), "film")
	require.NoError(t, err)
	require.Empty(t, got.Owner)
}

// Segments that were added since stay.
func TestALateSegmentWriteLosesNoSegment(t *testing.T) {
	t.Parallel()
	s, h, _ := late(t)
	want := s.from(t, "film")
	send := func(ctx context.Context, minute int) error {
		_, _, err := s.Send(ctx, danmu.Comment{Object: "film", User: "jack", Text: "!", Progress: time.Duration(minute) * time.Minute})
		return err
	}
	h.hold(t, "UpdateItem", func(ctx context.Context) error { return send(ctx, 10) })
	for i := 2; i < 6; i++ {
		require.NoError(t, send(t.Context(), 10*i))
	}
	h.release(t)
	other := s.process(t)
	require.Len(t, other.from(t, "film"), len(want)+4)
	page, err := other.ByObject(t.Context(), "film", 0, cursor.PageRequest{})
	require.NoError(t, err)
	require.Len(t, page.Items, len(want)+4)
}
