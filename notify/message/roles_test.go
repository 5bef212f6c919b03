package message_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/notify/message"
)

func (w world) details(t testing.TB, user, group string) message.Details {
	t.Helper()
	found, err := w.Details(t.Context(), user, group)
	require.NoError(t, err)
	require.Contains(t, found, group)
	return found[group]
}

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call          func(ctx context.Context, w world, by string) (bool, error)
		owner, member error // why it is refused
	}{
		"add": {call: func(ctx context.Context, w world, by string) (bool, error) { return w.Add(ctx, of("dan", "g"), by) }},
		"remove": {
			call:   func(ctx context.Context, w world, by string) (bool, error) { return w.Remove(ctx, of("cleo", "g"), by) },
			member: message.ErrNotOwner,
		},
		"describe": {
			call: func(ctx context.Context, w world, by string) (bool, error) {
				return w.Describe(ctx, of(by, "g"), message.Description{Name: "Climbers", Picture: "/climbers.png"})
			},
			member: message.ErrNotOwner,
		},
		"hand over": {
			call: func(ctx context.Context, w world, by string) (bool, error) {
				return w.SetOwner(ctx, of(by, "g"), "cleo")
			},
			member: message.ErrNotOwner,
		},
		"hand over to a stranger": {
			call: func(ctx context.Context, w world, by string) (bool, error) {
				return w.SetOwner(ctx, of(by, "g"), "zoe")
			},
			owner: plaza.ErrNotFound, member: message.ErrNotOwner,
		},
	} {
		for by, want := range map[string]error{"ann": c.owner, "ben": c.member, "zoe": message.ErrNotMember} {
			w := newWorld(t, nil)
			w.create(t, "g", "ben", "ann", "cleo")
			stored := w.stored(t)
			for _, p := range []world{w.process(t, nil), w} {
				changed, err := c.call(t.Context(), p, by)
				if want != nil {
					fails(t, want, name, by)(changed, err)
					require.ElementsMatch(t, stored, w.stored(t))
					continue
				}
				does(t, p.Repository != w.Repository, name, by)(changed, err) // the second call is a repeat
			}
		}
	}
}

func TestTheMemberOfLongestStandingOwns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "cleo", "ben", "ann") // by ann
	d := message.Description{Name: "Climbers", Picture: "p"}
	does(t, true)(w.Describe(t.Context(), of("ann", "g"), d))
	does(t, true)(w.Add(t.Context(), of("dan", "g"), "ben"))
	owns := func(owner string, members ...string) {
		t.Helper()
		require.Equal(t, message.Details{Description: d, Owner: owner, Members: members}, w.details(t, members[0], "g"))
	}
	owns("ann", "ann", "cleo", "ben", "dan")
	does(t, true)(w.SetOwner(t.Context(), of("ann", "g"), "dan"))
	owns("dan", "ann", "cleo", "ben", "dan")
	does(t, true)(w.Leave(t.Context(), of("dan", "g")))
	owns("ann", "ann", "cleo", "ben")
	does(t, true)(w.Add(t.Context(), of("dan", "g"), "dan"))
	owns("ann", "ann", "cleo", "ben", "dan")
	require.NoError(t, w.process(t, nil).Erase(t.Context(), "ann"))
	owns("cleo", "cleo", "ben", "dan")
	does(t, true)(w.Remove(t.Context(), of("ben", "g"), "cleo"))
	does(t, true)(w.Leave(t.Context(), of("cleo", "g")))
	owns("dan", "dan")
	does(t, true)(w.Leave(t.Context(), of("dan", "g")))
	does(t, true)(w.Add(t.Context(), of("ben", "g"), "ben"))
	owns("ben", "ben")
}

func TestDetailsAreForMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "a", "ann", "ben")
	w.create(t, "b", "ben")
	w.create(t, "c", "ann")
	w.damage(t, "C#c", "M", attributes{"mver": 0})
	found, err := w.Details(t.Context(), "ann", "a", "b", "c", "none")
	require.NoError(t, err)
	require.Equal(t, map[string]message.Details{"a": {Owner: "ann", Members: []string{"ann", "ben"}}}, found)
}
