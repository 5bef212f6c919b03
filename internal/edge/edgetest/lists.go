package edgetest

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func sealed(t testing.TB) cursor.Codec {
	t.Helper()
	codec, err := cursor.Sealed(cursor.Keyring{Current: 1, Keys: map[byte][]byte{1: bytes.Repeat([]byte{7}, 32)}})
	require.NoError(t, err)
	return codec
}

func listsPaged[E any](t *testing.T, f Feature[E]) {
	few := 1 // several lists are merged: of shards, or of kinds
	if !f.hasKinds() {
		few = 2
	}
	for name, c := range map[string]struct {
		shards int
		codec  cursor.Codec
		byTail bool
		kind   string // "": all
		often  bool   // also if CI is not set
	}{
		"by head, one kind":           {1, cursor.Plain(), false, f.free(), false},
		"by head, all kinds, sharded": {faults.Size(8, few), sealed(t), false, "", true},
		"by tail, one kind":           {1, cursor.Plain(), true, f.free(), false},
		"by tail, all kinds":          {1, sealed(t), true, "", false},
	} {
		if !c.often && !faults.Full() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			in := faults.New(t, 1, faults.Rates{})
			opts := spread(c.shards)
			opts.Codec = c.codec
			w := newWorld(t, f, opts, in.Wrap)
			list := func(name string, byTail bool, kind string) func(context.Context, cursor.PageRequest) (cursor.Page[E], error) {
				return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[E], error) {
					if byTail {
						return w.ByTail(ctx, name, kind, req)
					}
					return w.ByHead(ctx, name, kind, req)
				}
			}
			beside := func(name string, kinds ...string) {
				for _, kind := range kinds {
					for _, other := range []string{"a", "b"} {
						w.begin(t, name, other, kind)
						w.begin(t, other, name, kind)
					}
				}
			}
			beside("star", f.some()...)
			pagetest.Run(t, func(t *testing.T) pagetest.List[E] {
				name, all, n := "name of "+t.Name(), map[string]E{}, 0
				others := []pagetest.Other{
					pagetest.Foreign("another name", list("star", c.byTail, c.kind)),
					pagetest.Foreign("the other list", list("star", !c.byTail, c.kind)),
				}
				if c.kind != "" {
					beside(name, f.first())
					others = append(others, pagetest.Foreign("another kind", list(name, c.byTail, f.first())))
				}
				return pagetest.List[E]{
					Page: list(name, c.byTail, c.kind),
					ID:   func(e E) string { return f.See(e).ID.String() },
					Add: func(ctx context.Context, count int) []string {
						added := make([]string, count)
						for i := range added {
							n++
							e := Edge{Tail: fmt.Sprint("other ", n), Head: name, Kind: c.kind}
							if c.byTail {
								e.Tail, e.Head = e.Head, e.Tail
							}
							if e.Kind == "" {
								e.Kind = f.kinds()[n%len(f.kinds())]
							}
							got, begun, err := w.Begin(ctx, f.Of(e))
							require.NoError(t, err)
							require.True(t, begun)
							added[i] = f.See(got).ID.String()
							all[added[i]] = got
						}
						return added
					},
					Remove: func(ctx context.Context, id string) {
						ended, err := w.End(ctx, all[id])
						require.NoError(t, err)
						require.True(t, ended)
					},
					Others:   others,
					Requests: in.Requests,
					Brief:    true, // other lists of internal/store run all checks
				}
			})
		})
	}
}

// ofMany asks about as many names as a call takes, some of them twice, and about none.
func ofMany[E any](t *testing.T, f Feature[E]) {
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, f, spread(8), in.Wrap)
	all := w.crowd(t, "star", faults.Size(20, 8), f.kinds()...)
	heads := []string{"star", "unheard-of", "star"}
	for i := len(heads); i < 100; i++ {
		heads = append(heads, fmt.Sprint("head ", i))
	}
	for _, i := range []int{0, 49, 50, 99} {
		for _, kind := range f.some() {
			all = append(all, w.begin(t, "jack", heads[i], kind))
		}
	}
	w.holdsMany(t, standing(all...), []string{"jack", all[0].Tail}, heads)
	before := in.Requests()
	w.holdsMany(t, standing(all...), []string{"jack"}, nil)
	require.Equal(t, before, in.Requests())
}

func endListed[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(4))
	w.crowd(t, "chris", 6, f.some()...)
	end := func(page cursor.Page[E], err error) {
		require.NoError(t, err)
		for _, e := range page.Items {
			ended, err := w.End(t.Context(), e)
			require.NoError(t, err)
			require.True(t, ended)
		}
	}
	end(w.ByHead(t.Context(), "chris", "", cursor.PageRequest{Limit: 3}))
	left := w.read(t, w.ByHead, "chris", "", 10)
	require.Len(t, left, 3)
	end(w.ByTail(t.Context(), left[0].Tail, left[0].Kind, cursor.PageRequest{}))
	w.requireStored(t, left[1:]...)
	if w.Walk != nil {
		end(w.Walk(t.Context(), "chris", cursor.PageRequest{}))
		w.requireStored(t)
	}
}

func greatestID[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, Options{Now: ids.ID(1<<63 - 1).Time})
	w.begin(t, "jack", "chris", f.first())
	e := w.give(t, Edge{Tail: "anna", Head: "chris", Kind: f.free(), ID: ids.ID(1<<63 - 1)})
	page, err := w.ByHead(t.Context(), "chris", "", cursor.PageRequest{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, []Edge{e}, w.see(page.Items))
	page, err = w.ByHead(t.Context(), "chris", "", cursor.PageRequest{Cursor: page.Prev})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}

func consistent[E any](t *testing.T, f Feature[E]) {
	lagging := faults.New(t, 1, faults.Rates{Stale: 1})
	w := newWorld(t, f, spread(3), lagging.Wrap)
	all := w.crowd(t, "star", 9, f.kinds()...)
	fan := all[0].Tail
	w.holds(t, standing(all...), nil, []string{"star"})
	w.holds(t, standing(all[0]), []string{fan}, nil)
	got, err := w.Get(t.Context(), f.Of(all[0].anyID()))
	require.NoError(t, err)
	require.Equal(t, all[0], f.See(got))

	opts := spread(3)
	opts.Consistent = false
	eventual := w.process(t, opts, lagging.Wrap)
	none := w.countIn(graph{}, "star")
	counts, err := eventual.Counts(t.Context(), "star")
	require.NoError(t, err)
	require.Equal(t, none, counts)
	many, err := eventual.CountsMany(t.Context(), []string{"star"})
	require.NoError(t, err)
	require.Equal(t, map[string]edge.Count{"star": none}, many)
	kinds, err := eventual.Kinds(t.Context(), fan, []string{"star"})
	require.NoError(t, err)
	require.Empty(t, kinds["star"])
	require.Len(t, w.read(t, eventual.ByHead, "star", "", 5), 9, "lists are consistent whatever the options")
	require.Len(t, w.read(t, eventual.ByTail, fan, "", 5), 1)
}

func firstOpensShard[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(edge.MaxShards))
	reader := w.process(t, Options{Consistent: true, Now: time.Now})
	g := graph{}
	for i := range faults.Size(9, 3) {
		e := w.begin(t, fmt.Sprint("fan ", i), fmt.Sprint("star ", i%faults.Size(3, 2)), f.free())
		g[e.anyID()] = e.ID
		reader.holds(t, g, []string{e.Tail}, []string{e.Head})
	}
}
