package danmu_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func newCosts(t *testing.T) (callstest.Metered, callstest.Costs) {
	t.Helper()
	m := callstest.NewMetered(t, "..", "danmu")
	return m, m.Stated
}

func sum(all ...dynamotest.Cost) (total dynamotest.Cost) {
	for _, c := range all {
		total = total.Plus(c)
	}
	return total
}

// sixteen is an id of 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

func TestSendsAndReadsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m, stated := newCosts(t)
	w := newWorld(t, &danmu.Options{}, m.Wrap)
	strong, idle := w.process(t, nil, m.Wrap), w.process(t, &danmu.Options{}, m.Wrap)
	newProcess := func() world { return w.process(t, &danmu.Options{}, m.Wrap) }
	grown, fresh := sixteen("grown"), sixteen("fresh")
	small := func(object string) danmu.Comment {
		return danmu.Comment{Object: object, User: sixteen("ann"), Text: strings.Repeat("x", 100), Progress: time.Second}
	}
	w.send(t, small(grown))
	w.configure(t, grown, danmu.Settings{Shards: 4})
	w.configure(t, "cut", danmu.Settings{Segment: time.Hour})
	w.pass(time.Hour)
	crowd := make([]danmu.Comment, 200) // of at most 400 bytes
	for i := range crowd {
		crowd[i] = small(grown)
		crowd[i].Text = fmt.Sprintf("%-100d", i)
	}
	w.imports(t, grown, crowd...)
	keyed := small(grown)
	keyed.Key = "1"
	keyed = w.send(t, keyed)
	one := w.send(t, small(fresh))
	idle.send(t, small(fresh))

	sends := func(w world, c danmu.Comment) func() error {
		return func() error { _, _, err := w.Send(t.Context(), c); return err }
	}
	later, newKey := small(fresh), keyed
	later.Progress = time.Hour
	newKey.ID, newKey.Key = danmu.ID{}, "2"
	page := func(w world, object string, req cursor.PageRequest, n int) func() error {
		return func() error {
			got, err := w.ByObject(t.Context(), object, 0, req)
			require.Len(t, got.Items, n)
			return err
		}
	}
	second, err := w.ByObject(t.Context(), grown, 0, cursor.PageRequest{})
	require.NoError(t, err)
	window := func(w world, opts *danmu.WindowOptions) func() error {
		return func() error { _, err := w.Window(t.Context(), fresh, 0, 10*time.Minute, opts); return err }
	}
	mine := func(w world, n int) func() error {
		return func() error {
			got, err := w.ByUser(t.Context(), sixteen("ann"), cursor.PageRequest{})
			require.Len(t, got.Items, n)
			return err
		}
	}
	get := func(w world, c danmu.Comment) func() error {
		return func() error { _, err := w.Get(t.Context(), c.Object, c.ID); return err }
	}
	configures := func() error {
		_, err := w.Configure(t.Context(), "v", danmu.Settings{Owner: "o", Duration: time.Hour, Shards: 2})
		return err
	}
	lagging := faults.New(t, 1, faults.Rates{})
	lagging.Script(func(op string, _ []byte, n int) faults.Fault {
		if op == "BatchGetItem" && n < 3 {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	pageOf25 := sum(stated.Of("Repository.ByUser", "a page", "each 4 KB of the index"), stated.Of("Repository.ByUser", "each 4 KB of the index"))
	four := stated.Times(4, "Repository.ByObject", "a shard of a segment")
	shards := stated.Times(12, "Repository.ByObject", "each 4 KB of a shard") // each has 25 comments and more
	firsts := stated.Of("Repository.Send", "a segment's first, or a process's first to an object")
	refreshed := stated.Of("Repository.Send", "after Options.Refresh")
	two := stated.Times(2, "Repository.Window", "a segment and shard")
	for _, c := range []struct {
		name string
		want dynamotest.Cost
		call func() error
	}{
		{"configure", dynamotest.Cost{Requests: 2, Read: 1, Write: 1}, configures},
		{"configure, unchanged", dynamotest.Cost{Requests: 1, Read: 1}, configures},
		{"settings", stated.Of("Repository.Settings"), func() error { _, err := w.Settings(t.Context(), "v"); return err }},

		{"send", stated.Of("Repository.Send", "a comment"), sends(w, small(fresh))},
		{"send, a segment's first", firsts, sends(w, later)},
		{"send, its second", stated.Of("Repository.Send", "a comment"), sends(w, later)},
		{"send, a process's first", firsts, sends(newProcess(), small(fresh))},
		{"send, an object's first", stated.Of("Repository.Send", "an object's first, or with Settings.Segment, where this process does not know the object"), sends(newProcess(), small("new"))},
		{"send, with a Segment", stated.Of("Repository.Send", "an object's first, or with Settings.Segment, where this process does not know the object"), sends(newProcess(), small("cut"))},
		{"send, repeated", stated.Of("Repository.Send", "a repeat"), sends(w, one)},
		{"send with a key, grown", stated.Of("Repository.Send", "a comment", "with a Key or an ID, where the shards grew", "with a Key or an ID, each other place"), sends(w, newKey)},
		{"the same, repeated", stated.Of("Repository.Send", "a repeat", "with a Key or an ID, where the shards grew", "with a Key or an ID, each other place"), sends(w, newKey)},

		{"from, over two segments", sum(stated.Of("Repository.ByObject", "the object"), stated.Times(2, "Repository.ByObject", "a shard of a segment"), stated.Times(2, "Repository.ByObject", "each 4 KB of a shard")), page(w, fresh, cursor.PageRequest{}, 6)},
		{"from, over four shards", sum(stated.Of("Repository.ByObject", "the object"), four, shards), page(w, grown, cursor.PageRequest{}, 25)},
		{"from, its next", sum(stated.Of("Repository.ByObject", "the object"), four, shards), page(w, grown, cursor.PageRequest{Cursor: second.Next}, 25)},
		{"from, consistent", sum(stated.Of("Repository.ByObject", "with Options.Consistent, the object"), four, stated.Times(12, "Repository.ByObject", "with Options.Consistent, each 4 KB of a shard")), page(strong, grown, cursor.PageRequest{}, 25)},
		{"window over two segments", sum(two, stated.Times(2, "Repository.Window", "each 4 KB of it")), window(w, nil)},
		{"window, consistent", sum(two, stated.Times(2, "Repository.Window", "consistent, each 4 KB of it"), stated.Of("Repository.Window", "consistent, the object")), window(strong, consistent)},
		{"window of a new process", sum(two, stated.Times(2, "Repository.Window", "each 4 KB of it"), stated.Of("Repository.Window", "an object that was not read within Options.Refresh")), window(newProcess(), nil)},
		{"window of nothing", stated.Of("Repository.Window", "an object that was not read within Options.Refresh"), func() error {
			_, err := w.Window(t.Context(), "nothing", 0, time.Minute, nil)
			return err
		}},
		{"my 25", sum(pageOf25, stated.Times(26, "Repository.ByUser", "each comment")), mine(w, 25)},
		{"my 25, consistent", sum(pageOf25, stated.Times(26, "Repository.ByUser", "with Options.Consistent, each comment")), mine(strong, 25)},
		{"my 25, of which the read misses all", sum(pageOf25, stated.Times(26, "Repository.ByUser", "each comment"), stated.Times(26, "Repository.ByUser", "a comment that an eventually consistent read misses")), mine(w.process(t, &danmu.Options{}, m.Wrap, lagging.Wrap), 25)},
		{"get", stated.Of("Repository.Get", "a comment"), get(w, one)},
		{"get, consistent", stated.Of("Repository.Get", "with Options.Consistent"), get(strong, one)},
		{"get, grown", stated.Of("Repository.Get", "a comment", "each other place, where the shards grew"), get(w, keyed)},
		{"get by a new process", stated.Of("Repository.Get", "a comment", "an object that was not read within Options.Refresh"), get(newProcess(), one)},
		{"send after Refresh", sum(stated.Of("Repository.Send", "a comment"), refreshed), func() error { w.pass(time.Hour); return sends(idle, small(fresh))() }},
	} {
		m.AtMost(c.name, c.want, func(context.Context) error { return c.call() })
	}
}

func TestActionsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m, stated := newCosts(t)
	s := newStage(t, m.Wrap)
	old := s.say(t, "anna", "in another place")
	s.configure(t, "film", danmu.Settings{Shards: 32})
	s.pass(time.Hour)
	mine, theirs := s.say(t, "jack", "mine"), s.say(t, "anna", "theirs")
	fresh := func() stage { return s.process(t, m.Wrap) }
	ahead := s
	ahead.source = &source{clock: &clock{now: s.Now().Add(30 * time.Second)}}
	ahead = ahead.process(t)
	for _, act := range []func(context.Context, danmu.Action) (bool, error){ahead.Like, ahead.Unlike} {
		_, err := act(t.Context(), of(theirs, "zoe"))
		require.NoError(t, err)
	}
	unknown := danmu.Comment{Object: "film", ID: old.ID}
	unknown.ID, _ = danmu.ParseID("0000000000000000001C")
	for _, step := range []struct {
		name string
		call func(context.Context, danmu.Action) (bool, error)
		on   danmu.Comment
		by   string
		want dynamotest.Cost
		fail error
	}{
		{"like", s.Like, theirs, "jack", stated.Of("Repository.Like", "a like"), nil},
		{"unlike", s.Unlike, theirs, "jack", stated.Of("Repository.Like", "a like"), nil},
		{"report", s.Report, theirs, "jack", stated.Of("Repository.Like", "a like"), nil},
		{"like by a new process", fresh().Like, theirs, "ann", stated.Of("Repository.Like", "a like", "an object that was not read within Options.Refresh"), nil},
		{"like after an Unlike", s.Like, theirs, "zoe", stated.Of("Repository.Like", "a like", "after an Unlike by a clock that is ahead"), nil},
		{"like elsewhere", s.Like, old, "zoe", stated.Of("Repository.Like", "a like", "each other place, where the shards grew since"), nil},
		{"like of nothing", s.Like, unknown, "zoe", stated.Of("Repository.Like", "a like", "each other place, where the shards grew since", "no such comment"), plaza.ErrNotFound},
		{"protect", moderating(s.Protect), theirs, "", stated.Of("Repository.Protect", "a change"), nil},
		{"protect again", not(moderating(s.Protect)), theirs, "", stated.Of("Repository.Protect", "nothing to change"), nil},
		{"unprotect", moderating(s.Unprotect), theirs, "", stated.Of("Repository.Protect", "a change"), nil},
		{"protect by a new process", moderating(fresh().Protect), theirs, "", stated.Of("Repository.Protect", "a change", "an object that was not read within Options.Refresh"), nil},
		{"protect elsewhere", moderating(s.Protect), old, "", stated.Of("Repository.Protect", "a change", "each other place, where the shards grew since"), nil},
		{"protect of nothing", moderating(s.Protect), unknown, "", stated.Of("Repository.Protect", "a change", "each other place, where the shards grew since", "no such comment"), plaza.ErrNotFound},
		{"recall", s.Recall, mine, "jack", stated.Of("Repository.Recall", "a comment", "each other place, where the shards grew since"), nil},
		{"recall again", not(s.Recall), mine, "jack", stated.Of("Repository.Recall", "recalled already", "each other place, where the shards grew since"), nil},
		{"remove", moderating(fresh().Remove), theirs, "", stated.Of("Repository.Recall", "a comment", "each other place, where the shards grew since", "an object that was not read within Options.Refresh"), nil},
		{"remove elsewhere", moderating(s.Remove), old, "", stated.Of("Repository.Recall", "a comment", "each other place, where the shards grew since"), nil},
		{"recall of nothing", s.Recall, unknown, "jack", stated.Of("Repository.Recall", "a comment", "each other place, where the shards grew since", "no such comment"), plaza.ErrNotFound},
	} {
		m.AtMost(step.name, step.want, func(ctx context.Context) error {
			changed, err := step.call(ctx, of(step.on, step.by))
			require.ErrorIs(t, err, step.fail, step.name)
			require.Equal(t, step.fail == nil, changed, step.name)
			return nil
		})
	}
	m.AtMost("reacted", dynamotest.Cost{Requests: 1, Read: 1}, func(ctx context.Context) error {
		_, err := s.Reactions(ctx, "jack", "film", 0, time.Minute)
		return err
	})
}

// not turns an action that must change nothing into one that must.
func not(do func(context.Context, danmu.Action) (bool, error)) func(context.Context, danmu.Action) (bool, error) {
	return func(ctx context.Context, a danmu.Action) (bool, error) {
		changed, err := do(ctx, a)
		return !changed, err
	}
}

func TestImportsAndErasesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m, c := newCosts(t)
	s, g := newStage(t, m.Wrap), newStage(t, m.Wrap)
	gathering(t, g)
	comments, long := file(1000), danmu.Comment{User: "ann", Text: strings.Repeat("x", 2900)}
	const segments, units = 3, 40 // 1000 comments of at most 150 bytes, and a part of 4 KB of each segment
	const own, reactions = 2, 6 + 3 + 1
	object := c.Of("Repository.Import", "the object", "each 1,000 comments that reach into new segments")
	heat := sum(c.Of("Repository.Heatmap", "the object"), c.Times(segments, "Repository.Heatmap", "a segment and shard"))
	strong := sum(heat, c.Times(units, "Repository.Heatmap", "with Options.Consistent, each 4 KB of it"))
	erased := func(segments float64) dynamotest.Cost {
		return sum(c.Of("Repository.EraseObject", "the object"), c.Times(segments, "Repository.EraseObject", "each 1,000 comments of a segment and shard"))
	}
	imports := func(object string, comments ...danmu.Comment) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := s.Import(ctx, object, sequence(comments...), nil)
			return err
		}
	}
	heatmap := func(w world) func(context.Context) error {
		return func(ctx context.Context) error { _, err := w.Heatmap(ctx, "film", 100); return err }
	}
	erases := func(s stage, object string) func(context.Context) error {
		return func(ctx context.Context) error { return s.EraseObject(ctx, object) }
	}
	for _, step := range []struct {
		name string
		want dynamotest.Cost
		call func(context.Context) error
	}{
		{"first import", sum(object, c.Times(40, "Repository.Import", "each 25 comments"), c.Times(1000, "Repository.Import", "a comment without a User")), imports("film", comments...)},
		{"import of 3 KB", sum(object, c.Of("Repository.Import", "each 25 comments", "a comment of 1 KB"), c.Times(2, "Repository.Import", "each further KB of a comment")), imports("long", long)},
		{"second import", sum(c.Of("Repository.Import", "the object"), c.Times(segments, "Repository.Import", "a segment and shard that has comments"), c.Times(units, "Repository.Import", "each 4 KB of it")), imports("film", comments...)},
		{"export", strong, func(context.Context) error { require.Len(t, s.exported(t, "film"), 1000); return nil }},
		{"heatmap, consistent", strong, heatmap(s.world)},
		{"heatmap", sum(heat, c.Times(units, "Repository.Heatmap", "each 4 KB of it")), heatmap(s.world.process(t, &danmu.Options{}, m.Wrap))},
		{"erase", sum(c.Times(own, "Repository.Erase", "a comment"), c.Times(reactions, "Repository.Erase", "a like or report"),
			c.Of("Repository.Erase", "each MB of the user's comments in the index", "each 4 KB of the index", "each 1,000 likes and reports", "each 4 KB of likes and reports")), func(ctx context.Context) error { return g.Erase(ctx, "jack") }},
		{"erase an object", sum(erased(2), c.Times(2, "Repository.EraseObject", "each 4 KB of a segment and shard"),
			c.Times(2, "Repository.EraseObject", "each 25 comments"), c.Times(4, "Repository.EraseObject", "a comment of 1 KB")), erases(g, "other")},
		{"erase 3 KB", sum(erased(1), c.Of("Repository.EraseObject", "each 4 KB of a segment and shard", "each 25 comments", "a comment of 1 KB"),
			c.Times(2, "Repository.EraseObject", "each further KB of a comment")), erases(s, "long")},
		{"erase a film", sum(erased(segments), c.Times(units, "Repository.EraseObject", "each 4 KB of a segment and shard"),
			c.Times(42, "Repository.EraseObject", "each 25 comments"), c.Times(1000, "Repository.EraseObject", "a comment without a User")), erases(s, "film")},
	} {
		m.AtMost(step.name, step.want, step.call)
	}
}

