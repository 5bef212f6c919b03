package comment_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

// TestPagesMakeABoundedNumberOfRequests fills each list with rows that it does
// not show. Pages still make no more requests than stated.
func TestPagesMakeABoundedNumberOfRequests(t *testing.T) {
	t.Parallel()
	const rows = 1400 // more than a page of 100 reads
	m := callstest.NewMetered(t, "../..", "feed/comment")
	l := &likes{n: map[ids.ID]int64{}}
	w := newWorld(t, &comment.Options{Score: l.score}, m.Wrap)
	most := func(call, gap string) int { t.Helper(); return m.Stated.Of(call, gap).Requests }
	type item = map[string]any
	removed := item{"at": today, "by": "eve"}
	for name, change := range map[string]func(item){
		"hidden":  func(i item) { i["hidden"] = true },
		"removed": func(i item) { i["removed"], i["ttl"] = removed, today.Add(time.Hour).Unix() },
		"damaged": func(i item) { i["text"] = 7 },
		"erased":  nil, // the lists name missing rows
	} {
		if change != nil && !faults.Full() {
			continue
		}
		root := w.says(t, "ann", name)
		var items []any
		put := func(pk, sk string, more item) {
			more["pk"], more["sk"] = pk, sk
			items = append(items, more)
		}
		for n := range rows {
			id := (root.ID - ids.ID(n) - 1).String()
			put("M#"+name, id, item{"object": name, "root": root.ID, "rest": true, "hash": []byte("x")})
			put("S#"+name, fmt.Sprintf("%016x#%s", uint64(n), id), item{})
			if change == nil {
				continue
			}
			for _, pk := range []string{"T#" + name, "R#" + name + "#" + root.ID.String()} {
				row := item{"user": name, "text": "hello"}
				change(row)
				put(pk, id, row)
			}
		}
		require.NoError(t, w.db.Table(w.table).Update("pk", "T#"+name).Range("sk", root.ID.String()).
			Set("more", true).Set("replies", 3).Run(t.Context())) // which do not exist
		_, err := w.db.Table(w.table).Batch("pk", "sk").Write().Put(items...).Run(t.Context())
		require.NoError(t, err)
		byUser, top := m.Stated.Of("Repository.ByUser", "past hidden or removed comments, at most, for 606 comments"),
			m.Stated.Of("Repository.Top", "past hidden comments, at most, for 606 comments")
		fewer := 6 // requests of a page by user, since all replies have one root
		if change == nil {
			fewer = 12
			byUser, top = m.Stated.Of("Repository.ByUser", "past erased comments, at most, for 606 comments"),
				m.Stated.Of("Repository.Top", "past erased comments, at most, for 606 comments")
		}
		for list, c := range map[string]struct {
			most int // most requests of a page
			page func(ctx context.Context, req cursor.PageRequest) (int, cursor.Cursor, error)
		}{
			"by object": {
				most("Repository.ByObject", "past hidden, removed or damaged comments, at most, for 63 times the rows"),
				counted(of(w.ByObject, name, nil)),
			},
			"threads": {
				1 + m.Stated.Of("Repository.Threads",
					"past hidden or removed comments more, at most, for 63 times the rows", "such a thread more, at most").Requests,
				counted(of(w.Threads, name, nil)),
			},
			"replies": {
				most("Repository.Replies", "past hidden, removed or damaged replies, at most, for 63 times the rows"),
				counted(of(w.Replies, root.Address(), nil)),
			},
			"by user": {byUser.Requests - fewer, counted(of(w.ByUser, name, nil))},
			"top":     {top.Requests, counted(w.top(name))},
		} {
			for _, limit := range faults.Some(1, 100, 5) {
				req, shown, pages := cursor.PageRequest{Limit: limit}, 0, 0
				for {
					m.Take()
					n, next, err := c.page(t.Context(), req)
					require.NoError(t, err)
					require.LessOrEqual(t, m.Take().Requests, c.most, "%s, %s, limit %d", list, name, limit)
					shown += n
					pages++
					require.Less(t, pages, 20)
					if req.Cursor = next; next == "" {
						break
					}
				}
				require.LessOrEqual(t, shown, 1, "%s, %s", list, name)
			}
		}
	}
}

// counted returns the number of items in place of the items.
func counted[T any](list func(context.Context, cursor.PageRequest) (cursor.Page[T], error)) func(context.Context, cursor.PageRequest) (int, cursor.Cursor, error) {
	return func(ctx context.Context, req cursor.PageRequest) (int, cursor.Cursor, error) {
		page, err := list(ctx, req)
		return len(page.Items), page.Next, err
	}
}

// Each comment quotes a reply that is gone, in a thread of its own that is gone too.
func TestAPageOfQuotesMakesABoundedNumberOfRequests(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "../..", "feed/comment")
	w := newWorld(t, &comment.Options{}, m.Wrap)
	var rows []any
	for range 60 {
		id := w.id(t)
		quote := map[string]any{"root": id - 1, "id": id - 2, "rest": true}
		rows = append(rows, map[string]any{"pk": "T#bird", "sk": id.String(), "user": "ann", "text": "hello", "quote": quote})
	}
	require.NoError(t, failed(w.db.Table(w.table).Batch("pk", "sk").Write().Put(rows...).Run(t.Context())))
	want := m.Stated.Of("Repository.ByObject", "4 KB of rows", "with Quotes more, at most")
	m.Take()
	page, err := w.ByObject(t.Context(), "bird", cursor.PageRequest{Limit: 100}, nil)
	require.NoError(t, err)
	require.Len(t, page.Items, len(rows))
	require.Equal(t, want.Requests, m.Take().Requests)
}

