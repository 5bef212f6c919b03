package danmu_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
)

// stage is a world in which three reports hide.
type stage struct{ world }

const hideAt = 3

func stageOptions(wrap []wrapper) *danmu.Options {
	return &danmu.Options{HideAt: hideAt, Consistent: len(wrap) > 0}
}

func newStage(t testing.TB, wrap ...wrapper) stage {
	t.Helper()
	return stage{newWorld(t, stageOptions(wrap), wrap...)}
}

// newComment returns a stage with jack's comment on the film.
func newComment(t testing.TB) (stage, danmu.Comment) {
	t.Helper()
	s := newStage(t)
	return s, s.say(t, "jack", "haha")
}

// process returns a stage of another process on the same table.
func (s stage) process(t testing.TB, wrap ...wrapper) stage {
	t.Helper()
	return stage{s.world.process(t, stageOptions(wrap), wrap...)}
}

// say sends to the film at 20 s.
func (s stage) say(t tester, user, text string) danmu.Comment {
	t.Helper()
	return s.send(t, danmu.Comment{Object: "film", User: user, Text: text, Progress: 20 * time.Second})
}

func of(c danmu.Comment, user string) danmu.Action {
	return danmu.Action{Object: c.Object, ID: c.ID, User: user}
}

func moderated(c danmu.Comment) danmu.Moderation {
	return danmu.Moderation{Object: c.Object, ID: c.ID}
}

func moderation(a danmu.Action) danmu.Moderation {
	return danmu.Moderation{Object: a.Object, ID: a.ID, Op: a.Op}
}

// shows fails unless every read of the object and of the users returns exactly these
// comments, in playing order.
func (s stage) shows(t tester, object string, want []danmu.Comment, users ...string) {
	t.Helper()
	w, err := s.Window(t.Context(), object, 0, 12*time.Minute, nil)
	require.NoError(t, err)
	require.Equal(t, texts(want), texts(w.Comments), "window")
	require.Zero(t, w.Dropped)
	segment, err := s.Segment(t.Context(), object, 0, nil)
	require.NoError(t, err)
	first := slices.DeleteFunc(slices.Clone(want), func(c danmu.Comment) bool { return c.Progress >= 6*time.Minute })
	require.Equal(t, texts(first), texts(segment.Comments), "segment")
	require.Equal(t, texts(want), texts(s.from(t, object)), "from")
	for _, user := range users {
		mine := slices.DeleteFunc(slices.Clone(want), func(c danmu.Comment) bool { return c.User != user })
		slices.SortFunc(mine, func(a, b danmu.Comment) int { return b.Sent.Compare(a.Sent) })
		require.Equal(t, texts(mine), texts(s.by(t, user)), "by %s", user)
	}
	heat, err := s.Heatmap(t.Context(), object, 1)
	require.NoError(t, err)
	require.Equal(t, []int64{int64(len(want))}, heat, "heatmap")
}

func texts(comments []danmu.Comment) []string {
	all := make([]string, len(comments))
	for i, c := range comments {
		all[i] = c.Text
	}
	return all
}

func (s stage) from(t tester, object string) []danmu.Comment {
	t.Helper()
	return all(t, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
		return s.ByObject(ctx, object, 0, req)
	}, 7)
}

func (s stage) by(t tester, user string) []danmu.Comment {
	t.Helper()
	return all(t, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
		return s.ByUser(ctx, user, req)
	}, 7)
}

// exported returns everything that Export yields.
func (s stage) exported(t tester, object string) []danmu.Comment {
	t.Helper()
	got := []danmu.Comment{}
	for c, err := range s.Export(t.Context(), object) {
		require.NoError(t, err)
		got = append(got, c)
	}
	return got
}

// get reads hidden comments too.
func (s stage) get(t tester, c danmu.Comment) (found danmu.Comment, ok bool) {
	t.Helper()
	w, err := s.Window(t.Context(), c.Object, c.Progress, c.Progress+time.Millisecond, &danmu.WindowOptions{Consistent: true, WithHidden: true})
	require.NoError(t, err)
	for _, found := range w.Comments {
		if found.ID == c.ID {
			return found, true
		}
	}
	return danmu.Comment{}, false
}

// actions returns every action on a comment.
func (s stage) actions() map[string]func(context.Context, danmu.Action) (bool, error) {
	return map[string]func(context.Context, danmu.Action) (bool, error){
		"Recall": s.Recall, "Like": s.Like, "Unlike": s.Unlike, "Report": s.Report,
		"Remove": moderating(s.Remove), "Protect": moderating(s.Protect), "Unprotect": moderating(s.Unprotect),
	}
}

func moderating(do func(context.Context, danmu.Moderation) (bool, error)) func(context.Context, danmu.Action) (bool, error) {
	return func(ctx context.Context, a danmu.Action) (bool, error) { return do(ctx, moderation(a)) }
}
