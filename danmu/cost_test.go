package danmu_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// sixteen is an id of 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

// The costs of actions and imports are tested beside them.
func TestOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	const size = 400 // the largest comment of 100 runes
	meter := dynamotest.NewMeter()
	w := newWorld(t, &danmu.Options{}, meter.Wrap)
	strong := w.process(t, nil, meter.Wrap)
	grown, fresh := sixteen("grown"), sixteen("fresh")
	small := func(object string) danmu.Comment {
		return danmu.Comment{Object: object, User: sixteen("ann"), Text: strings.Repeat("x", 100), Progress: time.Second}
	}
	w.send(t, small(grown))
	w.configure(t, grown, danmu.Settings{Shards: 4})
	w.pass(time.Hour)
	crowd := make([]danmu.Comment, 200)
	for i := range crowd {
		crowd[i] = small(grown)
		crowd[i].Text = fmt.Sprintf("%-100d", i)
	}
	w.imports(t, grown, crowd...)
	keyed := small(grown)
	keyed.Key = "1"
	keyed = w.send(t, keyed)
	one := w.send(t, small(fresh))

	type cost = dynamotest.Cost
	units := func(items int) float64 { return 0.5 * math.Ceil(float64(items*size)/4096) }
	sends := func(w world, c danmu.Comment) func(context.Context) error {
		return func(ctx context.Context) error { _, _, err := w.Send(ctx, c); return err }
	}
	later := small(fresh)
	later.Progress = time.Hour
	newKey := keyed
	newKey.ID, newKey.Key = danmu.ID{}, "2"
	page := func(w world, object string, req cursor.PageRequest, n int) func(context.Context) error {
		return func(ctx context.Context) error {
			got, err := w.ByObject(ctx, object, 0, req)
			require.Len(t, got.Items, n)
			return err
		}
	}
	second, err := w.ByObject(t.Context(), grown, 0, cursor.PageRequest{})
	require.NoError(t, err)
	window := func(w world, opts *danmu.WindowOptions) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := w.Window(ctx, fresh, 0, 10*time.Minute, opts)
			return err
		}
	}
	for _, c := range []struct {
		name string
		want cost
		call func(context.Context) error
	}{
		{"configure", cost{Requests: 2, Read: 1, Write: 1}, func(ctx context.Context) error {
			_, err := w.Configure(ctx, "v", danmu.Settings{Owner: "o", Duration: time.Hour, Shards: 2})
			return err
		}},
		{"configure, unchanged", cost{Requests: 1, Read: 1}, func(ctx context.Context) error {
			_, err := w.Configure(ctx, "v", danmu.Settings{Owner: "o", Duration: time.Hour, Shards: 2})
			return err
		}},
		{"settings", cost{Requests: 1, Read: 0.5}, func(ctx context.Context) error { _, err := w.Settings(ctx, "v"); return err }},

		{"send", cost{Requests: 1, Write: 2}, sends(w, small(fresh))},
		{"send, a segment's first", cost{Requests: 2, Write: 3}, sends(w, later)},
		{"send, its second", cost{Requests: 1, Write: 2}, sends(w, later)},
		{"send, a process's first", cost{Requests: 2, Write: 3}, sends(w.process(t, nil, meter.Wrap), small(fresh))},
		{"send, repeated", cost{Requests: 1, Write: 1}, sends(w, one)},
		{"send with a key, grown", cost{Requests: 2, Read: 1, Write: 2}, sends(w, newKey)},
		{"send with a key, grown, repeated", cost{Requests: 2, Read: 1, Write: 2}, sends(w, newKey)},

		{"from, over two segments", cost{Requests: 3, Read: 0.5 + units(3) + units(2)}, page(w, fresh, cursor.PageRequest{}, 5)},
		{"from, page of 25 over four shards", cost{Requests: 1 + 4, Read: 0.5 + 4*units(26)}, page(w, grown, cursor.PageRequest{}, 25)},
		{"from, its next", cost{Requests: 1 + 4, Read: 0.5 + 4*units(26)}, page(w, grown, cursor.PageRequest{Cursor: second.Next}, 25)},
		{"from, consistent", cost{Requests: 1 + 4, Read: 1 + 8*units(26)}, page(strong, grown, cursor.PageRequest{}, 25)},
		{"window over two segments", cost{Requests: 2, Read: 0.5 + 0.5}, window(w, nil)},
		{"window, consistent", cost{Requests: 3, Read: 1 + 1 + 1}, window(w, consistent)},
		{"window of a new process", cost{Requests: 3, Read: 1 + 0.5 + 0.5}, window(w.process(t, &danmu.Options{}, meter.Wrap), nil)},
		{"window of nothing", cost{Requests: 1, Read: 1}, func(ctx context.Context) error {
			_, err := w.Window(ctx, "nothing", 0, time.Minute, nil)
			return err
		}},
		{"my 25", cost{Requests: 2, Read: 1 + 12.5 + 0.5}, func(ctx context.Context) error {
			got, err := w.ByUser(ctx, sixteen("ann"), cursor.PageRequest{})
			require.Len(t, got.Items, 25)
			return err
		}},
		{"get", cost{Requests: 1, Read: 0.5}, func(ctx context.Context) error { _, err := w.Get(ctx, fresh, one.ID); return err }},
		{"get, grown", cost{Requests: 1, Read: 1}, func(ctx context.Context) error { _, err := w.Get(ctx, grown, keyed.ID); return err }},
	} {
		got := meter.AtMost(t, c.name, c.want, func() { require.NoError(t, c.call(t.Context()), c.name) })
		require.NotZero(t, got.Requests, c.name)
		t.Logf("%s: %v", c.name, got)
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
	meter := dynamotest.NewMeter()
	n := faults.Size(10_000, 500)
	w := newEpisode(t, n).process(t, &danmu.Options{}, meter.Wrap)
	// The settings, and four segments of four shards. Each request rounds up: a quarter of
	// the episode costs a little more than a quarter.
	got := meter.AtMost(t, "an episode", dynamotest.Cost{Requests: 17, Read: float64(faults.Size(125, 22))}, func() {
		shown := 0
		for segment := range 4 {
			window, err := w.Segment(t.Context(), "v", segment, nil)
			require.NoError(t, err)
			shown += len(window.Comments)
		}
		require.Equal(t, n, shown)
	})
	t.Log(got)
}
