package danmu_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

// finder returns a function that finds the item of a comment by its ID. It caches items,
// so it rarely scans the table.
func (w world) finder(t testing.TB) func(id string) stored {
	t.Helper()
	known := map[string]stored{}
	return func(id string) stored {
		if _, ok := known[id]; !ok {
			for _, i := range w.items(t, "D#") {
				known[i.SK] = i
			}
		}
		require.Contains(t, known, id)
		return known[id]
	}
}

// hide stores enough reports to hide a comment.
func (w world) hide(t testing.TB, i stored) {
	t.Helper()
	require.NoError(t, w.raw(t).Update("pk", i.PK).Range("sk", i.SK).Set("reports", 5).Run(t.Context()))
}

// erase deletes the item of a comment.
func (w world) erase(t testing.TB, i stored) {
	t.Helper()
	require.NoError(t, w.raw(t).Delete("pk", i.PK).Range("sk", i.SK).Run(t.Context()))
}

func textOf(c danmu.Comment) string { return c.ID.String() }

// There are shards and segments. Every second has four comments, one of them in the next
// segment.
func TestByObjectIsPagedExactly(t *testing.T) {
	t.Parallel()
	for _, shards := range faults.Some(1, 2, 1, 4) {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			t.Parallel()
			pagetest.Run(t, func(t *testing.T) pagetest.List[danmu.Comment] {
				meter := dynamotest.NewMeter()
				w := newWorld(t, &danmu.Options{}, meter.Wrap)
				find := w.finder(t)
				for _, object := range []string{"v", "other"} {
					w.configure(t, object, danmu.Settings{Shards: shards, Segment: 2 * time.Minute})
				}
				w.send(t, danmu.Comment{Object: "other"})
				w.send(t, danmu.Comment{Object: "other"})
				w.send(t, danmu.Comment{Object: "o", User: "u"})
				w.send(t, danmu.Comment{Object: "o", User: "u"})
				at := 100 * time.Hour
				return pagetest.List[danmu.Comment]{
					Page:  w.from(0),
					ID:    textOf,
					Brief: true, // its limit is tested by others
					Add: func(_ context.Context, n int) []string {
						var added []string
						for range n {
							at -= 20 * time.Second
							added = append(added, w.send(t, danmu.Comment{Progress: at}).ID.String())
						}
						return added
					},
					Remove: func(_ context.Context, id string) { w.erase(t, find(id)) },
					Hide:   func(_ context.Context, id string) { w.hide(t, find(id)) },
					Others: []pagetest.Other{
						pagetest.Foreign("another object", func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
							return w.ByObject(ctx, "other", 0, req)
						}),
						pagetest.Foreign("a user's", func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
							return w.ByUser(ctx, "u", req)
						}),
					},
					Requests: requests(meter),
				}
			})
		})
	}
}

// requests returns a function that sums up a meter's requests.
func requests(meter *dynamotest.Meter) func() int {
	sum := 0
	return func() int {
		sum += meter.Take().Requests
		return sum
	}
}

func TestByObjectBeginsAtAMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var sent []danmu.Comment
	for _, s := range []float64{0, 20, 20.4, 359.999, 360, 3600, 86400} {
		sent = append(sent, w.at(t, s))
	}
	for moment, first := range map[time.Duration]int{
		0: 0, 1: 1, 20 * time.Second: 1, 20*time.Second + 1: 2, 360*time.Second - time.Millisecond: 3, 360 * time.Second: 4,
		time.Hour: 5, time.Hour + 1: 6, 24*time.Hour + 1: 7, danmu.MaxProgress: 7, danmu.MaxProgress + time.Hour: 7, 1<<63 - 1: 7,
	} {
		for _, limit := range faults.Some(1, 2, 1, 7) {
			require.Equal(t, sent[first:], all(t, w.from(moment), limit), "%v", moment)
		}
	}

	page, err := w.ByObject(t.Context(), "v", 20*time.Second, cursor.PageRequest{Limit: 2})
	require.NoError(t, err)
	for _, moment := range []time.Duration{0, time.Hour} {
		next, err := w.ByObject(t.Context(), "v", moment, cursor.PageRequest{Cursor: page.Next, Limit: 2})
		require.NoError(t, err)
		require.Equal(t, sent[3:5], next.Items, "the cursor counts")
		before, err := w.ByObject(t.Context(), "v", moment, cursor.PageRequest{Cursor: page.Prev, Limit: 2})
		require.NoError(t, err)
		require.Equal(t, sent[:1], before.Items)
	}
	whole, err := w.ByObject(t.Context(), "v", 0, cursor.PageRequest{Limit: 7})
	require.NoError(t, err)
	require.Empty(t, whole.Next)

	// A comment inserted before the cursor repeats nothing.
	w.at(t, 19)
	w.at(t, 20)
	next, err := w.ByObject(t.Context(), "v", 0, cursor.PageRequest{Cursor: page.Next})
	require.NoError(t, err)
	require.Equal(t, sent[3:], next.Items)
}

func TestShardsAreMergedInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Shards: 8, Segment: time.Minute})
	var sent []danmu.ID
	n := faults.Size(100, 30)
	for i := range n {
		sent = append(sent, w.at(t, float64(i*37%n)*5).ID)
	}
	slices.SortFunc(sent, danmu.ID.Compare)
	require.Equal(t, sent, idsOf(all(t, w.from(0), 7)))
	var windows []danmu.ID
	for i := range n/24 + 1 {
		windows = append(windows, idsOf(w.window(t, float64(i)*120, float64(i+1)*120, nil))...)
	}
	require.Equal(t, sent, windows)
}

// Each read ends at a different place in each shard.
func TestHiddenCommentsOfManyShardsAreSkippedExactly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Shards: faults.Size(8, 4)})
	film := make([]danmu.Comment, 90)
	for i := range film {
		film[i] = danmu.Comment{Text: "haha", Progress: time.Duration(i) * time.Second}
	}
	w.imports(t, "v", film...)
	var left []danmu.ID
	shown := map[string]bool{}
	for i, id := range idsOf(all(t, w.from(0), 100)) {
		if i%9 == 8 {
			left = append(left, id)
			shown[id.String()] = true
		}
	}
	w.rewrite(t, "D#v#", func(i dynamo.Item) {
		if sk, _ := i["sk"].(*types.AttributeValueMemberS); !shown[sk.Value] {
			i["reports"] = &types.AttributeValueMemberN{Value: "5"}
		}
	})
	for _, limit := range faults.Some(1, 3, 1, 2, 7) {
		require.Equal(t, left, idsOf(all(t, w.from(0), limit)), limit)
		page, err := w.ByObject(t.Context(), "v", 89*time.Second, cursor.PageRequest{Limit: limit})
		require.NoError(t, err)
		up := idsOf(page.Items)
		for range 40 {
			gap := page.Prev
			page, err = w.ByObject(t.Context(), "v", 0, cursor.PageRequest{Limit: limit, Cursor: gap})
			require.NoError(t, err)
			if len(page.Items) == 0 && page.Prev == gap {
				break
			}
			up = append(idsOf(page.Items), up...)
		}
		require.Equal(t, left, up, limit)
	}
}