func TestLargeRowsAreReadAMegabyteAtATime(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "../..", "feed/comment")
	w := newWorld(t, &comment.Options{Consistent: true}, m.Wrap)
	most := m.Stated.Of("Repository.ByObject", "rows of more than 1 MB, at most")
	rows := faults.Size(35, 24) // more than a page of 100 reads
	var want []ids.ID
	for range rows {
		want = append(want, w.id(t))
		row := map[string]any{"pk": "T#bird", "sk": want[len(want)-1].String(), "user": "ann", "text": strings.Repeat("x", 300_000)}
		require.NoError(t, w.db.Table(w.table).Put(row).Run(t.Context()))
	}
	list, req, got := of(w.ByObject, "bird", &comment.ListOptions{Oldest: true}), cursor.PageRequest{Limit: 100}, []ids.ID{}
	for {
		m.Take()
		page, err := list(t.Context(), req)
		require.NoError(t, err)
		require.LessOrEqual(t, m.Take().Requests, most.Requests)
		got = append(got, idsOf(page.Items)...)
		if req.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	require.Equal(t, want, got)

	erase := m.Stated.Of("Repository.EraseObject", "the object", "each 25 deletes", "each 25 deletes").
		Plus(m.Stated.Times(float64(rows/3), "Repository.EraseObject", "each 1,000 rows or 1 MB")).
		Plus(m.Stated.Times(float64(rows), "Repository.EraseObject", "each comment of 1 KB")).
		Plus(m.Stated.Times(float64(rows*293), "Repository.EraseObject", "each further KB")).
		Plus(m.Stated.Times(float64(rows*74), "Repository.EraseObject", "each further 4 KB"))
	m.AtMost("EraseObject", erase, func(ctx ctx) error { return w.EraseObject(ctx, "bird") })
}

// TestTheLargestRowFits sets every attribute of a row to its largest value.
// Nothing else can grow: counts are numbers, and a root names a bounded number
// of replies.
func TestTheLargestRowFits(t *testing.T) {
	t.Parallel()
	l := &likes{n: map[ids.ID]int64{}}
	w := newWorld(t, &comment.Options{Consistent: true, MaxRunes: 1 << 16, MaxData: 1 << 16, Score: l.score})
	object, ann := strings.Repeat("#", 256), strings.Repeat(`\`, 256)
	quoted := w.says(t, ann, object)
	c := comment.Comment{
		Object: object, User: ann, Text: strings.Repeat("𝄞", 1<<16), Data: []byte(`"` + strings.Repeat("x", 1<<16-2) + `"`),
		Quote: &comment.Quote{Address: quoted.Address()}, Parent: quoted.ID,
	}
	for i := range comment.MaxMentions {
		c.Mentions = append(c.Mentions, strings.Repeat("m", 254)+string(rune('A'+i/10))+string(rune('A'+i%10)))
	}
	root := w.add(t, c)
	var replies []comment.Comment
	for range 10 {
		replies = append(replies, w.replies(t, ann, root))
	}
	w.hide(t, replies[0]) // the root now names others
	root.Text = strings.Repeat("𝄢", 1<<16)
	_, _, err := w.Edit(t.Context(), root)
	require.NoError(t, err)
	l.set(root.ID, -1)
	_, err = w.UpdateScore(t.Context(), root.Address())
	require.NoError(t, err)
	w.hide(t, root)
	w.unhide(t, root)
	w.replies(t, ann, root)
	require.Equal(t, idsOf(replies[1:4]), idsOf(pagetest.All(t, of(w.Threads, object, nil), 1)[0].First))
	removed, err := w.Remove(t.Context(), root.Address(), comment.Removal{By: strings.Repeat("#", 256), Reason: strings.Repeat("x", comment.MaxReason)})
	require.NoError(t, err)
	require.True(t, removed)
}

func TestRepliesAreInOrderIfManyFurtherOnesAreOlderThanTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &comment.Options{Consistent: true, MaxRunes: 1 << 16})
	root := w.says(t, "ann", "bird")
	var want []ids.ID
	for range 3 {
		want = append(want, w.replies(t, "bob", root).ID)
	}
	for n := range 12 { // too large for one read
		id, err := ids.Backdate(today.AddDate(-1, 0, -n), "imported")
		require.NoError(t, err)
		c := comment.Comment{Object: "bird", Root: root.ID, ID: id, User: "ann", Text: strings.Repeat("𝄞", 1<<16)}
		want = append([]ids.ID{w.add(t, c).ID}, want...)
	}
	require.Equal(t, want, idsOf(pagetest.All(t, of(w.Replies, root.Address(), &comment.ListOptions{Oldest: true}), 50)))
}
