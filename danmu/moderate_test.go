package danmu_test

import (
	"context"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestRecallWithinTwoMinutes(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(5, map[string]struct {
		after time.Duration
		err   error
	}{
		"at once":       {0, nil},
		"at 1:59":       {2*time.Minute - time.Second, nil},
		"at 2:00":       {2 * time.Minute, nil},
		"just too late": {2*time.Minute + time.Millisecond, danmu.ErrTooLate},
		"at 2:01":       {2*time.Minute + time.Second, danmu.ErrTooLate},
	}, "at 2:00", "just too late") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			c1, c2 := s.say(t, "anna", "stays"), s.say(t, "jack", "oops")
			s.pass(c.after)
			recalled, err := s.Recall(t.Context(), of(c2, "jack"))
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.err == nil, recalled)
			want := []danmu.Comment{c1, c2}
			if c.err == nil {
				want = want[:1]
			}
			s.shows(t, "film", want, "anna", "jack")
			require.Equal(t, texts(want), texts(s.exported(t, "film")))
		})
	}
}

func TestOnlyTheSenderRecalls(t *testing.T) {
	t.Parallel()
	s, c := newComment(t)
	for _, age := range []time.Duration{0, time.Hour} {
		s.pass(age)
		fails(t, plaza.ErrForbidden)(s.Recall(t.Context(), of(c, "anna")))
	}
	s.shows(t, "film", []danmu.Comment{c}, "jack")

	oops := s.say(t, "jack", "oops")
	does(t, true)(s.Recall(t.Context(), of(oops, "jack")))
	for _, user := range []string{"jack", "anna"} {
		s.pass(time.Hour)
		does(t, false, "whoever asks, at any age")(s.Recall(t.Context(), of(oops, user)))
	}
	does(t, false)(s.Remove(t.Context(), moderated(oops)))
}

func TestRemoveIsPermanent(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	bad := danmu.Comment{Object: "film", User: "jack", Text: "bad", Key: "once", Progress: time.Second}
	sent := s.send(t, bad)
	other := s.say(t, "jack", "good")
	s.pass(time.Hour)
	for _, want := range []bool{true, false} {
		does(t, want)(s.Remove(t.Context(), danmu.Moderation{Object: "film", ID: sent.ID}))
		s.shows(t, "film", []danmu.Comment{other}, "jack")
		require.Equal(t, []string{"good"}, texts(s.exported(t, "film")))
		_, err := s.Get(t.Context(), "film", sent.ID)
		require.ErrorIs(t, err, plaza.ErrNotFound)
	}
	_, _, err := s.Send(t.Context(), bad)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	does(t, false)(s.Recall(t.Context(), of(sent, "jack")))

	var item dynamo.Item
	require.NoError(t, s.raw(t).Get("pk", "D#film#0#0").Range("sk", dynamo.Equal, sent.ID.String()).One(t.Context(), &item))
	for _, name := range []string{"text", "userId", "sent", "key"} {
		require.NotContains(t, item, name, "nothing of it is kept")
	}
}

// Some processes have only the old shards cached.
func TestActionsFindCommentsAfterShardsGrew(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	old := s.process(t)
	var want []danmu.Comment
	each := faults.Size(4, 2)
	for i, text := range many(3 * each) {
		if i%each == 0 {
			s.configure(t, "film", danmu.Settings{Shards: 1 << (i / each * faults.Size(2, 1))})
			s.pass(2 * time.Minute) // every process knows the new shards
		}
		want = append(want, s.say(t, "jack", text))
		if i == each-1 {
			_, err := old.Window(t.Context(), "film", 0, time.Minute, nil)
			require.NoError(t, err)
		}
	}
	for i, c := range want {
		p := []stage{s, old}[i%2]
		does(t, true)(p.Like(t.Context(), of(c, "anna")))
		does(t, true)(p.Protect(t.Context(), moderated(c)))
		does(t, true)(p.Unlike(t.Context(), of(c, "anna")))
		found, ok := s.get(t, c)
		require.True(t, ok)
		require.Zero(t, found.Likes)
		require.True(t, found.Protected)
		does(t, true)(p.Remove(t.Context(), moderated(c)))
	}
	s.shows(t, "film", nil, "jack")
}

// A process has the shards from before EraseObject cached.
func TestActionsFindCommentsAfterEraseObject(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say(t, "jack", "before")
	old := s.process(t)
	old.shows(t, "film", s.exported(t, "film"))
	require.NoError(t, s.EraseObject(t.Context(), "film"))
	s.configure(t, "film", danmu.Settings{Shards: 32})
	for range 8 {
		c := s.say(t, "jack", "haha")
		does(t, true)(old.Like(t.Context(), of(c, "anna")))
	}
}

