package comment_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

type lister = func(context.Context, cursor.PageRequest) (cursor.Page[comment.Comment], error)

// listing is a list under test.
type listing struct {
	oldest bool
	where  func(w world, t *testing.T, name string) comment.Comment // returns the comment to add
	page   func(w world, like comment.Comment, opts *comment.ListOptions) lister
}

func onObject(_ world, _ *testing.T, name string) comment.Comment {
	return comment.Comment{Object: name, User: "ann"}
}

func onRoot(w world, t *testing.T, name string) comment.Comment {
	return comment.Comment{Object: name, User: "ann", Root: w.says(t, "ann", name).ID}
}

func byObject(w world, like comment.Comment, opts *comment.ListOptions) lister {
	return of(w.ByObject, like.Object, opts)
}

func byRoot(w world, like comment.Comment, opts *comment.ListOptions) lister {
	return of(w.Replies, comment.Address{Object: like.Object, ID: like.Root}, opts)
}

func TestEveryListIsPagedExactly(t *testing.T) {
	t.Parallel()
	for name, l := range faults.Sample(2, map[string]listing{
		"an object's":            {where: onObject, page: byObject},
		"a root's":               {where: onRoot, page: byRoot},
		"a root's, oldest first": {where: onRoot, page: byRoot, oldest: true},
		"a user's": {
			where: func(w world, t *testing.T, name string) comment.Comment {
				like := onObject(w, t, name)
				if faults.Full() {
					like = onRoot(w, t, name)
				}
				like.User = name
				return like
			},
			page: func(w world, like comment.Comment, opts *comment.ListOptions) lister {
				return of(w.ByUser, like.User, opts)
			},
		},
		"the top": {
			where: onObject,
			page:  func(w world, like comment.Comment, _ *comment.ListOptions) lister { return w.top(like.Object) },
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l.test(t, name == "the top")
		})
	}
}

func (l listing) test(t *testing.T, top bool) {
	meter := dynamotest.NewMeter()
	codec, err := cursor.Sealed(cursor.Keyring{Keys: map[byte][]byte{0: []byte("0123456789abcdef0123456789abcdef")}})
	require.NoError(t, err)
	opts := &comment.Options{Consistent: true, Codec: codec}
	if top {
		opts.Score = func(context.Context, comment.Address) (int64, error) { return 0, nil }
	}
	w := newWorld(t, opts, meter.Wrap)
	requests, lists := 0, 0
	pagetest.Run(t, func(t *testing.T) pagetest.List[comment.Comment] {
		lists++
		like := l.where(w, t, fmt.Sprint("this ", lists))
		at := ids.ID(lists * 2000)
		stored := map[string]comment.Comment{}
		add := func(ctx context.Context, like comment.Comment, n int) []string {
			added := make([]string, n)
			for i := range added {
				at++
				c := like
				if c.ID = at; l.oldest {
					c.ID = 1<<40 - at
				}
				if i == 0 || c.Root != 0 { // a reply changes its root
					c = w.add(t, c)
				}
				added[i], stored[c.ID.String()] = c.ID.String(), c
			}
			if like.Root == 0 {
				w.copyRoot(t, stored[added[0]], added[1:])
			}
			return added
		}
		others := []pagetest.Other{pagetest.Foreign("another partition", onceRead(func() lister {
			other := l.where(w, t, fmt.Sprint("other ", lists))
			add(t.Context(), other, 2)
			return l.page(w, other, &comment.ListOptions{Oldest: l.oldest})
		}))}
		if !top {
			others = append(others, pagetest.Foreign("with hidden ones", onceRead(func() lister {
				for _, id := range add(t.Context(), like, 2) {
					w.hide(t, stored[id])
				}
				return l.page(w, like, &comment.ListOptions{Oldest: l.oldest, WithHidden: true})
			})), pagetest.Foreign("the other order", l.page(w, like, &comment.ListOptions{Oldest: !l.oldest})))
		}
		return pagetest.List[comment.Comment]{
			Page:   l.page(w, like, &comment.ListOptions{Oldest: l.oldest}),
			ID:     func(c comment.Comment) string { return c.ID.String() },
			Others: others,
			Requests: func() int {
				requests += meter.Take().Requests
				return requests
			},
			Brief:  true, // other lists of internal/store run all checks
			Add:    func(ctx context.Context, n int) []string { return add(ctx, like, n) },
			Hide:   func(_ context.Context, id string) { w.hide(t, stored[id]) },
			Remove: func(_ context.Context, id string) { w.delete(t, stored[id]) },
		}
	})
}

const unscored = "8000000000000000#" // begins the places in Top of score 0

// copyRoot stores a root under further ids, at a tenth of the requests of Add.
func (w world) copyRoot(t *testing.T, root comment.Comment, further []string) {
	t.Helper()
	if len(further) == 0 {
		return
	}
	table, id := w.db.Table(w.table).Batch("pk", "sk"), root.ID.String()
	var rows []map[string]any
	require.NoError(t, table.Get(
		dynamo.Keys{"T#" + root.Object, id}, dynamo.Keys{"M#" + root.User, id}, dynamo.Keys{"S#" + root.Object, unscored + id},
	).Consistent(true).All(t.Context(), &rows))
	var copies []any
	for _, as := range further {
		for _, row := range rows {
			alike := maps.Clone(row)
			alike["sk"] = strings.Replace(row["sk"].(string), id, as, 1)
			copies = append(copies, alike)
		}
	}
	_, err := table.Write().Put(copies...).Run(t.Context())
	require.NoError(t, err)
}

// onceRead prepares a list when its first page is read, because most checks
// read none.
func onceRead(list func() lister) lister {
	list = sync.OnceValue(list)
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[comment.Comment], error) {
		return list()(ctx, req)
	}
}

func TestPagingOldestFirstReachesNewComments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var want []ids.ID
	for range 5 {
		want = append(want, w.says(t, "ann", "bird").ID)
	}
	walk := of(w.ByObject, "bird", &comment.ListOptions{Oldest: true})
	first, err := walk(t.Context(), cursor.PageRequest{Limit: 3})
	require.NoError(t, err)
	want = append(want, w.says(t, "bob", "bird").ID)
	rest, err := walk(t.Context(), cursor.PageRequest{Limit: 10, Cursor: first.Next})
	require.NoError(t, err)
	require.Equal(t, want, append(idsOf(first.Items), idsOf(rest.Items)...))
}

// TestListsReadLaggingCommentsAgain makes the reads after the list's own lag.
func TestListsReadLaggingCommentsAgain(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, &comment.Options{Score: func(context.Context, comment.Address) (int64, error) { return 0, nil }}, in.Wrap)
	root := w.says(t, "ann", "bird")
	reply := w.replies(t, "bob", root)
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "BatchGetItem" && !strings.Contains(string(body), `"ConsistentRead":true`) {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	for name, c := range map[string]struct {
		list lister
		want comment.Comment
	}{
		"top":         {w.top("bird"), root},
		"by user":     {of(w.ByUser, "bob", nil), reply},
		"its replies": {of(w.Replies, root.Address(), nil), reply},
	} {
		require.Equal(t, []ids.ID{c.want.ID}, idsOf(pagetest.All(t, c.list, 5)), name)
	}
	require.NotZero(t, in.Count(faults.Stale))
}
