package reaction_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestReactTwiceIsOneReaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	for _, kind := range []string{"like", "pin"} {
		first := w.react(t, "jack", "photo", kind)
		require.NotZero(t, first.ID)
		for name, c := range map[string]struct {
			id      ids.ID
			changed bool
		}{
			"without an id": {0, false},
			"its own id":    {first.ID, true},
			"another id":    {w.id(t), false},
		} {
			again, changed, err := w.React(t.Context(), reaction.Reaction{User: "jack", Object: "photo", Kind: kind, ID: c.id})
			require.NoError(t, err, name)
			require.Equal(t, c.changed, changed, name)
			require.Equal(t, first, again, name)
		}
		got, err := w.Get(t.Context(), reaction.Reaction{User: "jack", Object: "photo", Kind: kind})
		require.NoError(t, err)
		require.Equal(t, first, got)
	}
	counts, err := w.Counts(t.Context(), "photo")
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"like": 1, "love": 0, "haha": 0, "pin": 1}, counts)
}

func TestUnreactTwiceRemovesOnce(t *testing.T) {
	t.Parallel()
	for name, reacted := range map[string]func(reaction.Reaction) reaction.Reaction{
		"by the names": func(a reaction.Reaction) reaction.Reaction {
			return reaction.Reaction{User: a.User, Object: a.Object, Kind: a.Kind}
		},
		"by the names and id": func(a reaction.Reaction) reaction.Reaction {
			return reaction.Reaction{User: a.User, Object: a.Object, Kind: a.Kind, ID: a.ID}
		},
		"by the reaction": func(a reaction.Reaction) reaction.Reaction { return a },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options(1))
			pin := w.react(t, "jack", "photo", "pin")
			a := reacted(w.react(t, "jack", "photo", "like"))
			for _, want := range []bool{true, false} {
				removed, err := w.Unreact(t.Context(), a)
				require.NoError(t, err)
				require.Equal(t, want, removed)
				w.holds(t, standing(pin), []string{"jack"}, []string{"photo"})
			}
		})
	}
}

func TestUnreactByIDRemovesOnlyThatReaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	old := w.react(t, "jack", "photo", "like")
	removed, err := w.Unreact(t.Context(), old)
	require.NoError(t, err)
	require.True(t, removed)
	now := w.react(t, "jack", "photo", "like")
	for name, id := range map[string]ids.ID{"the old id": old.ID, "an unused id": w.id(t)} {
		for _, a := range []reaction.Reaction{old, {User: "jack", Object: "photo", Kind: "like"}} {
			a.ID = id
			removed, err := w.Unreact(t.Context(), a)
			require.NoError(t, err, name)
			require.False(t, removed, name)
		}
	}
	w.holds(t, standing(now), []string{"jack"}, []string{"photo"})
}

func TestARemovedIDNeverReactsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	earlier := w.id(t)
	first := w.react(t, "jack", "photo", "like")
	_, err := w.Unreact(t.Context(), first)
	require.NoError(t, err)
	for _, shards := range []int{1, reaction.MaxShards} {
		for _, id := range []ids.ID{first.ID, earlier} {
			late := reaction.Reaction{User: "jack", Object: "photo", Kind: "like", ID: id}
			_, changed, err := w.process(t, options(shards)).React(t.Context(), late)
			require.ErrorIs(t, err, plaza.ErrRemoved)
			require.False(t, changed)
			w.holds(t, reactions{}, []string{"jack"}, []string{"photo"})
		}
	}
	// Another kind has ids of its own.
	pin, changed, err := w.React(t.Context(), reaction.Reaction{User: "jack", Object: "photo", Kind: "pin", ID: first.ID})
	require.NoError(t, err)
	require.True(t, changed)

	again := w.react(t, "jack", "photo", "like")
	require.Greater(t, again.ID, first.ID)
	stands, changed, err := w.React(t.Context(), first)
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, again, stands)
	w.holds(t, standing(again, pin), []string{"jack"}, []string{"photo"})
	requireStored(t, w, standing(again, pin))
}

func TestAnIDOfAnotherReactionIsAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	a := w.react(t, "jack", "photo", "like")
	for name, other := range map[string]reaction.Reaction{
		"of the user":   {User: "jack", Object: "film", Kind: "like"},
		"on the object": {User: "anna", Object: "photo", Kind: "like"},
	} {
		other.ID = a.ID
		_, changed, err := w.React(t.Context(), other)
		require.ErrorIs(t, err, plaza.ErrConflict, name)
		require.False(t, changed, name)
	}
	requireStored(t, w, standing(a))
}

