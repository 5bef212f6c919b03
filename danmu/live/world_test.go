package live_test

import (
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

// table is a store in memory, for tests in a synctest bubble. Tests of a repository's
// behaviour use a real one.
type table struct {
	mu       sync.Mutex
	comments []danmu.Comment
	err      error // the next call returns it
	windows  []danmu.WindowOptions
	slow     time.Duration // how long a Window takes
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

// asked returns the options of all calls of Window.
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

// id returns the ID of the nth comment of a second.
func id(second, n int) danmu.ID {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	ms, unique := uint64(second)*1000, uint64(n)<<28 // in the bits that hold its number
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

// comment returns the nth comment of a second.
func comment(second, n int) danmu.Comment {
	return danmu.Comment{
		Object: room, ID: id(second, n), User: "ann", Text: fmt.Sprint(n), Progress: time.Duration(second) * time.Second,
	}
}

// sentEvent returns the event of a sent comment.
func sentEvent(c danmu.Comment) live.Event { return live.Event{Kind: live.Sent, ID: c.ID, Comment: &c} }

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

// send sends a comment by a hub, or only stores it.
func send(t testing.TB, by interface {
	Send(context.Context, danmu.Comment) (danmu.Comment, bool, error)
}, c danmu.Comment) danmu.Comment {
	t.Helper()
	sent, _, err := by.Send(t.Context(), c)
	require.NoError(t, err)
	return sent
}

// catchUp reads the first minute.
func catchUp(t testing.TB, v *live.Viewer) danmu.Window {
	t.Helper()
	w, err := v.CatchUp(t.Context(), 0, time.Minute, nil)
	require.NoError(t, err)
	return w
}

func next(t testing.TB, v *live.Viewer) live.Batch {
	t.Helper()
	batch, err := v.Next(t.Context())
	require.NoError(t, err)
	return batch
}

// quiet fails if there is a batch. It works in a bubble only.
func quiet(t *testing.T, v *live.Viewer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	batch, err := v.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, "%v", batch.Events)
}

// texts returns the texts of sent comments, and the kinds of other events.
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

// bubble runs a test with a fake clock. It fails if a goroutine outlives the test.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// wire is a backplane whose entries a test delivers. It publishes nothing.
type wire struct {
	from    rooms.Pos
	err     error // Publish returns it
	deliver func([]rooms.Entry)
}

var errDown = errors.New("down")

func (w *wire) Publish(context.Context, string, []byte) error { return w.err }

func (w *wire) Subscribe(_ context.Context, _ string, _ rooms.Pos, deliver func([]rooms.Entry)) (rooms.Subscription, error) {
	w.deliver = deliver
	return rooms.Subscription{From: w.from, End: w.from, Stop: func() {}}, nil
}

// entry returns the entry that a backplane delivers for a published event.
func entry(t testing.TB, pos string, e live.Event) rooms.Entry {
	t.Helper()
	payload, err := json.Marshal(e)
	require.NoError(t, err)
	return rooms.Entry{Pos: live.Pos(pos), Payload: payload}
}

// like returns the event that there are n likes.
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
