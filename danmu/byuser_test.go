package danmu_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func TestByUserIsPagedExactly(t *testing.T) {
	t.Parallel()
	pagetest.Run(t, func(t *testing.T) pagetest.List[danmu.Comment] {
		meter := dynamotest.NewMeter()
		w := newWorld(t, nil, meter.Wrap)
		find := w.finder(t)
		for range 2 {
			w.send(t, danmu.Comment{Object: "w", User: "bob"})
		}
		byUser := func(user string) func(context.Context, cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
			return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
				return w.ByUser(ctx, user, req)
			}
		}
		n := 0
		return pagetest.List[danmu.Comment]{
			Page: byUser("ann"),
			ID:   textOf,
			Add: func(_ context.Context, some int) []string {
				var added []string
				for range some {
					n++
					c := danmu.Comment{Object: fmt.Sprint("video ", n%3), Progress: time.Duration(1000-n) * time.Second}
					added = append(added, w.send(t, c).ID.String())
				}
				return added
			},
			Remove: func(_ context.Context, id string) { w.erase(t, find(id)) },
			Hide:   func(_ context.Context, id string) { w.hide(t, find(id)) },
			Others: []pagetest.Other{
				pagetest.Foreign("another user", byUser("bob")),
				pagetest.Foreign("an object's", func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
					return w.ByObject(ctx, "w", 0, req)
				}),
			},
			Requests: requests(meter),
			Brief:    true,
		}
	})
}

func TestByUserIsNewestSendFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var sent []danmu.Comment
	for i, object := range []string{"b#c", "v", "a", "v", "b#c"} {
		w.pass(time.Second)
		sent = append(sent, w.send(t, danmu.Comment{Object: object, Progress: time.Duration(100-i) * time.Second}))
		w.send(t, danmu.Comment{Object: object, User: "bob"})
	}
	slices.Reverse(sent)
	mine := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
		return w.ByUser(ctx, "ann", req)
	}
	require.Equal(t, sent, all(t, mine, 2))
}