func TestNamesNeverShareAKey(t *testing.T) {
	t.Parallel()
	odd := []string{
		"a_b", "a#0", `a\`, `a\#0`, "#", `\`, "0", "é", "🥰", "it's.[0]", "ver", "like", "shards", strings.Repeat("x", 64), " ", "S",
	}
	w := newWorld(t, &reaction.Options{Kinds: odd, Shards: func(string) int { return 2 }, Consistent: true})
	want := reactions{}
	for i, name := range odd {
		for _, object := range []string{odd[(i+1)%len(odd)], odd[(i+3)%len(odd)]} {
			for _, kind := range []string{name, odd[(i+5)%len(odd)]} {
				a := w.react(t, name, object, kind)
				want[placeOf(a)] = a.ID
			}
		}
	}
	hold := func() {
		for _, name := range odd {
			require.Equal(t, want.list(func(p place) bool { return p.user == name }), see(read(t, w.ByUser, name, "", 25)...))
			require.Equal(t, want.list(func(p place) bool { return p.object == name }), see(read(t, w.ByObject, name, "", 25)...))
			counts, err := w.Counts(t.Context(), name)
			require.NoError(t, err)
			for _, kind := range odd {
				of := want.list(func(p place) bool { return p.object == name && p.kind == kind })
				require.EqualValues(t, len(of), counts[kind])
			}
			for _, check := range []func() (reaction.Drift, error){
				func() (reaction.Drift, error) { return w.Check(t.Context(), name) },
				func() (reaction.Drift, error) { return w.CheckUser(t.Context(), name) },
			} {
				drift, err := check()
				require.NoError(t, err)
				require.Zero(t, drift)
			}
		}
	}
	hold()
	for p, id := range want {
		if p.user < p.object {
			removed, err := w.Unreact(t.Context(), reaction.Reaction{User: p.user, Object: p.object, Kind: p.kind, ID: id})
			require.NoError(t, err)
			require.True(t, removed)
			delete(want, p)
		}
	}
	hold()
}

func TestTheMintedIDComesBackBesideAnError(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, options(1), in.Wrap)
	in.KillAt(1)
	a, changed, err := w.React(t.Context(), reaction.Reaction{User: "jack", Object: "photo", Kind: "like"})
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	require.False(t, changed)
	require.NotZero(t, a.ID)

	in.Off()
	again, changed, err := w.React(t.Context(), a)
	require.NoError(t, err)
	require.True(t, changed, "the repeat gives the first answer")
	require.Equal(t, see(a), see(again))
	requireStored(t, w, standing(a))
}

// TestManyTogglingAndSwitchingStayWhole also takes two kinds that are in no
// group with each other.
func TestManyTogglingAndSwitchingStayWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(2))
	users := []string{"anna", "jack"}
	var group errgroup.Group
	for i := range 40 {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for range 5 {
				a := reaction.Reaction{User: users[random.IntN(2)], Object: "photo", Kind: kinds[random.IntN(len(kinds))]}
				var err error
				if random.IntN(3) > 0 {
					_, _, err = w.React(t.Context(), a)
				} else {
					_, err = w.Unreact(t.Context(), a)
				}
				if err != nil && !errors.Is(err, plaza.ErrBusy) {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	r := reactions{}
	for _, user := range users {
		oneOf := 0
		for _, kind := range kinds {
			a, err := w.Get(t.Context(), reaction.Reaction{User: user, Object: "photo", Kind: kind})
			if errors.Is(err, plaza.ErrNotFound) {
				continue
			}
			require.NoError(t, err)
			r[placeOf(a)] = a.ID
			if kind != "pin" {
				oneOf++
			}
		}
		require.LessOrEqual(t, oneOf, 1)
	}
	w.holds(t, r, users, []string{"photo"})
	requireStored(t, w, r)
}

func TestMissingTableAndOtherSchemaAreErrTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	a := w.react(t, "jack", "photo", "like")
	other := dynamotest.Table(t, func(name string) *dynamodb.CreateTableInput {
		in := reaction.Table(name)
		for i, renamed := range []string{"PK", "SK"} {
			in.AttributeDefinitions[i].AttributeName = &renamed
			in.KeySchema[i].AttributeName = &renamed
		}
		return in
	})
	for _, table := range []string{"no-such-table", other} {
		w.table = table
		w := w.process(t, options(1))
		for name, call := range map[string]func() error{
			"React":      func() error { _, _, err := w.React(t.Context(), a); return err },
			"Unreact":    func() error { _, err := w.Unreact(t.Context(), a); return err },
			"Get":        func() error { _, err := w.Get(t.Context(), a); return err },
			"Reacted":    func() error { _, err := w.Reacted(t.Context(), "jack", []string{"photo"}); return err },
			"Counts":     func() error { _, err := w.Counts(t.Context(), "photo"); return err },
			"CountsMany": func() error { _, err := w.CountsMany(t.Context(), []string{"photo"}); return err },
			"ByObject":   func() error { _, err := w.ByObject(t.Context(), "photo", "", cursor.PageRequest{}); return err },
			"ByUser":     func() error { _, err := w.ByUser(t.Context(), "jack", "like", cursor.PageRequest{}); return err },
			"Check":      func() error { _, err := w.Check(t.Context(), "photo"); return err },
			"RepairUser": func() error { _, err := w.RepairUser(t.Context(), "jack"); return err },
			"Erase":      func() error { return w.Erase(t.Context(), "jack") },
		} {
			err := call()
			require.ErrorIs(t, err, plaza.ErrTable, "%s, %s", name, table)
			require.NotErrorIs(t, err, plaza.ErrNotFound, "%s, %s", name, table)
		}
	}
}