// episode yields the comments of a real episode of 24 minutes or, without the file,
// made-up ones of the same size.
func episode(t testing.TB) iter.Seq2[danmu.Comment, error] {
	t.Helper()
	const name = "bilibili-24min-10000.xml"
	if _, err := os.Stat(filepath.Join("..", "..", "shared", "data", "danmu", name+".gz")); err == nil {
		return realFile(t, name, format.Bilibili)
	}
	t.Log("no ../shared/data/danmu beside the checkout: a made-up episode")
	return func(yield func(danmu.Comment, error) bool) {
		for i := range 10_000 {
			c := danmu.Comment{
				Key: fmt.Sprint(1897738414 + i), Progress: time.Duration(i*7919%10_000*144) * time.Millisecond,
				Sent: noon, Text: "哈哈哈哈哈哈", Color: danmu.RGB(0xFFFFFF),
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// newEpisode stores n of the 10,000 comments of an episode in v, over four shards.
func newEpisode(t testing.TB, n int) world {
	t.Helper()
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Shards: 4})
	part := func(yield func(danmu.Comment, error) bool) {
		left, every := n, 10_000/n
		i := 0
		for c, err := range episode(t) {
			if i++; i%every == 0 && left > 0 {
				if left--; !yield(c, err) {
					return
				}
			}
		}
	}
	result, err := w.Import(t.Context(), "v", part, nil)
	require.NoError(t, err)
	require.Equal(t, n, result.Written)
	return w
}

func TestTheCostOfAnEpisode(t *testing.T) {
	t.Parallel()
	m, c := newCosts(t)
	n := faults.Size(10_000, 500)
	w := newEpisode(t, n).process(t, &danmu.Options{}, m.Wrap)
	// Each request rounds up: a quarter of the episode costs a little more than a quarter.
	want := sum(c.Of("Repository.Window", "an object that was not read within Options.Refresh"),
		c.Times(16, "Repository.Window", "a segment and shard"), c.Times(float64(faults.Size(248, 42)), "Repository.Window", "each 4 KB of it"))
	m.AtMost("an episode", want, func(ctx context.Context) error {
		shown := 0
		for segment := range 4 {
			window, err := w.Segment(ctx, "v", segment, nil)
			require.NoError(t, err)
			shown += len(window.Comments)
		}
		require.Equal(t, n, shown)
		return nil
	})
}
