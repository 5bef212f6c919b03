package danmu_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// late makes a call in another process, whose requests of an operation arrive later.
func (s stage) late(t testing.TB, op string, call func(context.Context, stage) error) (arrive func()) {
	t.Helper()
	held := &faults.Late{Holds: func(sent string, _ []byte) bool { return sent == op }}
	require.ErrorIs(t, call(t.Context(), s.process(t, held.Wrap)), plaza.ErrUnknownOutcome)
	return func() { held.Arrive(t) }
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
	type act func(stage, context.Context, danmu.Action) (bool, error)
	for name, deed := range map[string]struct{ do, undo act }{
		"like":   {stage.Like, stage.Unlike},
		"report": {stage.Report, func(s stage, ctx context.Context, a danmu.Action) (bool, error) { return true, s.Erase(ctx, a.User) }},
	} {
		for _, named := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " with an Op"}[named], func(t *testing.T) {
				t.Parallel()
				s, c := newComment(t)
				a := of(c, "anna")
				if named {
					a.Op = s.next(t)
				}
				arrive := s.late(t, "TransactWriteItems", func(ctx context.Context, s stage) error { return callstest.Failed(deed.do(s, ctx, a)) })
				does(t, true)(deed.do(s, t.Context(), a))
				done := s.counts(t, c)
				require.NotZero(t, done)
				does(t, true)(deed.undo(s, t.Context(), of(c, "anna")))
				require.Zero(t, s.counts(t, c))

				arrive()
				require.Zero(t, s.counts(t, c), "a late request")
				if named {
					fails(t, plaza.ErrRemoved, "a late repeat")(deed.do(s, t.Context(), a))
				}
				does(t, true)(deed.do(s, t.Context(), of(c, "anna")))
				require.Equal(t, done, s.counts(t, c), "one after it")
			})
		}
	}
}

func TestALateUnlikeKeepsLaterLikes(t *testing.T) {
	t.Parallel()
	s, c := newComment(t)
	a := of(c, "anna")
	does(t, true)(s.Like(t.Context(), a))
	arrive := s.late(t, "TransactWriteItems", func(ctx context.Context, s stage) error { return callstest.Failed(s.Unlike(ctx, a)) })
	for _, call := range []func(context.Context, danmu.Action) (bool, error){s.Unlike, s.Like} {
		does(t, true)(call(t.Context(), a))
	}
	arrive()
	require.Equal(t, [2]int64{1, 0}, s.counts(t, c))
}

func TestOpsFromTheFutureAreRefused(t *testing.T) {
	t.Parallel()
	s, c := newComment(t)
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
				return callstest.Failed(s.Recall(ctx, of(c, "jack")))
			},
			"removed": func(s stage, ctx context.Context, c danmu.Comment) error {
				return callstest.Failed(s.Remove(ctx, moderated(c)))
			},
			"erased": func(s stage, ctx context.Context, _ danmu.Comment) error { return s.Erase(ctx, "jack") },
		} {
			if grown && gone == "removed" && !faults.Full() {
				continue
			}
			t.Run(name+", "+gone, func(t *testing.T) {
				t.Parallel()
				s, first := newComment(t)
				c := danmu.Comment{Object: "film", User: "jack", Text: "again", Progress: time.Minute, Key: "2"} // its hash puts it into another shard
				arrive := s.late(t, "PutItem", func(ctx context.Context, s stage) error { return callstest.Failed(s.Send(ctx, c)) })
				if grown {
					s.configure(t, "film", danmu.Settings{Shards: faults.Size(32, 8)})
					s.pass(2 * time.Minute)
				}
				c = s.send(t, c)
				require.NoError(t, call(s, t.Context(), c))
				arrive()
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
	s, _ := newComment(t)
	c := danmu.Comment{Object: "film", User: "jack", Text: "again", Progress: time.Minute}
	arrive := s.late(t, "PutItem", func(ctx context.Context, s stage) error { return callstest.Failed(s.Send(ctx, c)) })
	require.NoError(t, s.EraseObject(t.Context(), "film"))
	arrive()
	require.Empty(t, s.exported(t, "film"))
	require.Empty(t, s.from(t, "film"))
	require.Len(t, s.items(t, "D#film"), 1)
	require.NoError(t, s.Erase(t.Context(), "jack"), "the index has it")
	require.Empty(t, s.by(t, "jack"))
}

// A request of before EraseObject arrives after a new comment.
func TestALateConfigureDoesNotReachALaterObject(t *testing.T) {
	t.Parallel()
	s, _ := newComment(t)
	arrive := s.late(t, "UpdateItem", func(ctx context.Context, s stage) error {
		return callstest.Failed(s.Configure(ctx, "film", danmu.Settings{Owner: "anna"}))
	})
	require.NoError(t, s.EraseObject(t.Context(), "film"))
	s.say(t, "jack", "again")
	arrive()
	got, err := s.Settings(t.Context(), "film")
	require.NoError(t, err)
	require.Empty(t, got.Owner)
}

// Segments that were added since stay.
func TestALateSegmentWriteLosesNoSegment(t *testing.T) {
	t.Parallel()
	s, _ := newComment(t)
	want := s.from(t, "film")
	at := func(minute int) danmu.Comment {
		return danmu.Comment{Object: "film", User: "jack", Text: "!", Progress: time.Duration(minute) * time.Minute}
	}
	arrive := s.late(t, "UpdateItem", func(ctx context.Context, s stage) error { return callstest.Failed(s.Send(ctx, at(10))) })
	for i := 2; i < 6; i++ {
		s.send(t, at(10*i))
	}
	arrive()
	other := s.process(t)
	require.Len(t, other.from(t, "film"), len(want)+4)
	page, err := other.ByObject(t.Context(), "film", 0, cursor.PageRequest{})
	require.NoError(t, err)
	require.Len(t, page.Items, len(want)+4)
}
