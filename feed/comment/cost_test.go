package comment_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/meter"
)

// sixteen pads a name to 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

// said is a comment of 100 bytes by ann on bird, unless it says otherwise.
func said(c comment.Comment) comment.Comment {
	if c.Text == "" {
		c.Text = strings.Repeat("x", 100)
	}
	if c.Object == "" {
		c.Object = sixteen("bird")
	}
	if c.User == "" {
		c.User = sixteen("ann")
	}
	return c
}

// further is how many times 4 KB rows have beside the first, with texts of 100 bytes.
func further(rows int) float64 { return float64((rows*350 - 1) / 4096) }

// thread adds three first replies and five further ones.
func (w world) thread(t *testing.T, root comment.Comment) (replies []comment.Comment) {
	t.Helper()
	for range 8 {
		replies = append(replies, w.add(t, said(comment.Comment{Root: root.ID})))
	}
	return replies
}

// does is the error of a call that must have changed something.
func does(did bool, err error) error {
	if err == nil && !did {
		return fmt.Errorf("it changed nothing")
	}
	return err
}

func TestReadsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	limit := faults.Size(20, 6) // of a page
	m := callstest.NewMetered(t, "../..", "feed/comment")
	l := &likes{n: map[ids.ID]int64{}}
	w := newWorld(t, &comment.Options{}, m.Wrap)
	strong := w.process(t, nil, m.Wrap)
	scored := w.process(t, &comment.Options{Score: l.score}, m.Wrap)
	_, err := w.db.Client().UpdateTimeToLive(t.Context(), comment.TTL(w.table))
	require.NoError(t, err)
	var roots, replies []comment.Comment
	for range limit + 2 {
		root := scored.add(t, said(comment.Comment{}))
		roots = append(roots, root)
		for range 3 {
			replies = append(replies, w.add(t, said(comment.Comment{Root: root.ID, User: sixteen("bob")})))
		}
	}
	object, bob, root := roots[0].Object, replies[0].User, roots[0]
	for range limit {
		w.add(t, said(comment.Comment{Root: root.ID, User: bob}))
	}
	objects := make([]string, faults.Size(25, 5))
	for i := range objects {
		objects[i] = sixteen(fmt.Sprint("object ", i))
		w.add(t, said(comment.Comment{Object: objects[i]}))
	}
	quoted := w.add(t, said(comment.Comment{Object: objects[0]}))
	quoting := w.add(t, said(comment.Comment{Object: objects[0], Quote: &comment.Quote{Address: quoted.Address()}}))
	deep := w.add(t, said(comment.Comment{Quote: &comment.Quote{Address: replies[0].Address()}}))

	page, n := cursor.PageRequest{Limit: limit}, float64(limit)
	full := func(got cursor.Page[comment.Comment], err error) error {
		require.Len(t, got.Items, limit)
		return err
	}
	threads := func(ctx ctx) error {
		got, err := w.Threads(ctx, object, page, &comment.ListOptions{Oldest: true})
		require.Len(t, got.Items, limit)
		for _, thread := range got.Items {
			require.Len(t, thread.First, 3)
		}
		return err
	}
	byObject := m.Stated.Of("Repository.ByObject", "4 KB of rows").Plus(m.Stated.Times(further(limit+1), "Repository.ByObject", "each further 4 KB"))
	ofThreads := m.Stated.Of("Repository.Threads", "4 KB of roots and of replies").
		Plus(m.Stated.Times(further(limit+1)+further(3*limit), "Repository.Threads", "each further 4 KB"))
	quote := m.Stated.Of("Repository.ByObject", "with Quotes more", "each Quote")
	m.AtMost("page", byObject, func(ctx ctx) error {
		return full(w.ByObject(ctx, object, cursor.PageRequest{Limit: limit}, &comment.ListOptions{Oldest: true}))
	})
	m.AtMost("page, consistent", meter.Cost{Requests: 1, Read: 2 * byObject.Read}, func(ctx ctx) error {
		return full(strong.ByObject(ctx, object, page, &comment.ListOptions{Oldest: true}))
	})
	m.AtMost("page with a quote", m.Stated.Of("Repository.ByObject").Plus(quote), func(ctx ctx) error { return failed(w.ByObject(ctx, objects[0], page, nil)) })
	m.AtMost("threads with a quote", m.Stated.Of("Repository.Threads", "4 KB of roots and of replies").Plus(quote), func(ctx ctx) error { return failed(w.Threads(ctx, objects[0], page, nil)) })
	m.AtMost("threads", ofThreads, threads)
	ofReplies := m.Stated.Of("Repository.Replies", "4 KB of replies").Plus(m.Stated.Times(further(limit+1), "Repository.Replies", "each further 4 KB"))
	m.AtMost("replies", ofReplies, func(ctx ctx) error {
		return full(w.Replies(ctx, root.Address(), page, nil))
	})
	m.AtMost("a user's own", m.Stated.Of("Repository.ByUser", "4 KB of places").Plus(m.Stated.Times(2*n+1, "Repository.ByUser", "each comment, and each root of a reply")), func(ctx ctx) error {
		return full(w.ByUser(ctx, bob, page, nil))
	})
	m.AtMost("top", m.Stated.Of("Repository.Top", "4 KB of places").Plus(m.Stated.Times(n+1, "Repository.Top", "each comment")), func(ctx ctx) error {
		return full(scored.Top(ctx, object, page))
	})
	m.Costs(func(ctx ctx) error { return failed(w.Get(ctx, root.Address())) }, "Repository.Get", "get")
	m.Costs(func(ctx ctx) error { return failed(w.Get(ctx, replies[0].Address())) }, "Repository.Get", "a reply, at most")
	m.Costs(func(ctx ctx) error { return failed(w.Get(ctx, quoting.Address())) }, "Repository.Get", "get", "a Quote more")
	m.Costs(func(ctx ctx) error { return failed(w.Get(ctx, deep.Address())) }, "Repository.Get", "get", "the Quote of a reply more")
	many := []comment.Address{root.Address(), replies[0].Address(), quoting.Address()}
	m.Costs(func(ctx ctx) error { return failed(w.GetMany(ctx, many)) }, "Repository.GetMany",
		"each 100 places, of which a root takes 1 and a reply 3", "each root", "each root", "each reply, at most", "a Quote more")
	m.Costs(func(ctx ctx) error { return failed(w.Counts(ctx, object)) }, "Repository.Counts")
	m.AtMost("counts of several", meter.Cost{Requests: 1, Read: float64(len(objects)) / 2}, func(ctx ctx) error { return failed(w.CountsMany(ctx, objects)) })
	m.Costs(w.Verify, "Repository.Verify")
	m.Costs(w.Init, "Repository.Init")

	// Two of the first replies of a longer thread go.
	for _, gone := range replies[:2] {
		w.hide(t, gone)
	}
	m.AtMost("threads, two first replies of one gone", ofThreads.
		Plus(m.Stated.Of("Repository.Threads", "where first replies of longer threads are gone more", "each reply in their place", "each reply in their place")), threads)
}

func TestWritesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "../..", "feed/comment")
	l := &likes{n: map[ids.ID]int64{}}
	w := newWorld(t, &comment.Options{}, m.Wrap)
	scored := w.process(t, &comment.Options{Score: l.score}, m.Wrap)
	root := scored.add(t, said(comment.Comment{}))
	replies := w.thread(t, root)
	rest := replies[7]
	adds := func(w world, c comment.Comment) func(ctx) error {
		return func(ctx ctx) error { return failed(w.Add(ctx, said(c))) }
	}
	m.Costs(adds(w, comment.Comment{}), "Repository.Add", "add")
	m.Costs(adds(w, comment.Comment{Key: "k"}), "Repository.Add", "add", "a Key more")
	m.AtMost("a repeat with a key", meter.Cost{Requests: 4, Write: 8, Read: 4}, adds(w, comment.Comment{Key: "k"}))
	m.Costs(adds(w, comment.Comment{Quote: &comment.Quote{Address: root.Address()}}), "Repository.Add", "add", "a Quote more")
	m.Costs(adds(w, comment.Comment{Quote: &comment.Quote{Address: rest.Address()}}), "Repository.Add", "add", "the Quote of a reply more")
	m.Costs(adds(scored, comment.Comment{}), "Repository.Add", "add", "Options.Score more")
	m.Costs(adds(w, comment.Comment{Parent: root.ID}), "Repository.Add", "an answer")
	m.Costs(adds(w, comment.Comment{Root: root.ID}), "Repository.Add", "a reply")
	m.Costs(adds(w, comment.Comment{Root: root.ID, Key: "r"}), "Repository.Add", "a reply", "a Key more")
	m.Costs(adds(w, comment.Comment{Root: root.ID, Parent: rest.ID}), "Repository.Add", "a reply to a reply")
	large := w.add(t, said(comment.Comment{Text: strings.Repeat("x", 1100)}))
	m.Costs(adds(w, comment.Comment{Parent: large.ID}), "Repository.Add", "an answer", "each further KB of the row that it answers more")

	edits := func(c comment.Comment, text string) func(ctx) error {
		c.Text = text
		return func(ctx ctx) error { return failed(w.Edit(ctx, c)) }
	}
	m.Costs(edits(root, "edited"), "Repository.Edit", "edit")
	m.Costs(edits(large, "edited"), "Repository.Edit", "edit", "each further KB") // as it was
	m.Costs(edits(rest, "edited"), "Repository.Edit", "edit", "a reply more")
	m.Costs(edits(root, "edited"), "Repository.Edit", "edit", "with the same text, or after an edit by a clock that is ahead, more")

	m.Costs(func(ctx ctx) error { return does(w.Pin(ctx, root.Address())) }, "Repository.Pin")
	m.AtMost("what is pinned", meter.Cost{Requests: 2, Write: 5}, func(ctx ctx) error { return failed(w.Pin(ctx, root.Address())) })
	m.Costs(func(ctx ctx) error { return failed(w.Pinned(ctx, root.Object)) }, "Repository.Pinned")
	m.Costs(func(ctx ctx) error { return does(w.Unpin(ctx, root.Address())) }, "Repository.Unpin")
	m.AtMost("what is not pinned", meter.Cost{Requests: 2, Write: 2}, func(ctx ctx) error { return failed(w.Unpin(ctx, root.Address())) })

	hides := func(c comment.Comment) func(ctx) error {
		return func(ctx ctx) error { return does(w.Hide(ctx, c.Address())) }
	}
	answer := w.add(t, said(comment.Comment{Parent: large.ID}))
	deep := w.add(t, said(comment.Comment{Root: root.ID, Parent: rest.ID}))
	m.Costs(hides(large), "Repository.Hide", "hide")
	m.Costs(func(ctx ctx) error { return failed(w.Hide(ctx, large.Address())) }, "Repository.Hide", "what is hidden")
	m.Costs(func(ctx ctx) error { return does(w.Unhide(ctx, large.Address())) }, "Repository.Hide", "hide")
	m.Costs(hides(answer), "Repository.Hide", "an answer")
	m.Costs(hides(rest), "Repository.Hide", "a reply")
	m.Costs(func(ctx ctx) error { return failed(w.Hide(ctx, rest.Address())) }, "Repository.Hide", "a reply that is hidden")
	m.Costs(func(ctx ctx) error { return does(w.Unhide(ctx, rest.Address())) }, "Repository.Hide", "a reply")
	m.Costs(hides(deep), "Repository.Hide", "a reply to a reply")
	l.set(root.ID, 1)
	m.AtMost("another score", meter.Cost{Requests: 2, Write: 6, Read: 1}, func(ctx ctx) error { return does(scored.UpdateScore(ctx, root.Address())) })
	m.Costs(func(ctx ctx) error { return failed(scored.UpdateScore(ctx, root.Address())) }, "Repository.UpdateScore")

	deletes := func(c comment.Comment) func(ctx) error {
		return func(ctx ctx) error { return does(w.Delete(ctx, comment.Action{Address: c.Address(), User: c.User})) }
	}
	w.unhide(t, deep)
	w.unhide(t, answer)
	m.Costs(deletes(deep), "Repository.Delete", "a reply to a reply")
	m.Costs(deletes(replies[6]), "Repository.Delete", "a reply")
	m.Costs(hides(replies[0]), "Repository.Hide", "a reply", "one of the first replies of a longer thread more")
	m.Costs(deletes(answer), "Repository.Delete", "an answer")
	m.Costs(deletes(root), "Repository.Delete", "delete", "in Top more")
	m.Costs(deletes(w.add(t, said(comment.Comment{}))), "Repository.Delete", "delete")
	long := w.thread(t, w.add(t, said(comment.Comment{})))
	m.Costs(deletes(long[1]), "Repository.Delete", "a reply", "one of the first replies of a longer thread more")
	m.Costs(func(ctx ctx) error {
		return failed(w.Delete(ctx, comment.Action{Address: comment.Address{Object: root.Object, ID: w.id(t)}, User: root.User}))
	}, "Repository.Delete", "an unknown comment")
}

func TestErasingCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "../..", "feed/comment")
	l := &likes{n: map[ids.ID]int64{}}
	w := newWorld(t, &comment.Options{Score: l.score}, m.Wrap)
	plain := w.process(t, &comment.Options{}, m.Wrap)
	for i := range 3 {
		removed := plain.add(t, said(comment.Comment{User: "ann", Key: fmt.Sprint(i)}))
		plain.add(t, said(comment.Comment{User: "bob", Parent: removed.ID}))
		plain.delete(t, removed)
	}
	plain.add(t, said(comment.Comment{User: "ann", Object: "tree"}))
	erase := m.Stated.Of("Repository.Erase", "each 25 Keys", "each 25 such comments more", "each 1,000 Keys or comments, or 4 KB of them", "each 1,000 Keys or comments, or 4 KB of them").
		Plus(m.Stated.Times(3, "Repository.Erase", "each Key")).
		Plus(m.Stated.Times(3, "Repository.Erase", "each comment that was removed before")).
		Plus(m.Stated.Of("Repository.Delete"))
	m.AtMost("Erase", erase, func(ctx ctx) error { return w.Erase(ctx, "ann") })

	for range 2 {
		plain.add(t, said(comment.Comment{Object: "nest", User: "eve"}))
	}
	w.add(t, said(comment.Comment{Object: "nest", User: "eve", Text: strings.Repeat("x", 1100)}))
	object := m.Stated.Of("Repository.EraseObject", "the object", "each further KB", "in Top").
		Plus(m.Stated.Times(2, "Repository.EraseObject", "each comment of 1 KB"))
	m.AtMost("EraseObject", object, func(ctx ctx) error { return w.EraseObject(ctx, "nest") })
}
