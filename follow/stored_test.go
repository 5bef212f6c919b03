package follow_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// stored is a table's items by key, each as text by attribute. The tests'
// ids hold no '#', so keys are read by hand.
type stored map[[2]string]map[string]string

func scan(t testing.TB, w world) stored {
	t.Helper()
	var items []dynamo.Item
	require.NoError(t, dynamotest.DB(t).Table(w.table).Scan().All(t.Context(), &items))
	s := stored{}
	for _, item := range items {
		fields := map[string]string{}
		for name, value := range item {
			switch v := value.(type) {
			case *types.AttributeValueMemberS:
				fields[name] = v.Value
			case *types.AttributeValueMemberN:
				fields[name] = v.Value
			case *types.AttributeValueMemberNS:
				fields[name] = fmt.Sprint(slices.Sorted(slices.Values(v.Value)))
			}
		}
		s[[2]string{fields["pk"], fields["sk"]}] = fields
	}
	return s
}

// requireStored reads the whole table: each of the edges, and no other, has
// its three items, the counters are their sums, and what is left of ended ones
// expires.
func requireStored(t testing.TB, w world, edges []follow.Edge) {
	t.Helper()
	want := map[string]string{}
	for _, e := range edges {
		want[e.Follower+" "+e.Followee] = ""
	}
	guards, following, followers := map[string]string{}, map[string]string{}, map[string]string{}
	is, should, shards := map[string]int{}, map[string]int{}, map[string][]string{}
	table := scan(t, w)
	for key, item := range table {
		part := strings.Split(key[0], "#")
		switch part[0] {
		case "E":
			if item["id"] == "" { // it stays for a while, and says no more than this
				require.Len(t, item, 4)
				require.NotEmpty(t, item["ended"])
				require.NotEmpty(t, item["ttl"])
				continue
			}
			require.NotContains(t, item, "ended")
			require.NotContains(t, item, "ttl")
			shard := item["shard"]
			if shard == "" {
				shard = "0"
			}
			guards[part[1]+" "+key[1]+" "+item["id"]] = shard
			want[part[1]+" "+key[1]] = item["id"]
			should["followers "+key[1]+" "+shard]++
			should["following "+part[1]+" 0"]++
		case "F":
			following[part[1]+" "+item["followee"]+" "+key[1]] = ""
		case "R":
			followers[item["follower"]+" "+part[1]+" "+key[1]] = part[2]
		case "C":
			for _, name := range []string{"followers", "following"} {
				if n, _ := strconv.Atoi(item[name]); n != 0 {
					is[name+" "+part[1]+" "+key[1]] = n
				}
			}
			if key[1] != "0" {
				shards[part[1]] = append(shards[part[1]], key[1])
			}
		}
	}
	require.Equal(t, guards, followers)
	for guard := range guards {
		guards[guard] = ""
	}
	require.Equal(t, guards, following)
	require.Equal(t, should, is)
	require.Len(t, guards, len(edges))
	require.Len(t, want, len(edges))
	for user, opened := range shards {
		require.Equal(t, fmt.Sprint(slices.Sorted(slices.Values(opened))), table[[2]string{"C#" + user, "0"}]["shards"])
	}
}
