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
)

// The bounds in ByObject's comment.
const (
	mostSegments = 47
	mostRequests = 1 + 6*128
)

// However the segments look, paging reaches the end and the beginning again, and shows
// the comments that are left.
func TestAPageOfByObjectIsBounded(t *testing.T) {
	t.Parallel()
	for shards, segments := range map[int]int{1: faults.Size(150, 60), faults.Size(32, 8): faults.Size(24, 12)} {
		for name, spoil := range map[string]func(t *testing.T, w world, all []danmu.Comment){
			"emptied by Erase": func(t *testing.T, w world, _ []danmu.Comment) {
				require.NoError(t, w.Erase(t.Context(), "ann"))
			},
			"hidden": func(t *testing.T, w world, _ []danmu.Comment) {
				w.rewrite(t, "D#v#", func(i dynamo.Item) { i["reports"] = &types.AttributeValueMemberN{Value: "5"} })
			},
			"gone": func(t *testing.T, w world, _ []danmu.Comment) {
				var doomed []dynamo.Keyed
				for _, i := range w.items(t, "D#v#") {
					doomed = append(doomed, dynamo.Keys{i.PK, i.SK})
				}
				_, err := w.raw(t).Batch("pk", "sk").Write().Delete(doomed...).Run(t.Context())
				require.NoError(t, err)
			},
		} {
			if name != "gone" && (shards > 1 || !faults.Full()) {
				continue // a page of hidden comments is that of TestHiddenCommentsOfManyShardsAreSkippedExactly
			}
			t.Run(fmt.Sprint(name, ", ", shards, " shards"), func(t *testing.T) {
				t.Parallel()
				meter := dynamotest.NewMeter()
				w := newWorld(t, nil, meter.Wrap)
				w.configure(t, "v", danmu.Settings{Shards: shards, Segment: time.Minute})
				film := make([]danmu.Comment, segments)
				for i := range film {
					film[i] = danmu.Comment{User: "ann", Text: fmt.Sprint(i), Progress: time.Duration(i) * time.Minute}
				}
				w.imports(t, "v", film...)
				spoil(t, w, film)
				var left []danmu.Comment
				for _, minute := range []int{0, segments / 2, segments - 1} {
					left = append(left, w.send(t, danmu.Comment{User: "bob", Progress: time.Duration(minute)*time.Minute + time.Second}))
				}

				most := 1 + min(mostSegments*shards, mostRequests-1)
				step := func(c cursor.Cursor) cursor.Page[danmu.Comment] {
					meter.Take()
					page, err := w.ByObject(t.Context(), "v", 0, cursor.PageRequest{Cursor: c, Limit: 25})
					require.NoError(t, err)
					require.LessOrEqual(t, meter.Take().Requests, most)
					return page
				}
				var down []danmu.Comment
				pages, page := 0, step("")
				for {
					pages++
					down = append(down, page.Items...)
					if page.Next == "" {
						break
					}
					page = step(page.Next)
				}
				require.Equal(t, left, down)
				require.LessOrEqual(t, pages, 2+segments/15)

				up := slices.Clone(page.Items)
				slices.Reverse(up)
				for range pages + 2 {
					page = step(page.Prev)
					for _, c := range slices.Backward(page.Items) {
						up = append(up, c)
					}
				}
				slices.Reverse(up)
				require.Equal(t, left, up)
			})
		}
	}
}

// rewrite changes the items whose partition key begins with a prefix.
func (w world) rewrite(t testing.TB, prefix string, change func(dynamo.Item)) {
	t.Helper()
	var items []dynamo.Item
	require.NoError(t, w.raw(t).Scan().Consistent(true).Filter("begins_with(pk, ?)", prefix).All(t.Context(), &items))
	puts := make([]any, len(items))
	for i := range items {
		change(items[i])
		puts[i] = items[i]
	}
	_, err := w.raw(t).Batch().Write().Put(puts...).Run(t.Context())
	require.NoError(t, err)
}

