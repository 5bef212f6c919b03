package reaction_test

import (
	"encoding/json"
	"fmt"
	"strings"
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
		writes := map[string]int{}
		in.Script(func(op string, body []byte, _ int) faults.Fault {
			if op == "TransactWriteItems" {
				for _, key := range partitionKeys(t, body) {
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
		hottest, counters := 0, 0
		for key, n := range writes {
			if strings.HasPrefix(key, "C#star") {
				counters++
				hottest = max(hottest, n)
			}
		}
		require.Equal(t, shards, counters)
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

// partitionKeys are the partition keys that a transaction writes.
func partitionKeys(t *testing.T, body []byte) (keys []string) {
	type key struct {
		PK struct{ S string } `json:"pk"`
	}
	var tx struct {
		TransactItems []struct {
			Put            struct{ Item key }
			Update, Delete struct{ Key key }
		}
	}
	require.NoError(t, json.Unmarshal(body, &tx))
	for _, item := range tx.TransactItems {
		keys = append(keys, item.Put.Item.PK.S+item.Update.Key.PK.S+item.Delete.Key.PK.S)
	}
	return keys
}
