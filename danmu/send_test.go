package danmu_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestSendReturnsTheStoredComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := danmu.Comment{
		Object: "a video", User: "ann", Progress: 14*time.Second + 2*time.Millisecond + 999,
		Text: "<script>alert('草')</script> 👍", Mode: danmu.Top, Color: danmu.RGB(0), Size: 36,
		Pool: 1, Weight: -3, Extra: json.RawMessage(`{"a":1}`),
		Sent: noon.Add(-time.Hour), Likes: 7, Reports: 9, Protected: true, Repeats: 3, // ignored
	}
	sent, created, err := w.Send(t.Context(), c)
	require.NoError(t, err)
	require.True(t, created)
	want := c
	want.ID, want.Progress, want.Sent = sent.ID, 14002*time.Millisecond, noon
	want.Likes, want.Reports, want.Protected, want.Repeats = 0, 0, false, 0
	require.Equal(t, want, sent)
	require.Equal(t, want.Progress, sent.ID.Progress())

	got, err := w.Get(t.Context(), "a video", sent.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	window, err := w.Window(t.Context(), "a video", 0, time.Minute, nil)
	require.NoError(t, err)
	require.Equal(t, danmu.Window{Comments: []danmu.Comment{want}}, window)
	page, err := w.ByObject(t.Context(), "a video", 0, cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, []danmu.Comment{want}, page.Items)
	page, err = w.ByUser(t.Context(), "ann", cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, []danmu.Comment{want}, page.Items)
}

func TestARepeatedSendIsOneComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: time.Second}
	keyed := c
	keyed.Key = "1"
	for name, first := range map[string]danmu.Comment{"by its ID": c, "by its Key": keyed} {
		t.Run(name, func(t *testing.T) {
			first = w.send(t, first)
			w.process(t, nil).repeats(t, first, first)

			for _, other := range []func(*danmu.Comment){
				func(c *danmu.Comment) { c.Text = "hehe" },
				func(c *danmu.Comment) { c.Mode = danmu.Top },
				func(c *danmu.Comment) { c.Color = danmu.RGB(0) },
				func(c *danmu.Comment) { c.Size = 18 },
				func(c *danmu.Comment) { c.Pool = 1 },
				func(c *danmu.Comment) { c.Weight = 1 },
				func(c *danmu.Comment) { c.Extra = json.RawMessage(`{}`) },
			} {
				changed := first
				other(&changed)
				_, _, err := w.Send(t.Context(), changed)
				require.ErrorIs(t, err, plaza.ErrConflict)
			}
			got, err := w.Get(t.Context(), "v", first.ID)
			require.NoError(t, err)
			first.Key = ""
			require.Equal(t, first, got)
		})
	}
	taken := idsOf(w.window(t, 0, 2, nil))
	require.Len(t, taken, 2)

	_, _, err := w.Send(t.Context(), danmu.Comment{Object: "v", User: "bob", Text: "haha", Progress: time.Second, ID: taken[0]})
	require.ErrorIs(t, err, plaza.ErrConflict, "another user's")
}

