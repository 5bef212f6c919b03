package reaction_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func sealed(t testing.TB) cursor.Codec {
	t.Helper()
	codec, err := cursor.Sealed(cursor.Keyring{Current: 1, Keys: map[byte][]byte{1: bytes.Repeat([]byte{7}, 32)}})
	require.NoError(t, err)
	return codec
}

func TestListsArePagedExactly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shards int
		codec  cursor.Codec
		byUser bool
		kind   string // "": all
	}{
		"by object, one kind":            {1, cursor.Plain(), false, "pin"},
		"by object, all kinds, 4 shards": {4, sealed(t), false, ""},
		"by user, one kind":              {1, sealed(t), true, "pin"},
		"by user, all kinds":             {1, cursor.Plain(), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, 1, faults.Rates{})
			opts := options(c.shards)
			opts.Codec = c.codec
			w := newWorld(t, opts, in.Wrap)
			type page = func(context.Context, cursor.PageRequest) (cursor.Page[reaction.Reaction], error)
			list := func(name string, byUser bool, kind string) page {
				return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[reaction.Reaction], error) {
					if byUser {
						return w.ByUser(ctx, name, kind, req)
					}
					return w.ByObject(ctx, name, kind, req)
				}
			}
			for _, kind := range []string{"like", "pin"} {
				for _, other := range []string{"a", "b"} {
					w.react(t, "star", other, kind)
					w.react(t, other, "star", kind)
				}
			}
			pagetest.Run(t, func(t *testing.T) pagetest.List[reaction.Reaction] {
				name, all, n := "name of "+t.Name(), map[string]reaction.Reaction{}, 0
				otherKind := "like"
				if c.kind != "" {
					for _, other := range []string{"a", "b"} {
						w.react(t, name, other, otherKind)
						w.react(t, other, name, otherKind)
					}
				} else {
					otherKind = "haha"
				}
				others := []pagetest.Other{
					pagetest.Foreign("another name", list("star", c.byUser, c.kind)),
					pagetest.Foreign("the other list", list("star", !c.byUser, c.kind)),
				}
				if c.kind != "" {
					others = append(others, pagetest.Foreign("another kind", list(name, c.byUser, otherKind)))
				}
				return pagetest.List[reaction.Reaction]{
					Page: list(name, c.byUser, c.kind),
					ID:   func(a reaction.Reaction) string { return a.ID.String() },
					Add: func(ctx context.Context, count int) []string {
						added := make([]string, count)
						for i := range added {
							n++
							a := reaction.Reaction{User: fmt.Sprint("other ", n), Object: name, Kind: c.kind}
							if c.byUser {
								a.User, a.Object = a.Object, a.User
							}
							if a.Kind == "" {
								a.Kind = kinds[n%len(kinds)]
							}
							a, changed, err := w.React(ctx, a)
							require.NoError(t, err)
							require.True(t, changed)
							added[i] = a.ID.String()
							all[added[i]] = a
						}
						return added
					},
					Remove: func(ctx context.Context, id string) {
						removed, err := w.Unreact(ctx, all[id])
						require.NoError(t, err)
						require.True(t, removed)
					},
					Others:   others,
					Requests: in.Requests,
				}
			})
		})
	}
}

// TestKindsWithOneIDAreListedOnce pages over reactions whose ids are the same:
// a caller may give one id to several kinds.
func TestKindsWithOneIDAreListedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &reaction.Options{Kinds: kinds, Consistent: true})
	var all []reaction.Reaction
	for range 3 {
		id := w.id(t)
		for _, kind := range kinds {
			a, _, err := w.React(t.Context(), reaction.Reaction{User: "jack", Object: id.String(), Kind: kind, ID: id})
			require.NoError(t, err)
			all = append(all, a)
			_, _, err = w.React(t.Context(), reaction.Reaction{User: id.String(), Object: "photo", Kind: kind, ID: id})
			require.NoError(t, err)
		}
	}
	want := standing(all...).list(func(place) bool { return true })
	for limit := 1; limit <= 5; limit++ {
		require.Equal(t, want, see(read(t, w.ByUser, "jack", "", limit)...), "limit %d", limit)
		require.Len(t, read(t, w.ByObject, "photo", "", limit), len(all), "limit %d", limit)

		// And back up from the end.
		page, err := w.ByUser(t.Context(), "jack", "", cursor.PageRequest{Limit: 11})
		require.NoError(t, err)
		page, err = w.ByUser(t.Context(), "jack", "", cursor.PageRequest{Cursor: page.Next, Limit: 11})
		require.NoError(t, err)
		up := see(page.Items...)
		for len(page.Items) > 0 {
			page, err = w.ByUser(t.Context(), "jack", "", cursor.PageRequest{Cursor: page.Prev, Limit: limit})
			require.NoError(t, err)
			up = append(see(page.Items...), up...)
		}
		require.Equal(t, want, up, "limit %d", limit)
	}
}

func TestAReactionOfAListMayBeEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(4))
	w.crowd(t, "photo", 6, "like", "pin")
	for _, a := range read(t, w.ByObject, "photo", "", 10)[:3] {
		removed, err := w.Unreact(t.Context(), a)
		require.NoError(t, err)
		require.True(t, removed)
	}
	for _, a := range read(t, w.ByObject, "photo", "like", 10) {
		for _, a := range read(t, w.ByUser, a.User, "like", 10) {
			removed, err := w.Unreact(t.Context(), a)
			require.NoError(t, err)
			require.True(t, removed)
		}
	}
	requireStored(t, w, standing(read(t, w.ByObject, "photo", "pin", 10)...))
}
