package reaction_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestShardsRelieveHeat counts the writes to each partition key while many
// users like one object.
func TestShardsRelieveHeat(t *testing.T) {
	t.Parallel()
	likes := faults.Size(400, 120) // of 48, one time in a hundred a shard has none
	for _, shards := range []int{1, 8} {
		in := faults.New(t, 0, faults.Rates{})
		writes, counter := map[string]int{}, regexp.MustCompile(`"C#star#\d+"`)
		in.Script(func(op string, body []byte, _ int) faults.Fault {
			if op == "TransactWriteItems" {
				for _, key := range counter.FindAllString(string(body), -1) {
					writes[key]++
				}
			}
			return faults.Fault{}
		})
		w := newWorld(t, options(shards), in.Wrap)
		var group errgroup.Group
		group.SetLimit(8)
		for i := range likes {
			group.Go(func() error {
				_, _, err := w.React(t.Context(), reaction.Reaction{User: fmt.Sprint("fan ", i), Object: "star", Kind: "pin"})
				return err
			})
		}
		require.NoError(t, group.Wait())
		require.Len(t, writes, shards)
		hottest := slices.Max(slices.Collect(maps.Values(writes)))
		if shards == 1 {
			require.GreaterOrEqual(t, hottest, likes)
		} else { // 50 on average, more because of the hash's spread and because shards are opened
			require.Less(t, hottest, likes/shards*3/2+2*shards)
		}
		counts, err := w.Counts(t.Context(), "star")
		require.NoError(t, err)
		require.EqualValues(t, likes, counts["pin"])
	}
}