// All send at the same position in the same millisecond.
func TestManySendAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Shards: 4})
	senders, each := 20, faults.Size(50, 4)
	var group sync.WaitGroup
	for i := range senders {
		group.Go(func() {
			for range each {
				_, _, err := w.Send(t.Context(), danmu.Comment{Object: "v", User: fmt.Sprint("user ", i), Text: "!", Progress: time.Second})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	window := w.window(t, 1, 1.001, consistent)
	require.Len(t, window, senders*each)
	require.Equal(t, idsOf(window), idsOf(w.window(t, 0, 2, nil)), "the same order every time")
	require.Equal(t, window, all(t, w.from(0), 100))
	shards := map[string]int{}
	for _, i := range w.items(t, "D#v#") {
		shards[i.PK]++
	}
	require.Len(t, shards, 4)
	for pk, n := range shards {
		require.InDelta(t, senders*each/4, n, 80, pk)
	}
}

func TestARetryAfterTheShardsGrewFindsTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var sent []danmu.Comment
	each := faults.Size(20, 2)
	for i := range each {
		sent = append(sent, w.send(t, danmu.Comment{Key: fmt.Sprint(i), Progress: time.Second}), w.at(t, 2))
	}
	for _, shards := range []int{2, 4, faults.Size(32, 8)} {
		w.configure(t, "v", danmu.Settings{Shards: shards})
		w.pass(2 * time.Minute)
		for _, c := range sent {
			w.process(t, nil).repeats(t, c, c)
			other := c
			other.Text = "hehe"
			_, _, err := w.Send(t.Context(), other)
			require.ErrorIs(t, err, plaza.ErrConflict)
		}
		require.Len(t, w.items(t, "D#v#"), len(sent))
		for i := range each { // keys in the new shards too
			sent = append(sent, w.send(t, danmu.Comment{Key: fmt.Sprint(shards, " ", i), Progress: time.Second}))
		}
	}
	require.Len(t, w.window(t, 0, 3, consistent), len(sent))
	require.Len(t, all(t, w.from(0), 7), len(sent))
	for _, c := range sent {
		got, err := w.Get(t.Context(), "v", c.ID)
		c.Key = ""
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
}

// The puts of a process that uses the old shards arrive just after another process has
// looked for them there.
func TestTwoCopiesAreOneComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.at(t, 1)
	w.configure(t, "v", danmu.Settings{Shards: faults.Size(32, 8)})
	w.pass(time.Hour)
	n := faults.Size(40, 12)
	for i := range n {
		c := danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: 2 * time.Second, Key: fmt.Sprint(i)}
		w.send(t, c)
	}
	for _, i := range w.items(t, "D#v#") {
		if i.PK != "D#v#0#0" {
			i.PK = "D#v#0#0"
			i.Sent++
			require.NoError(t, w.raw(t).Put(i).Run(t.Context()))
		}
	}
	require.Greater(t, len(w.items(t, "D#v#")), n+1+n/2)
	window := w.window(t, 2, 3, consistent)
	require.Len(t, window, n)
	page := all(t, w.from(0), 7)
	require.Len(t, page, n+1)
	require.Equal(t, window, page[1:])
	for _, c := range window {
		got, err := w.Get(t.Context(), "v", c.ID)
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
}

// A list has made a stale read before.
func TestSendDoesNotRelyOnStaleReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := faults.New(t, 1, faults.Rates{})
	sender := w.process(t, &danmu.Options{}, in.Wrap)
	sender.at(t, 1)
	_, err := sender.ByObject(t.Context(), "v", 0, cursor.PageRequest{})
	require.NoError(t, err)
	w.configure(t, "v", danmu.Settings{Shards: faults.Size(32, 8)})
	w.pass(time.Hour)
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "GetItem" && !strings.Contains(string(body), `"ConsistentRead":true`) {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	n := faults.Size(10, 5)
	for i := range n {
		sent := w.send(t, danmu.Comment{Key: fmt.Sprint(i)})
		_, err := sender.ByObject(t.Context(), "v", 0, cursor.PageRequest{})
		require.NoError(t, err)
		sender.repeats(t, sent, sent)
	}
	require.NotZero(t, in.Count(faults.Stale))
	require.Len(t, w.items(t, "D#v#"), n+1)
}

// Two processes send the comment at the moment when new shards come into use.
func TestARecalledCommentLeavesNoCopy(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil)
	slow, fast := w.process(t, nil, in.Wrap), w.process(t, nil)
	c := danmu.Comment{Object: "v", User: "ann", Text: "hello", Key: "k"}
	slow.at(t, 1)
	w.configure(t, "v", danmu.Settings{Shards: 32})
	w.pass(time.Minute - time.Millisecond)
	slow.at(t, 1)
	met := false
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "PutItem" && !met {
			met = true
			w.pass(time.Millisecond)
			_, _, err := fast.Send(t.Context(), c)
			require.NoError(t, err)
		}
		return faults.Fault{}
	})
	sent, _, err := slow.Send(t.Context(), c)
	require.NoError(t, err)
	require.True(t, met)
	copies := func() (n int) {
		for _, i := range w.items(t, "D#v#") {
			if i.Text == "hello" {
				n++
			}
		}
		return n
	}
	require.Equal(t, 2, copies())
	does(t, true)(w.process(t, nil).Recall(t.Context(), danmu.Action{Object: "v", ID: sent.ID, User: "ann"}))
	require.Zero(t, copies())
}

// Several users send the same Key at the same Progress on the same object.
func TestEverySenderHasOwnKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	seen := map[danmu.ID]bool{}
	for _, c := range []danmu.Comment{
		{User: "ann", Key: "1"}, {User: "bob", Key: "1"}, {User: "ann", Key: "2"}, {User: "ann", Key: "1", Object: "w"},
		{User: "ann#1", Key: "2"}, {User: "ann", Key: "1#2"},
	} {
		c.Progress = time.Second
		id := w.send(t, c).ID
		require.False(t, seen[id], "%s, %s", c.User, c.Key)
		seen[id] = true
	}
}