// Each comment lies in a segment of its own.
func TestSparseFilmsHaveFullPages(t *testing.T) {
	t.Parallel()
	m, c := newCosts(t)
	w := newWorld(t, nil, m.Wrap)
	film := make([]danmu.Comment, 40)
	for i := range film {
		film[i] = danmu.Comment{Text: "haha", Progress: time.Duration(i) * 6 * time.Minute}
	}
	w.imports(t, "v", film...)
	var sent []danmu.ID
	for c, err := range w.Export(t.Context(), "v") {
		require.NoError(t, err)
		sent = append(sent, c.ID)
	}
	require.Len(t, sent, 40)
	for _, limit := range faults.Some(1, 3, 1, 25) {
		require.Equal(t, sent, idsOf(all(t, w.from(0), limit)))
	}
	want := sum(c.Of("Repository.ByObject", "with Options.Consistent, the object"), c.Times(31, "Repository.ByObject", "a shard of a segment"),
		c.Times(31, "Repository.ByObject", "with Options.Consistent, each 4 KB of a shard"))
	m.AtMost("from, 25 segments of one", want, func(ctx context.Context) error {
		page, err := w.ByObject(ctx, "v", 0, cursor.PageRequest{})
		require.Len(t, page.Items, 25)
		return err
	})
}

// The object has every other segment, which is the largest item.
func TestAFullObjectCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	for name, segment := range faults.Sample(2, map[string]time.Duration{"of 1 min": time.Minute, "the default": 6 * time.Minute}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, c := newCosts(t)
			usual, first, refreshed := c.Of("Repository.Send", "a comment"), dynamotest.Cost{Requests: 2, Write: 4}, c.Of("Repository.Send", "after Options.Refresh")
			if segment == time.Minute {
				first = c.Of("Repository.Send", "a segment's first, beside over 4,000 scattered segments")
				refreshed = c.Of("Repository.Send", "after Options.Refresh, with over 4,000 scattered segments")
			}
			w := newWorld(t, nil, m.Wrap)
			w.configure(t, "v", danmu.Settings{Segment: segment, Owner: fmt.Sprintf("%-256s", "o"), Duration: danmu.MaxProgress - 1e6})
			for _, shards := range []int{2, 4, 8, 16, 32} {
				w.configure(t, "v", danmu.Settings{Shards: shards, Owner: fmt.Sprintf("%-256s", "o"), Duration: danmu.MaxProgress - 1e6})
			}
			w.at(t, 1)
			last := int((danmu.MaxProgress - 1e6) / segment)
			full := append([]byte{'b'}, make([]byte, last/8+1)...)
			for i := 0; i <= last-2; i += 2 {
				full[1+i/8] |= 1 << (i % 8)
			}
			require.NoError(t, w.raw(t).Update("pk", "M#v").Range("sk", "M").Set("segs", full).Run(t.Context()))
			w.pass(time.Hour)
			sender := w.process(t, nil, m.Wrap)
			settings, err := sender.Settings(t.Context(), "v")
			require.NoError(t, err)
			require.Equal(t, 32, settings.Shards)
			sender.window(t, 0, 1, nil) // reads the object

			say := func(progress time.Duration, want dynamotest.Cost) {
				t.Helper()
				m.AtMost("send", want, func(context.Context) error { sender.send(t, danmu.Comment{Progress: progress}); return nil })
			}
			say(time.Second, usual)
			say(segment+time.Second, first)
			say(time.Duration(last)*segment, first)
			w.pass(time.Hour)
			say(2*time.Second, sum(usual, refreshed))
			m.AtMost("settings", refreshed, func(ctx context.Context) error {
				_, err := w.process(t, &danmu.Options{}, m.Wrap).Settings(ctx, "v")
				return err
			})
			got, err := w.process(t, nil).Segment(t.Context(), "v", last, nil)
			require.NoError(t, err)
			require.Len(t, got.Comments, 1)
		})
	}
}

// Every comment is hidden.
func TestAPageOfByUserIsBounded(t *testing.T) {
	t.Parallel()
	m, c := newCosts(t)
	w := newWorld(t, &danmu.Options{}, m.Wrap)
	const n = 700
	film := make([]danmu.Comment, n)
	for i := range film {
		film[i] = danmu.Comment{User: "ann", Text: fmt.Sprint(i), Progress: time.Duration(i) * time.Second, Reports: 5, Sent: noon.Add(-time.Duration(i) * time.Hour)}
	}
	w.imports(t, "v", film...)
	for limit, want := range map[int]int{5: 2, 25: 1} {
		pages, req := 0, cursor.PageRequest{Limit: limit}
		for {
			m.Take()
			page, err := w.ByUser(t.Context(), "ann", req)
			require.NoError(t, err)
			require.Empty(t, page.Items)
			require.LessOrEqual(t, m.Take().Requests, min(2*6+63*(limit+1)/100, c.Of("Repository.ByUser", "past hidden and removed comments, 25 a page").Requests))
			if pages++; page.Next == "" {
				break
			}
			req.Cursor = page.Next
		}
		require.Equal(t, want, pages)
	}
}
