package live_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	rooms "github.com/plaza-sdk/plaza/live"
)

const room = "video"

// table is a store in memory, where no time passes: those tests that are about
// what a repository does have a real one.
type table struct {
	mu       sync.Mutex
	comments []danmu.Comment
	err      error // of the next call
	windows  []danmu.WindowOptions
	slow     time.Duration // of a Window
}

var _ live.Store = (*table)(nil)

func (s *table) find(id danmu.ID) int {
	return slices.IndexFunc(s.comments, func(c danmu.Comment) bool { return c.ID == id })
}

func (s *table) fails() error {
	err := s.err
	s.err = nil
	return err
}

func (s *table) Send(_ context.Context, c danmu.Comment) (danmu.Comment, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails(); err != nil {
		return danmu.Comment{}, false, err
	}
	if i := s.find(c.ID); i >= 0 {
		return s.comments[i], false, nil
	}
	c.Sent = time.Now().UTC().Truncate(time.Millisecond)
	s.comments = append(s.comments, c)
	return c, true, nil
}

func (s *table) Window(ctx context.Context, _ string, from, to time.Duration, opts *danmu.WindowOptions) (danmu.Window, error) {
	s.mu.Lock()
	s.windows = append(s.windows, *opts)
	var w danmu.Window
	for _, c := range s.comments {
		if c.Progress >= from && c.Progress < to {
			w.Comments = append(w.Comments, c)
		}
	}
	err := s.fails()
	s.mu.Unlock()
	if s.slow > 0 {
		select {
		case <-time.After(s.slow):
		case <-ctx.Done():
			return danmu.Window{}, ctx.Err()
		}
	}
	return w, err
}

// asked is how windows were asked for.
func (s *table) asked() []danmu.WindowOptions {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.windows)
}

func (s *table) Recall(_ context.Context, a danmu.Action) (bool, error)     { return s.remove(a.ID) }
func (s *table) Remove(_ context.Context, m danmu.Moderation) (bool, error) { return s.remove(m.ID) }
func (s *table) Like(_ context.Context, a danmu.Action) (bool, error)       { return s.like(a, 1) }
func (s *table) Unlike(_ context.Context, a danmu.Action) (bool, error)     { return s.like(a, -1) }

func (s *table) remove(id danmu.ID) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(id)
	if i >= 0 {
		s.comments = slices.Delete(s.comments, i, i+1)
	}
	return i >= 0, s.fails()
}

func (s *table) like(a danmu.Action, by int64) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(a.ID)
	if i >= 0 {
		s.comments[i].Likes += by
	}
	return i >= 0, s.fails()
}

// id gives the nth comment's of a second.
func id(second, n int) danmu.ID {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	ms, unique := uint64(second)*1000, uint64(n)<<28 // where an id tells it apart
	text := make([]byte, 19)
	for i := range text { // 95 bits: 32 of ms, 63 of unique
		var v uint64
		for bit := 94 - 5*i; bit > 89-5*i; bit-- {
			v <<= 1
			if bit >= 63 {
				v |= ms >> (bit - 63) & 1
			} else {
				v |= unique >> bit & 1
			}
		}
		text[i] = digits[v]
	}
	for _, h := range digits {
		if id, err := danmu.ParseID(string(text) + string(h)); err == nil {
			return id
		}
	}
	panic("no such id")
}

// comment is the nth of a second.
func comment(second, n int) danmu.Comment {
	return danmu.Comment{
		Object: room, ID: id(second, n), User: "ann", Text: fmt.Sprint(n), Progress: time.Duration(second) * time.Second,
	}
}

// told is the event of such a comment.
func told(c danmu.Comment) live.Event { return live.Event{Kind: live.Sent, ID: c.ID, Comment: &c} }

func newHub(t testing.TB, store live.Store, opts *live.Options) *live.Hub {
	t.Helper()
	hub, err := live.New(store, opts)
	require.NoError(t, err)
	t.Cleanup(hub.Close)
	return hub
}

func join(t testing.TB, hub *live.Hub, after live.Pos) *live.Viewer {
	t.Helper()
	v, err := hub.Join(t.Context(), room, after)
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

func next(t testing.TB, v *live.Viewer) live.Batch {
	t.Helper()
	batch, err := v.Next(t.Context())
	require.NoError(t, err)
	return batch
}

// quiet fails if there is a batch. It is for a bubble.
func quiet(t *testing.T, v *live.Viewer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	batch, err := v.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, "%v", batch.Events)
}

// texts tells of the sent comments, and of what else happened.
func texts(events []live.Event) []string {
	var texts []string
	for _, e := range events {
		if e.Comment != nil {
			texts = append(texts, e.Comment.Text)
		} else {
			texts = append(texts, string(e.Kind))
		}
	}
	return texts
}

func publish(t testing.TB, hub *live.Hub, events ...live.Event) {
	t.Helper()
	for _, e := range events {
		require.NoError(t, hub.Publish(t.Context(), room, e))
	}
}

// bubble runs a test in time of its own. It fails if a goroutine outlives it.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// wire is a backplane that a test speaks through.
type wire struct {
	mu      sync.Mutex
	from    live.Pos
	end     live.Pos // when not empty, the log's own
	err     error
	early   []rooms.Entry // delivered at once
	hold    chan struct{} // when not nil, Subscribe waits for it
	deaf    bool          // to ctx
	deliver func([]rooms.Entry)
	opened  int
	stopped int
}

var errDown = errors.New("down")

func (w *wire) Publish(context.Context, string, []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *wire) Subscribe(ctx context.Context, _ string, _ live.Pos, deliver func([]rooms.Entry)) (rooms.Subscription, error) {
	if w.early != nil {
		deliver(w.early)
	}
	if w.hold != nil {
		select {
		case <-w.hold:
		case <-ctx.Done():
			if !w.deaf {
				return rooms.Subscription{}, ctx.Err()
			}
			<-w.hold
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return rooms.Subscription{}, w.err
	}
	w.deliver = deliver
	w.opened++
	return rooms.Subscription{From: w.from, End: cmp.Or(w.end, w.from), Stop: func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.stopped++
	}}, nil
}

// entry is what a backplane hands on when e was published.
func entry(t testing.TB, pos string, e live.Event) rooms.Entry {
	t.Helper()
	payload, err := json.Marshal(e)
	require.NoError(t, err)
	return rooms.Entry{Pos: live.Pos(pos), Payload: payload}
}

// like tells how many likes there are.
func like(n int) live.Event {
	return live.Event{Kind: live.Liked, ID: id(1, 1), Likes: int64(n)}
}

func likes(events []live.Event) []int {
	var likes []int
	for _, e := range events {
		likes = append(likes, int(e.Likes))
	}
	return likes
}