func TestActionsOnUnknownComments(t *testing.T) {
	t.Parallel()
	s, c := newComment(t)
	elsewhere := of(c, "jack")
	elsewhere.Object = "other"
	other := s.send(t, danmu.Comment{Object: "other", User: "jack", Text: "there", Progress: 20 * time.Second})
	nowhere := danmu.Action{Object: "film", ID: other.ID, User: "jack"}
	for name, call := range s.actions() {
		for _, a := range []danmu.Action{elsewhere, nowhere} {
			changed, err := call(t.Context(), a)
			require.False(t, changed, name)
			if name == "Unlike" {
				require.NoError(t, err, name)
				continue
			}
			require.ErrorIs(t, err, plaza.ErrNotFound, name)
		}
	}
	s.shows(t, "film", []danmu.Comment{c}, "nobody")
	require.Len(t, s.items(t, ""), 2+2, "two comments and their objects")
}

// Ops order the calls that have one. A repeat of the last gets the same answer. The
// sender's clock may be ahead of them.
func TestAnOpNamesAProtectAndItsUnprotect(t *testing.T) {
	t.Parallel()
	const protect, unprotect = true, false
	for _, ahead := range []time.Duration{0, 5 * time.Second} {
		s := newStage(t)
		s.pass(ahead)
		m := moderated(s.say(t, "jack", "haha"))
		s.pass(-ahead)
		ops := []ids.ID{0, s.next(t), s.next(t), s.next(t), s.next(t), ids.At(s.Now().Add(9 * time.Second))}
		for i, step := range []struct {
			protect, changed bool
			op               int // 0: minted
			err              error
		}{
			{unprotect, false, 2, nil}, {unprotect, false, 2, nil}, // before its Protect
			{protect, false, 1, plaza.ErrRemoved}, {protect, false, 2, plaza.ErrRemoved},
			{protect, true, 3, nil}, {protect, true, 3, nil}, {unprotect, false, 2, nil},
			{unprotect, true, 3, nil}, {unprotect, true, 3, nil}, {protect, false, 3, plaza.ErrRemoved},
			{protect, true, 4, nil},
			{protect, false, 0, nil}, {protect, true, 4, nil}, // which another has confirmed
			{unprotect, false, 4, nil},
			{unprotect, true, 0, nil}, {protect, false, 4, plaza.ErrRemoved},
			{protect, true, 5, nil}, {unprotect, true, 5, nil}, {protect, false, 5, plaza.ErrRemoved},
			{protect, true, 0, nil}, {unprotect, false, 5, nil}, {unprotect, true, 0, nil},
		} {
			m.Op = ops[step.op]
			call := s.Unprotect
			if step.protect {
				call = s.Protect
			}
			changed, err := call(t.Context(), m)
			require.ErrorIs(t, err, step.err, i)
			require.Equal(t, step.changed, changed, i)
		}
	}
}

// The sender's clock is ahead, so the first request is refused. The second is late.
func TestALateRequestAfterARefusalChangesNothing(t *testing.T) {
	t.Parallel()
	type call = func(context.Context, danmu.Action) (bool, error)
	send := func(s stage) danmu.Comment {
		s.pass(5 * time.Second)
		defer s.pass(-5 * time.Second)
		return s.send(t, danmu.Comment{Object: "film", User: "jack", Text: "haha", Key: "1"})
	}
	again := func(s stage, _ danmu.Action) {
		require.NoError(t, s.EraseObject(t.Context(), "film"))
		send(s)
	}
	for name, c := range map[string]struct {
		call  func(stage) call
		since func(stage, danmu.Action)
	}{
		"recall, sent again":  {func(s stage) call { return s.Recall }, again},
		"protect, sent again": {func(s stage) call { return moderating(s.Protect) }, again},
		"protect, taken back": {func(s stage) call { return moderating(s.Protect) }, func(s stage, a danmu.Action) {
			for _, call := range []call{moderating(s.Protect), moderating(s.Unprotect)} {
				_, err := call(t.Context(), a)
				require.NoError(t, err)
			}
		}},
	} {
		s, writes := newStage(t), 0
		held := &faults.Late{Holds: func(op string, _ []byte) bool {
			if op == "UpdateItem" || op == "TransactWriteItems" {
				writes++
			}
			return writes > 1
		}}
		slow := s.process(t, held.Wrap)
		a := of(send(s), "jack")
		_, err := c.call(slow)(t.Context(), a)
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome, name)
		c.since(s, a)
		require.Zero(t, held.Arrive(t), name)
		does(t, true, name)(c.call(s)(t.Context(), a))
	}
}

func TestAnImportedCommentIsProtectedOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.imports(t, "film", danmu.Comment{Text: "haha", Key: "1"})
	for _, want := range []bool{true, false} {
		does(t, want)(s.Protect(t.Context(), moderated(s.exported(t, "film")[0])))
	}
}
