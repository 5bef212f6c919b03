package reaction_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestInvalidInputIsRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, options(1), in.Wrap)
	refused := func(name, field string, err error) {
		t.Helper()
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		require.ErrorIs(t, err, plaza.ErrInvalid, name)
		require.Equal(t, field, invalid.Field, name)
	}

	one := map[string]func(context.Context, reaction.Reaction) error{
		"React": func(ctx context.Context, a reaction.Reaction) error {
			_, changed, err := w.React(ctx, a)
			require.False(t, changed)
			return err
		},
		"Unreact": func(ctx context.Context, a reaction.Reaction) error { _, err := w.Unreact(ctx, a); return err },
		"Get":     func(ctx context.Context, a reaction.Reaction) error { _, err := w.Get(ctx, a); return err },
	}
	for name, call := range one {
		for field, change := range map[string]func(*reaction.Reaction){
			"User":   func(a *reaction.Reaction) { a.User = "" },
			"Object": func(a *reaction.Reaction) { a.Object = strings.Repeat("x", 257) },
			"ID":     func(a *reaction.Reaction) { a.ID = 1 << 63 },
		} {
			a := reaction.Reaction{User: "jack", Object: "photo", Kind: "like"}
			change(&a)
			refused(name, field, call(t.Context(), a))
		}
		for _, kind := range []string{"", "dislike", "Like"} {
			refused(name, "Kind", call(t.Context(), reaction.Reaction{User: "jack", Object: "photo", Kind: kind}))
		}
	}

	for name, list := range map[string]lister{"Object": w.ByObject, "User": w.ByUser} {
		call := func(who, kind string, req cursor.PageRequest) error {
			_, err := list(t.Context(), who, kind, req)
			return err
		}
		refused(name, name, call("", "", cursor.PageRequest{}))
		refused(name, "Kind", call("a", "dislike", cursor.PageRequest{}))
		refused(name, "Limit", call("a", "", cursor.PageRequest{Limit: -1}))
		refused(name, "Cursor", call("a", "", cursor.PageRequest{Cursor: "no cursor"}))
	}

	for name, c := range map[string]struct {
		field string
		call  func(name string) error
	}{
		"Counts":      {"Object", func(name string) error { _, err := w.Counts(t.Context(), name); return err }},
		"CountsMany":  {"Objects[1]", func(name string) error { _, err := w.CountsMany(t.Context(), []string{"a", name}); return err }},
		"Reacted":     {"User", func(name string) error { _, err := w.Reacted(t.Context(), name, []string{"a"}); return err }},
		"Reacted to":  {"Objects[0]", func(name string) error { _, err := w.Reacted(t.Context(), "a", []string{name}); return err }},
		"Check":       {"Object", func(name string) error { _, err := w.Check(t.Context(), name); return err }},
		"CheckUser":   {"User", func(name string) error { _, err := w.CheckUser(t.Context(), name); return err }},
		"Repair":      {"Object", func(name string) error { _, err := w.Repair(t.Context(), name); return err }},
		"RepairUser":  {"User", func(name string) error { _, err := w.RepairUser(t.Context(), name); return err }},
		"Erase":       {"User", func(name string) error { return w.Erase(t.Context(), name) }},
		"EraseObject": {"Object", func(name string) error { return w.EraseObject(t.Context(), name) }},
	} {
		for _, bad := range []string{"", strings.Repeat("x", 257), "a\xff"} {
			refused(name, c.field, c.call(bad))
		}
	}
	many := strings.Split(strings.Repeat("x", 101), "")
	_, err := w.CountsMany(t.Context(), many)
	refused("CountsMany", "Objects", err)
	_, err = w.Reacted(t.Context(), "a", many)
	refused("Reacted", "Objects", err)
	for _, n := range []int{-1, 0, reaction.MaxShards + 1} {
		w := w.process(t, options(n), in.Wrap)
		_, _, err := w.React(t.Context(), reaction.Reaction{User: "a", Object: "b", Kind: "pin"})
		refused("React", "Options.Shards", err)
	}
	// The read before a React of a grouped kind is a request too.
	wide := w.process(t, options(0), in.Wrap)
	_, _, err = wide.React(t.Context(), reaction.Reaction{User: "a", Object: "b", Kind: "like"})
	refused("React in a group", "Options.Shards", err)
	require.Zero(t, in.Requests())
}

func TestNewRefusesInvalidConfiguration(t *testing.T) {
	t.Parallel()
	db, gen := dynamo.NewFromIface(nil), edgetest.Generator(t)
	of := func(kinds ...string) *reaction.Options { return &reaction.Options{Kinds: kinds} }
	grouped := func(groups ...[]string) *reaction.Options {
		return &reaction.Options{Kinds: []string{"a", "b", "c"}, OneOf: groups}
	}
	names := make([]string, 17)
	for i := range names {
		names[i] = fmt.Sprint("kind ", i)
	}
	for name, c := range map[string]struct {
		field string
		db    *dynamo.DB
		table string
		gen   ids.Source
		opts  *reaction.Options
	}{
		"no db":                 {"db", nil, "reactions", gen, of("a")},
		"no table":              {"table", db, "", gen, of("a")},
		"no gen":                {"gen", db, "reactions", nil, of("a")},
		"no options":            {"Options.Kinds", db, "reactions", gen, nil},
		"no kinds":              {"Options.Kinds", db, "reactions", gen, of()},
		"17 kinds":              {"Options.Kinds", db, "reactions", gen, of(names...)},
		"an empty kind":         {"Options.Kinds[1]", db, "reactions", gen, of("a", "")},
		"a kind twice":          {"Options.Kinds[2]", db, "reactions", gen, of("a", "b", "a")},
		"a long kind":           {"Options.Kinds[0]", db, "reactions", gen, of(strings.Repeat("x", 65))},
		"a broken kind":         {"Options.Kinds[0]", db, "reactions", gen, of("a\xff")},
		"an unknown kind":       {"Options.OneOf[0][1]", db, "reactions", gen, grouped([]string{"a", "d"})},
		"a kind twice in one":   {"Options.OneOf[0][1]", db, "reactions", gen, grouped([]string{"a", "a"})},
		"a kind in two of them": {"Options.OneOf[1][0]", db, "reactions", gen, grouped([]string{"a", "b"}, []string{"b", "c"})},
	} {
		r, err := reaction.New(c.db, c.table, c.gen, c.opts)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		require.Equal(t, c.field, invalid.Field, name)
		require.Nil(t, r, name)
	}
	r, err := reaction.New(db, "reactions", gen, of(slices.Concat(names[:15], []string{strings.Repeat("x", 64)})...))
	require.NoError(t, err)
	require.NotNil(t, r)
}
