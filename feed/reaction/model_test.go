package reaction_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
)

// TestAnySequenceLeavesWhatItShould lets a few users react and unreact, with
// ids and reactions that are fresh, repeated or long gone, while the shards
// change at any time.
func TestAnySequenceLeavesWhatItShould(t *testing.T) {
	t.Parallel()
	shards := 1
	opts := options(1)
	opts.Shards = func(string) int { return shards }
	w := newWorld(t, opts)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		users := []string{fmt.Sprint(run, "a"), fmt.Sprint(run, "b")}
		objects := []string{fmt.Sprint(run, "x"), fmt.Sprint(run, "y")}
		stands := reactions{}
		ended := reactions{}
		known := map[place][]reaction.Reaction{} // also those that ended
		for range rapid.IntRange(1, 20).Draw(t, "calls") {
			shards = rapid.SampledFrom([]int{1, 1, 2, 5, reaction.MaxShards}).Draw(t, "shards")
			p := place{
				user:   rapid.SampledFrom(users).Draw(t, "user"),
				object: rapid.SampledFrom([]string{objects[0], objects[0], objects[1]}).Draw(t, "object"),
				kind:   rapid.SampledFrom(kinds).Draw(t, "kind"),
			}
			a := reaction.Reaction{User: p.user, Object: p.object, Kind: p.kind}
			if len(known[p]) > 0 && rapid.Bool().Draw(t, "known") {
				a = rapid.SampledFrom(known[p]).Draw(t, "reaction")
			}
			before := stands[p]
			if rapid.IntRange(0, 2).Draw(t, "call") > 0 {
				got, changed, err := w.React(t.Context(), a)
				if before == 0 && a.ID != 0 && a.ID <= ended[p] {
					require.ErrorIs(t, err, plaza.ErrRemoved)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, before == 0 || before == a.ID, changed)
				if before != 0 {
					require.Equal(t, before, got.ID)
				} else if a.ID != 0 {
					require.Equal(t, a.ID, got.ID)
				}
				if p.kind != "pin" {
					for _, other := range kinds[:3] {
						other := place{p.user, p.object, other}
						if id, stood := stands[other]; stood {
							ended[other] = id
							delete(stands, other)
						}
					}
				}
				stands[p] = got.ID
				known[p] = append(known[p], got)
			} else {
				removed, err := w.Unreact(t.Context(), a)
				require.NoError(t, err)
				meant := before != 0 && (a.ID == 0 || a.ID == before)
				require.Equal(t, meant, removed)
				if meant {
					ended[p] = before
					delete(stands, p)
				}
			}
		}
		shards = 1
		w.holds(t, stands, users, objects)
	})
}
