package reaction_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// invalid is the error of a call with invalid input, and the field that it names.
type invalid struct {
	Field string
	Err   error
}

var failed = callstest.Failed

func TestInvalidKindsAreRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, options(1), in.Wrap)
	ctx, page := t.Context(), cursor.PageRequest{}
	cases := map[string]invalid{
		"ByObject": {"Kind", failed(w.ByObject(ctx, "a", "dislike", page))},
		"ByUser":   {"Kind", failed(w.ByUser(ctx, "a", "dislike", page))},
	}
	for _, kind := range []string{"", "dislike", "Like"} {
		a := reaction.Reaction{User: "jack", Object: "photo", Kind: kind}
		cases["React "+kind] = invalid{"Kind", failed(w.React(ctx, a))}
		cases["Unreact "+kind] = invalid{"Kind", failed(w.Unreact(ctx, a))}
		cases["Get "+kind] = invalid{"Kind", failed(w.Get(ctx, a))}
	}
	callstest.RequireInvalid(t, cases)
	require.Zero(t, in.Requests())
}

func TestNewRefusesInvalidConfiguration(t *testing.T) {
	t.Parallel()
	db, gen := dynamo.NewFromIface(nil), edgetest.Generator(t)
	of := func(kinds ...string) error {
		return failed(reaction.New(db, "reactions", gen, &reaction.Options{Kinds: kinds}))
	}
	grouped := func(groups ...[]string) error {
		return failed(reaction.New(db, "reactions", gen, &reaction.Options{Kinds: []string{"a", "b", "c"}, OneOf: groups}))
	}
	names := make([]string, 17)
	for i := range names {
		names[i] = fmt.Sprint("kind ", i)
	}
	callstest.RequireInvalid(t, map[string]invalid{
		"no options":            {"Options.Kinds", failed(reaction.New(db, "reactions", gen, nil))},
		"no kinds":              {"Options.Kinds", of()},
		"17 kinds":              {"Options.Kinds", of(names...)},
		"an empty kind":         {"Options.Kinds[1]", of("a", "")},
		"a kind twice":          {"Options.Kinds[2]", of("a", "b", "a")},
		"a long kind":           {"Options.Kinds[0]", of(strings.Repeat("x", 65))},
		"a broken kind":         {"Options.Kinds[0]", of("a\xff")},
		"an unknown kind":       {"Options.OneOf[0][1]", grouped([]string{"a", "d"})},
		"a kind twice in one":   {"Options.OneOf[0][1]", grouped([]string{"a", "a"})},
		"a kind in two of them": {"Options.OneOf[1][0]", grouped([]string{"a", "b"}, []string{"b", "c"})},
	})
	require.NoError(t, of(slices.Concat(names[:15], []string{strings.Repeat("x", 64)})...))
}
